"""How often reads of one kind of file bounce, with what is long ago weighing less."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from actors.quality_store.daily_pair import DailyPair


@dataclass(slots=True)
class ReadCounts(DailyPair):
    """Reads and bounces of one extension, by day and in all."""

    n_reads: int = 0
    n_bounces: int = 0

    def add(self, day: int, n_reads: int, n_bounces: int) -> None:
        """Count on a day."""
        self.count(day, n_reads, n_bounces)
        self.n_reads += n_reads
        self.n_bounces += n_bounces


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
