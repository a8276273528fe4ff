"""The numbers of what is learned, and our own bounds.

The constants are part of what a bundle means: two coordinators that merge must agree on them. `Limits` may differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

KEEP_A_DAY: Final = 0.98
"""What a UTC day leaves of a delta, and of a day's weight: 2% go."""
MAX_DELTA: Final = 0.15
MAX_ORIGINS: Final = 256
MAX_EXTENSIONS: Final = 64
MAX_PROFILES: Final = 8
N_DAYS: Final = 30
"""Days whose counts are kept apart; older ones are in the rest."""
MAX_SAMPLES: Final = 999_999
MAX_DAY_COUNT: Final = 999_999
MAX_REST_COUNT: Final = 99_999_999
"""Over fifty times the most a day can hold, which is what a rest that shrinks by 2% a day tends to."""
MAX_REVISION: Final = 10**12
MAX_ERA: Final = 10**6
MAX_DAYS_AHEAD: Final = 2
MAX_BUNDLE_BYTES: Final = 6 * 2**20


@dataclass(frozen=True, slots=True)
class Limits:
    """How much evidence it takes, and how much is kept on this machine alone."""

    min_signals: int = 10
    min_observations: int = 20
    min_hunks: int = 50
    max_cost_rows: int = 600
    max_pins: int = 20_000
