"""How much of what is placed goes to the beginning, learned from what clients missed where.

Language models use what stands at the beginning and at the end of a long context better than what stands between
("Lost in the Middle", Liu et al. 2023). How much better at which end depends on the client, so it is measured: an item
that the client asked for again, although it had been placed, was missed there.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from typing import Final, NamedTuple

from actors.runtime.errors import Misuse
from actors.thresholds.daily_count import DailyCounts

BEGIN: Final = "begin"
END: Final = "end"
POSITIONS: Final = (BEGIN, END)
DEFAULT_SHARE: Final = 0.7
BELOW_SLOPE: Final = 0.7
ABOVE_SLOPE: Final = 0.3
WIDTH: Final = 4
_DECIMALS: Final = 6


class Observed(NamedTuple):
    """Hits and misses by position, as far as they still count: older ones count less, so they are no whole numbers."""

    begin_hits: float
    begin_misses: float
    end_hits: float
    end_misses: float

    @property
    def n(self) -> float:
        """All of them."""
        return round(fsum(self), _DECIMALS)

    @property
    def begin_rate(self) -> float:
        """The rate of hits at the beginning, Laplace-smoothed: one half for no observation."""
        return _smoothed(self.begin_hits, self.begin_misses)

    @property
    def end_rate(self) -> float:
        """The same at the end."""
        return _smoothed(self.end_hits, self.end_misses)

    def share(self, min_observations: int) -> float:
        """The share of the budget for the beginning, 0.35 to 0.85; 0.7 with too few observations."""
        if self.n < min_observations:
            return DEFAULT_SHARE
        lead = self.begin_rate / (self.begin_rate + self.end_rate) - 0.5
        return DEFAULT_SHARE + lead * (BELOW_SLOPE if lead < 0 else ABOVE_SLOPE)


NOTHING_OBSERVED: Final = Observed(0.0, 0.0, 0.0, 0.0)


def _smoothed(hits: float, misses: float) -> float:
    return (hits + 1.0) / (hits + misses + 2.0)


def observed(origins: Iterable[DailyCounts], today: int) -> Observed:
    """What all origins have seen of one profile, each day weighted by its age."""
    parts = [counts.weighted(today) for counts in origins]
    return Observed._make(
        fsum(column) for column in zip(*[part for part in parts if part], (0.0,) * WIDTH, strict=True)
    )


def counts_of(position: str, n_hits: int, n_misses: int) -> tuple[int, int, int, int]:
    """Hits and misses as they are counted. Raises `Misuse` for a position that does not exist."""
    if position not in POSITIONS:
        raise Misuse(f"unknown position {position[:80]!r}: give one of {', '.join(POSITIONS)}")
    return (n_hits, n_misses, 0, 0) if position == BEGIN else (0, 0, n_hits, n_misses)
