"""What the checker knows of a house's settings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

EPSILON_S: Final = 1e-6
"""For times that were added up in another order."""

LATE_S: Final = 3.5
"""So long after its time, at most, something must have ended: a wake-up each second, and a step of two."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The promises' numbers, in seconds."""

    ttl_s: float = 6.0
    lock_delay_s: float = 2.0
    idle_s: float = 25.0
    fade_s: float = 6.0 * math.log2(2.0 / 0.3)
