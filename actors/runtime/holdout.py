"""Which units go without a learned layer today, so that its effect can be told from chance.

Each layer has its own arms: a hash of (layer, unit, UTC day), so that layers are independent of each other, a unit
keeps its arm for a day, and nobody has to store who is in which.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

DAY_S: Final = 86_400
SHARE: Final = 0.05
ENTROPY_DELTA: Final = "entropy_delta"
EDIT_PENALTY: Final = "edit_penalty"
EXPECTED_COST: Final = "expected_cost"
UNIT_RANKING: Final = "unit_ranking"
BEGIN_SHARE: Final = "begin_share"
LESSONS: Final = "lessons"
FEEDBACK_STRATEGY: Final = "feedback_strategy"
LAYERS: Final = (
    *(ENTROPY_DELTA, EDIT_PENALTY, EXPECTED_COST, UNIT_RANKING),
    *(BEGIN_SHARE, LESSONS, FEEDBACK_STRATEGY),
)
"""All layers whose effect is measured."""


def utc_day(utc_s: float) -> int:
    """The number of the UTC day since the epoch."""
    return int(utc_s // DAY_S)


def is_held_out(layer: str, unit: str, utc_s: float, share: float = SHARE) -> bool:
    """Whether `unit` does without `layer` on this day; `share` is the part of all units, 0 to 1, that does."""
    digest = sha256(f"{layer}\0{unit}\0{utc_day(utc_s)}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64
