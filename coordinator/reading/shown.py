"""Which lines of a file an agent has seen."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from coordinator.reading.unit import LineRange


@dataclass(frozen=True, slots=True)
class ShownLines:
    """A set of lines: `ranges` are 1-based, inclusive, sorted, and neither overlap nor touch."""

    ranges: tuple[LineRange, ...] = ()

    @classmethod
    def of(cls, ranges: Iterable[LineRange]) -> ShownLines:
        """The union of `ranges`, in any order; a range that ends before it starts is empty."""
        merged: list[LineRange] = []
        for first, last in sorted(pair for pair in ranges if pair[0] <= pair[1]):
            if merged and first <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(merged[-1][1], last))
            else:
                merged.append((first, last))
        return cls(tuple(merged))

    @classmethod
    def up_to(cls, n_lines: int) -> ShownLines:
        """All lines of a file that has `n_lines`."""
        return cls.of([(1, n_lines)])

    @classmethod
    def from_plain(cls, plain: Iterable[Sequence[int]]) -> ShownLines:
        """Rebuild from `to_plain`; also takes ranges that overlap."""
        return cls.of((int(first), int(last)) for first, last in plain)

    def to_plain(self) -> list[list[int]]:
        """The ranges as lists, for JSON and msgpack."""
        return [[first, last] for first, last in self.ranges]

    def union(self, other: ShownLines) -> ShownLines:
        """The lines in either."""
        return ShownLines.of(self.ranges + other.ranges)

    def contains(self, first: int, last: int) -> bool:
        """Whether every line of `first`..`last` is in the set; an empty range always is."""
        return first > last or any(low <= first and last <= high for low, high in self.ranges)

    def complement(self, n_lines: int) -> ShownLines:
        """The lines of 1..`n_lines` that are not in the set."""
        gaps: list[LineRange] = []
        next_line = 1
        for first, last in self.ranges:
            gaps.append((next_line, min(first - 1, n_lines)))
            next_line = last + 1
        gaps.append((next_line, n_lines))
        return ShownLines.of(gaps)

    def carried(self, kept: Iterable[tuple[int, int, int]]) -> ShownLines:
        """The same lines after a change that kept stretches (old first line, new first line, number of lines)."""
        ends = [last for _, last in self.ranges]
        moved: list[LineRange] = []
        for old_first, new_first, n_kept in kept:
            old_last = old_first + n_kept - 1
            for first, last in self.ranges[bisect_left(ends, old_first) :]:
                if first > old_last:
                    break
                low, high = max(first, old_first), min(last, old_last)
                moved.append((low - old_first + new_first, high - old_first + new_first))
        return ShownLines.of(moved)

    @property
    def n_lines(self) -> int:
        """How many lines are in the set."""
        return sum(last - first + 1 for first, last in self.ranges)
