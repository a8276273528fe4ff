"""Counts by UTC day: the newest thirty days apart, all before them in one rest that fades.

A reader weights a day by 0.98 to the power of its age. The rest is kept as it weighs on its last day, `through`, or a
rest that takes up a day every day would never grow old. Only whoever counts rolls days into the rest; whoever merges
takes the rest that reaches further.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Final, NamedTuple

from actors.thresholds.contribution import kept
from actors.thresholds.limit import MAX_DAY_COUNT, N_DAYS

Counts = tuple[float, ...]
NO_REST: Final = -1
_DECIMALS: Final = 3


class DailyCounts(NamedTuple):
    """`days` from day to whole counts, all of one width; `rest` is what the days up to `through` weigh on that day.

    `through` is -1 where there is no rest; then `rest` is ().
    """

    through: int
    rest: Counts
    days: Mapping[int, Counts]

    @property
    def newest_day(self) -> int:
        """The last day that is in it; -1 for none."""
        return max(self.days, default=self.through)

    def added(self, day: int, counts: Counts, *, max_count: int = MAX_DAY_COUNT) -> DailyCounts:
        """With more counts on a day; what would lie in the rest already is counted on the day after it."""
        day = max(day, self.through + 1)
        before = self.days.get(day, (0,) * len(counts))
        total = tuple([min(have + more, max_count) for have, more in zip(before, counts, strict=True)])
        return self._replace(days={**self.days, day: total})

    def due_through(self, today: int) -> int:
        """The day through which days are to be rolled into the rest; -1 while all are among the newest thirty."""
        days = sorted(self.days)
        due = [*days[:-N_DAYS], *(day for day in days if day <= today - N_DAYS)]
        return max(due, default=NO_REST)

    def rolled(self, through: int) -> DailyCounts:
        """With all days up to `through` in the rest."""
        parts = self._parts(lambda day: day <= through, through)
        return DailyCounts(
            through, as_kept(_sums(parts)), {day: counts for day, counts in self.days.items() if day > through}
        )

    def weighted(self, today: int) -> Counts:
        """The sums over all days, each weighted by its age; () for nothing."""
        return _sums(self._parts(lambda _: True, today))

    def _parts(self, chosen: Callable[[int], bool], today: int) -> list[tuple[float, Counts]]:
        parts = [(kept(today - day), counts) for day, counts in sorted(self.days.items()) if chosen(day)]
        if self.rest:
            parts.append((kept(today - self.through), self.rest))
        return parts


NO_COUNTS: Final = DailyCounts(NO_REST, (), {})


def as_kept(rest: Sequence[float]) -> Counts:
    """A rest with the digits that are kept of it, so that a bundle has room for the largest; never a minus zero."""
    return tuple([round(total, _DECIMALS) + 0.0 for total in rest])


def _sums(parts: Sequence[tuple[float, Counts]]) -> Counts:
    """The weighted sum of each column."""
    weights = [weight for weight, _ in parts]
    columns = zip(*[counts for _, counts in parts], strict=True)
    return tuple([fsum(w * n for w, n in zip(weights, column, strict=True)) for column in columns])


def merged_counts(one: DailyCounts, other: DailyCounts) -> DailyCounts:
    """The element-wise maximum a day; the further rest wins, and the days that it covers go.

    At most thirty days stay, the newest: older ones may be lost, never added to a rest that another origin owns.
    """
    further, nearer = (one, other) if one.through >= other.through else (other, one)
    rest = _larger(one.rest, other.rest) if further.through == nearer.through else further.rest
    days = [day for day in sorted({*one.days, *other.days}) if day > further.through][-N_DAYS:]
    joined = {day: _larger(one.days.get(day, ()), other.days.get(day, ())) for day in days}
    return DailyCounts(further.through, rest, joined)


def _larger(one: Counts, other: Counts) -> Counts:
    if not one or not other:
        return one or other
    return tuple([max(a, b) for a, b in zip(one, other, strict=True)])
