"""What changed between two versions of a file, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from coordinator.reading.shown import ShownLines

N_CONTEXT_LINES = 3
_NO_NEWLINE = "\n\\ No newline at end of file\n"

_Opcode = tuple[str, int, int, int, int]
KeptLines = tuple[int, int, int]  # first line in the old version, first line in the new one, how many


@dataclass(frozen=True, slots=True)
class LineDiff:
    """A unified diff without file names; `body` is empty where nothing changed.

    `shown` are the lines of the new version that the diff prints; `kept` the stretches that both versions have.
    """

    body: str
    shown: ShownLines
    kept: tuple[KeptLines, ...]


def diff_lines(old: Sequence[str], new: Sequence[str]) -> LineDiff:
    """The diff from `old` to `new`, lines with their endings; a changed line ending is a changed line."""
    matcher = SequenceMatcher(None, old, new)
    kept = tuple((a + 1, b + 1, size) for a, b, size in matcher.get_matching_blocks() if size)
    if len(old) == len(new) and list(old) == list(new):
        return LineDiff("", ShownLines(), kept)
    hunks = list(matcher.get_grouped_opcodes(N_CONTEXT_LINES))
    body = "".join(part for hunk in hunks for part in _hunk(hunk, old, new))
    return LineDiff(body, ShownLines.of((hunk[0][3] + 1, hunk[-1][4]) for hunk in hunks), kept)


def _hunk(opcodes: Sequence[_Opcode], old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    first, last = opcodes[0], opcodes[-1]
    yield f"@@ -{_span(first[1], last[2])} +{_span(first[3], last[4])} @@\n"
    for tag, old_from, old_to, new_from, new_to in opcodes:
        if tag == "equal":
            yield from _prefixed(" ", old[old_from:old_to])
        else:
            yield from _prefixed("-", old[old_from:old_to])
            yield from _prefixed("+", new[new_from:new_to])


def _span(start: int, stop: int) -> str:
    """`first,count`, as in every unified diff: an empty stretch is named by the line before it."""
    return f"{start + 1 if stop > start else start},{stop - start}"


def _prefixed(prefix: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield f"{prefix}{line}" if line.endswith(("\n", "\r")) else f"{prefix}{line}{_NO_NEWLINE}"
