"""Which lines of a file changed in its last commits, and what was said of them.

Pure: it is made from what `git log --patch --unified=0` prints, by carrying each older commit's lines through the
newer ones to where they stand now. What was deleted since stands nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from coordinator.reading.shown import ShownLines

MAX_CHANGES: Final = 50
MAX_MESSAGE_CHARACTERS: Final = 600
_HUNK: Final = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Change:
    """One commit to the file: its message, and the lines of today that it wrote, or between which it deleted some."""

    message: str
    lines: ShownLines


@dataclass(frozen=True, slots=True)
class LineHistory:
    """The changes, newest first."""

    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Patch:
    """One commit's message and its hunks: (old first, old count, new first, new count), as git numbers them."""

    message: str
    hunks: tuple[tuple[int, int, int, int], ...]

    @classmethod
    def parse(cls, message: str, text: str) -> Patch:
        """Read the hunks of a patch without context."""
        found = (tuple(1 if part is None else int(part) for part in hunk.groups()) for hunk in _HUNK.finditer(text))
        return cls(message.strip()[:MAX_MESSAGE_CHARACTERS], tuple(found))  # type: ignore[arg-type]  # four groups


def line_history(patches: Iterable[Patch], n_lines: int) -> LineHistory:
    """The history of a file that has `n_lines` after the first of `patches`, which are newest first.

    The commit that made the whole file says nothing about its parts: it, and whatever is before it, is left out.
    """
    return LineHistory(tuple(_changes(patches, n_lines)))


def _changes(patches: Iterable[Patch], n_lines: int) -> Iterator[Change]:
    now = list(range(n_lines + 1))  # the line of today for each line of the version at hand, 0 for none
    for patch in patches:
        if any(old == 0 and n_old == 0 for old, n_old, _, _ in patch.hunks) and len(now) - 1 == patch.hunks[0][3]:
            return
        touched = (number for hunk in patch.hunks for number in _touched(hunk, now))
        yield Change(patch.message, ShownLines.of((number, number) for number in touched))
        now = _before(now, patch)


def _touched(hunk: tuple[int, int, int, int], now: Sequence[int]) -> Iterator[int]:
    _, _, new, n_new = hunk
    last = new + n_new - 1 if n_new else new + 1  # a deletion lies between two lines
    yield from (number for number in now[max(1, new) : last + 1] if number)


def _before(now: Sequence[int], patch: Patch) -> list[int]:
    """The same for the version before the patch."""
    before, at = [0], 1
    for _, n_old, new, n_new in patch.hunks:
        first = new if n_new else new + 1
        before += [*now[at:first], *[0] * n_old]
        at = first + n_new
    return [*before, *now[at:]]
