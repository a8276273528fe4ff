"""How often reads of one kind of file bounce, with what is long ago weighing less.

Counts are kept by UTC day: the newest 30 days apart, older ones in one sum. A reader weights a day by 0.98 to the power
of its age in days, and the sum as its newest day.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

DAYS_APART: Final = 30
DAILY_WEIGHT: Final = 0.98


@dataclass(slots=True)
class ReadCounts:
    """Reads and bounces of one extension: by day, in the rest (as of its newest day), and in all."""

    days: dict[int, list[int]] = field(default_factory=dict)
    rest_day: int = 0
    rest: list[int] = field(default_factory=lambda: [0, 0])
    n_reads: int = 0
    n_bounces: int = 0

    def add(self, day: int, n_reads: int, n_bounces: int) -> None:
        """Count on a day."""
        counts = self.days.get(day) or self._place(day)
        counts[0] += n_reads
        counts[1] += n_bounces
        self.n_reads += n_reads
        self.n_bounces += n_bounces

    def _place(self, day: int) -> list[int]:
        """Where a day is counted that has no place of its own yet; a new one sends the oldest to the rest."""
        if day <= max(self.days, default=day) - DAYS_APART:
            self.rest_day = max(self.rest_day, day)
            return self.rest
        for old in sorted(old for old in self.days if old <= day - DAYS_APART):
            self.rest_day = max(self.rest_day, old)
            self.rest[0] += self.days[old][0]
            self.rest[1] += self.days[old][1]
            del self.days[old]
        return self.days.setdefault(day, [0, 0])

    def weighted(self, today: int) -> tuple[float, float]:
        """Reads and bounces, each day's weighted by its age."""
        parts = [*self.days.items(), (self.rest_day, self.rest)]
        weights = [DAILY_WEIGHT ** max(0, today - day) for day, _ in parts]
        n_reads = sum(weight * counts[0] for weight, (_, counts) in zip(weights, parts, strict=True))
        n_bounces = sum(weight * counts[1] for weight, (_, counts) in zip(weights, parts, strict=True))
        return n_reads, n_bounces


NO_READS: Final = ReadCounts()


def rate_of(n_reads: float, n_bounces: float) -> float:
    """Bounces as a share of reads; 0.0 while there are none."""
    return n_bounces / n_reads if n_reads else 0.0


class BounceRates:
    """The counts of all extensions, the one not read for longest first. A name without an extension is not counted."""

    def __init__(self) -> None:
        self._counts: dict[str, ReadCounts] = {}

    def __len__(self) -> int:
        return len(self._counts)

    def counts(self, extension: str) -> ReadCounts:
        """The extension's counts, to look at."""
        return self._counts.get(extension, NO_READS)

    def rate(self, extension: str, today: int) -> float:
        """The share of reads that bounced, 0 to 1, weighted by age."""
        return rate_of(*self.counts(extension).weighted(today))

    def means_full(self, extension: str, today: int, *, min_reads: int, full_rate: float) -> bool:
        """Whether files of this kind bounce so often that they are better read in full."""
        counts = self.counts(extension)
        return counts.n_bounces > 0 and counts.n_reads >= min_reads and self.rate(extension, today) >= full_rate

    def items(self) -> Iterator[tuple[str, ReadCounts]]:
        """All extensions by name, and their counts."""
        return iter(sorted(self._counts.items()))

    def first_out(self) -> str:
        """The extension to forget."""
        return next(iter(self._counts))

    def read(self, extension: str, day: int, n_bounces: int) -> None:
        """Count one read, and what it bounced."""
        if extension:
            counts = self._counts.pop(extension, None) or ReadCounts()
            self._counts[extension] = counts
            counts.add(day, 1, n_bounces)

    def forget(self, extension: str) -> None:
        """Forget an extension."""
        del self._counts[extension]

    def rows(self) -> Iterator[list[Any]]:
        """The state, in order."""
        for extension, counts in self._counts.items():
            days = [[day, *counts.days[day]] for day in sorted(counts.days)]
            yield [extension, counts.rest_day, *counts.rest, days]

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        extension, rest_day, n_reads, n_bounces, days = row
        by_day = {day: [reads, bounces] for day, reads, bounces in days}
        n_all = [n + sum(counts[i] for counts in by_day.values()) for i, n in enumerate((n_reads, n_bounces))]
        self._counts[extension] = ReadCounts(by_day, rest_day, [n_reads, n_bounces], *n_all)
