"""The units of a file without a grammar: blocks by blank lines and indentation.

A block starts at a line that follows a blank one and is indented least. A block of more than `MAX_BLOCK_LINES` is cut
before the least indented line that keeps the pieces in bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from coordinator.reading.unit import Outline, Unit, unit_by_lines

MAX_BLOCK_LINES: Final = 60
_MIN_BLOCK_LINES: Final = 20  # of the pieces of a block that is too long
_TAB_COLUMNS: Final = 4


def block_outline(lines: Sequence[str], fallback: str) -> Outline:
    """The blocks of `lines`; `fallback` says why there is nothing better."""
    indents = [indent_of(line) for line in lines]
    units: list[Unit] = []
    for first, last in _blocks(indents):
        pieces = cut_long(indents, first, last, _MIN_BLOCK_LINES, MAX_BLOCK_LINES)
        units += (unit_by_lines("block", *piece) for piece in pieces)
    return Outline(tuple(units), fallback)


def cut_lines(lines: Sequence[str], first: int, last: int) -> Iterator[tuple[int, int]]:
    """Lines `first`..`last` in pieces of at most `MAX_BLOCK_LINES`; one of fewer lines stays as it is."""
    if last - first < MAX_BLOCK_LINES:
        yield first, last
    else:
        indents = [indent_of(line) for line in lines[first - 1 : last]]
        pieces = cut_long(indents, 1, last - first + 1, _MIN_BLOCK_LINES, MAX_BLOCK_LINES)
        yield from ((first - 1 + start, first - 1 + end) for start, end in pieces)


def indent_of(line: str) -> int | None:
    """Columns of white space before the text; None for a blank line."""
    text = line.lstrip()
    if not text:
        return None
    lead = line[: len(line) - len(text)]
    return len(lead) + (_TAB_COLUMNS - 1) * lead.count("\t")


def _blocks(indents: Sequence[int | None]) -> Iterator[tuple[int, int]]:
    least = min((indent for indent in indents if indent is not None), default=0)
    first = last = 0
    for number, indent in enumerate(indents, start=1):
        if indent is None:
            continue
        if first and number > last + 1 and indent == least:
            yield first, last
            first = number
        first, last = first or number, number
    if first:
        yield first, last


def cut_long(
    indents: Sequence[int | None], first: int, last: int, min_lines: int, max_lines: int
) -> Iterator[tuple[int, int]]:
    """Cut `first`..`last` where it is longer than `max_lines`; pieces neither begin nor end with a blank line.

    Neither may `first` and `last` be blank. All but the last piece have `min_lines` or more, with the blank ones after.
    """
    while last - first + 1 > max_lines:
        cut = _cut(indents, first + min_lines, first + max_lines)
        yield first, _last_text(indents, cut - 1)
        first = cut
    yield first, last


def _cut(indents: Sequence[int | None], earliest: int, latest: int) -> int:
    """The line to cut before: the least indented, after a blank line if possible, the latest of several."""
    candidates = [number for number in range(earliest, latest + 1) if indents[number - 1] is not None]
    if not candidates:  # only blank lines in reach: cut at the next text
        return next(number for number in range(latest + 1, len(indents) + 1) if indents[number - 1] is not None)
    return min(candidates, key=lambda number: (indents[number - 1], indents[number - 2] is not None, -number))


def _last_text(indents: Sequence[int | None], number: int) -> int:
    while indents[number - 1] is None:
        number -= 1
    return number
