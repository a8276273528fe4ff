"""The two handles by which context is chosen, and how the strategies move them."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Final

from actors.runtime.errors import Misuse
from actors.runtime.number import as_number, shown
from coordinator.feedback.diagnosis import Plan, Strategy
from coordinator.feedback.number import check_whole
from coordinator.retrieval.passage import MOST_COMPRESSED, WHOLE

EXPAND_FACTOR: Final = 1.5
REQUERY_FACTOR: Final = 2.25
LIGHTEN_FACTOR: Final = 0.5
"""The contract gives no number for lighter compression: the level is halved."""
MAX_TOP_K: Final = 10_000
MIN_LEVEL: Final = 0.05
"""What would be compressed less than this is not compressed."""


@dataclass(frozen=True, slots=True)
class Selection:
    """How many passages, and how compressed: `level` from 0.0, whole, to 1.0. Raises `Misuse` for what cannot be."""

    top_k: int
    level: float

    def __post_init__(self) -> None:
        check_whole("top_k", self.top_k, 1, MAX_TOP_K)
        level = as_number(self.level)
        if level is None or not WHOLE <= level <= MOST_COMPRESSED:
            raise Misuse(f"level={shown(self.level)} is no compression level: give one from 0.0 (whole) to 1.0")

    def after(self, plan: Plan, *, max_top_k: int) -> Selection:
        """The selection as the plan's strategies move it, with `max_top_k` passages at most; the same if none can."""
        top_k, level = self.top_k, self.level
        for strategy in plan:
            if strategy is Strategy.LIGHTEN_COMPRESSION:
                level = lightened(level)
            else:
                factor = EXPAND_FACTOR if strategy is Strategy.EXPAND_RETRIEVAL else REQUERY_FACTOR
                top_k = max(top_k, min(max_top_k, ceil(top_k * factor)))
        return Selection(top_k, level)

    def __str__(self) -> str:
        return f"top_k {self.top_k}, level {self.level:g}"


def lightened(level: float) -> float:
    """Half of a level; 0.0 where less than 0.05 would be left."""
    half = level * LIGHTEN_FACTOR
    return half if half >= MIN_LEVEL else WHOLE
