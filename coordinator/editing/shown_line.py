"""Lines that an agent was shown, as ranges: 1-based, inclusive, sorted, apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from coordinator.editing.splice import LineChange

Range = tuple[int, int]


def merged(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """The same lines in as few ranges as possible; empty ranges vanish."""
    joined: list[Range] = []
    for first, last in sorted(ranges):
        if last < first:
            continue
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return tuple(joined)


def covers(shown: Sequence[Range], first: int, last: int) -> bool:
    """Whether every line from `first` to `last` was shown. No line at all is always covered."""
    return last < first or any(start <= first and last <= end for start, end in merged(shown))


def after_edit(
    shown: Sequence[Range], *, first_line: int, n_lines_replaced: int, n_lines_new: int
) -> tuple[Range, ...]:
    """What an agent has seen of a file after its own edit: the rest moves along with the lines.

    The new lines count as shown where all replaced ones were: their agent wrote them, and saw what stood beside them.
    """
    last_line = first_line + n_lines_replaced - 1
    shift = n_lines_new - n_lines_replaced
    moved = [(start, min(end, first_line - 1)) for start, end in shown]
    moved += [(max(start, last_line + 1) + shift, end + shift) for start, end in shown]
    if covers(shown, first_line, last_line):
        moved.append((first_line, first_line + n_lines_new - 1))
    return merged(moved)


def after_edits(shown: Sequence[Range], changes: Sequence[LineChange]) -> tuple[Range, ...]:
    """The same after several changes at once, which are in the order of the old text."""
    now = tuple(shown)
    for change in reversed(changes):
        now = after_edit(
            now, first_line=change.first_line, n_lines_replaced=change.n_replaced, n_lines_new=change.n_new
        )
    return now


def written_lines(changes: Sequence[LineChange]) -> tuple[Range, ...]:
    """Where the lines that changes made stand in the new text."""
    shift, lines = 0, []
    for change in changes:
        first = change.first_line + shift
        lines.append((first, first + change.n_new - 1))
        shift += change.n_new - change.n_replaced
    return merged(lines)
