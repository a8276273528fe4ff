"""What changed between two versions of a text, in few lines."""

from __future__ import annotations

from difflib import unified_diff
from typing import Final

from coordinator.editing.text_line import n_alike_at_head, n_alike_at_tail, split_lines

MAX_DIFF_LINES: Final = 80
MAX_LINE_CHARS: Final = 400
_MAX_COMPARED_LINES: Final = 1000
_N_CONTEXT: Final = 2


def short_diff(before: str, after: str, *, max_lines: int = MAX_DIFF_LINES) -> str:
    """A unified diff of at most `max_lines` lines, and how many more there are; empty for equal texts.

    Where more than 1,000 lines lie between the first and the last difference, only their place is given.
    """
    old, new = split_lines(before), split_lines(after)
    if old == new:
        return ""
    n_head = n_alike_at_head(old, new)
    n_tail = n_alike_at_tail(old, new, n_head)
    if max(len(old), len(new)) - n_head - n_tail > _MAX_COMPARED_LINES:
        became = f"lines {n_head + 1}-{len(old) - n_tail} became lines {n_head + 1}-{len(new) - n_tail}"
        return f"{became}: too much for a diff\n"
    return _cut(_diff(old, new, n_head, n_tail), max_lines)


def _diff(old: list[str], new: list[str], n_head: int, n_tail: int) -> list[str]:
    """The diff of what differs and a few lines around it, numbered as in the whole files."""
    start = max(0, n_head - _N_CONTEXT)
    n_left = max(0, n_tail - _N_CONTEXT)
    body = unified_diff(old[start : len(old) - n_left], new[start : len(new) - n_left], n=_N_CONTEXT)
    return [_renumbered(line, start) if line.startswith("@@") else line for line in list(body)[2:]]


def _renumbered(header: str, n_before: int) -> str:
    """`@@ -1,4 +1,5 @@` with `n_before` lines added to both starts."""
    _, old, new, *_ = header.split()
    return f"@@ -{_shifted(old[1:], n_before)} +{_shifted(new[1:], n_before)} @@\n"


def _shifted(span: str, n_before: int) -> str:
    first, comma, length = span.partition(",")
    return f"{int(first) + n_before}{comma}{length}"


def _cut(lines: list[str], max_lines: int) -> str:
    shown = [_one_line(line) for line in lines[:max_lines]]
    if len(lines) > max_lines:
        shown.append(f"({len(lines) - max_lines} more lines of this diff)\n")
    return "".join(shown)


def _one_line(line: str) -> str:
    text = line.rstrip("\r\n")
    return (text if len(text) <= MAX_LINE_CHARS else text[:MAX_LINE_CHARS] + "...") + "\n"
