"""A rolling window over the quality of answers, and the rule by which it is getting worse.

Degradation is a drop of the mean: the last five against up to twenty before them, more than 15% lower, from ten on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from math import fsum
from typing import Any, Final

from actors.runtime.errors import Misuse
from actors.runtime.number import as_number, shown

RECENT: Final = 5
BEFORE: Final = 20
MIN_ANSWERS: Final = 10
MAX_DROP: Final = 0.15
_DIGITS: Final = 9


class QualityWindow:
    """The newest `size` qualities, each from 0 to 1, oldest first."""

    def __init__(self, size: int, qualities: Iterable[float] = ()) -> None:
        self._qualities = deque(qualities, maxlen=size)

    def __len__(self) -> int:
        return len(self._qualities)

    def __iter__(self) -> Iterator[float]:
        return iter(self._qualities)

    def add(self, quality: float) -> None:
        """Take in one more; the oldest goes if the window is full."""
        self._qualities.append(quality)

    @property
    def mean(self) -> float | None:
        """None while the window is empty."""
        return _mean(self._qualities) if self._qualities else None

    def share_below(self, threshold: float) -> float | None:
        """The share under a threshold; None while the window is empty."""
        if not self._qualities:
            return None
        return sum(quality < threshold for quality in self._qualities) / len(self._qualities)

    @property
    def drop(self) -> float | None:
        """By what share of the mean before the recent mean is lower, negative if higher; None under ten."""
        if len(self._qualities) < MIN_ANSWERS:
            return None
        newest = list(islice(reversed(self._qualities), RECENT + BEFORE))
        recent, before = _mean(newest[:RECENT]), _mean(newest[RECENT:])
        return round((before - recent) / before, _DIGITS) if before else 0.0

    @property
    def is_degrading(self) -> bool:
        """Whether the drop is more than 15%."""
        drop = self.drop
        return drop is not None and drop > MAX_DROP


def _mean(qualities: Iterable[float]) -> float:
    listed = list(qualities)
    return fsum(listed) / len(listed)


def check_quality(name: str, value: Any) -> float:
    """The value. Raises `Misuse` unless it is a number from 0 to 1."""
    number = as_number(value)
    if number is None or not 0.0 <= number <= 1.0:
        raise Misuse(f"{name}={shown(value)} is no quality: give a number from 0 to 1")
    return number
