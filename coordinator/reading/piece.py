"""The stretches of a file that `units` shows or leaves out as a whole.

A unit is one piece, its class's head is another, and a long unit is cut at its least indented lines: an edit quotes
contiguous text, and seldom more than a few lines of it. Pieces tile the file; blank lines end the piece before them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Final

from coordinator.reading.block_units import cut_long, indent_of
from coordinator.reading.unit import LineRange, Outline, Unit

MAX_PIECE_LINES: Final = 24
MIN_PIECE_LINES: Final = 10


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines `lines`, 1-based and inclusive, of `unit`; None for what lies between units."""

    lines: LineRange
    unit: Unit | None

    @property
    def name(self) -> str:
        """The definition's name; empty where the source gave none."""
        return self.unit.name if self.unit is not None and self.unit.is_definition else ""


def cut_pieces(
    lines: Sequence[str], outline: Outline, *, min_lines: int = MIN_PIECE_LINES, max_lines: int = MAX_PIECE_LINES
) -> tuple[Piece, ...]:
    """The pieces of `lines`, in order; none of an empty file. Longer units are cut to `min_lines` to `max_lines`."""
    owners = outline.owners(len(lines))
    indents = [indent_of(line) for line in lines]
    starts = [start for run in _runs(owners, indents) for start in _starts(indents, run, min_lines, max_lines)]
    owned = (next((n for n in range(start, len(lines)) if indents[n - 1] is not None), start) for start in starts)
    spans = pairwise([*starts, len(lines) + 1])
    return tuple(Piece((first, after - 1), owners[own]) for (first, after), own in zip(spans, owned, strict=True))


def _runs(owners: Sequence[Unit | None], indents: Sequence[int | None]) -> Iterator[LineRange]:
    """Lines with one owner after another; blank ones end a run, and lead only the first."""
    first = 1
    before: int | None = None  # the last line with text
    for number, indent in enumerate(indents, start=1):
        if indent is None:
            continue
        if before is not None and owners[number] is not owners[before]:
            yield first, number - 1
            first = number
        before = number
    if indents:
        yield first, len(indents)


def _starts(indents: Sequence[int | None], run: LineRange, min_lines: int, max_lines: int) -> Iterator[int]:
    """Where the pieces of a run begin."""
    first, last = run
    yield first
    said = [number for number in range(first, last + 1) if indents[number - 1] is not None]
    if said:
        pieces = cut_long(indents, said[0], said[-1], min_lines, max_lines)
        yield from (start for start, _ in islice(pieces, 1, None))
