"""One stretch of a change: which lines of the file before it an edit has to quote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from coordinator.reading.line_diff import KeptLines
from coordinator.reading.unit import LineRange

N_CONTEXT_LINES = 1
"""Lines beside the changed ones that make an edit's old text unique, and show where something is inserted."""


class Hunk(NamedTuple):
    """`n_lines` lines from `first` on are replaced; with 0 of them, something is inserted after line `first`."""

    first: int
    n_lines: int

    def needed(self, n_file_lines: int) -> LineRange:
        """The old text with one line of context, as 1-based inclusive lines of a file with so many."""
        first, last = (self.first + 1, self.first) if self.n_lines == 0 else (self.first, self.first + self.n_lines - 1)
        return max(1, first - N_CONTEXT_LINES), min(n_file_lines, last + N_CONTEXT_LINES)


def hunks_between(kept: Iterable[KeptLines], n_old: int, n_new: int) -> Iterator[Hunk]:
    """The hunks that lie between the stretches that two versions of a file have in common."""
    old_next, new_next = 1, 1
    for old_first, new_first, n_kept in [*kept, (n_old + 1, n_new + 1, 0)]:
        n_old_lines, n_new_lines = old_first - old_next, new_first - new_next
        if n_old_lines:
            yield Hunk(old_next, n_old_lines)
        elif n_new_lines:
            yield Hunk(old_next - 1, 0)
        old_next, new_next = old_first + n_kept, new_first + n_kept
