"""Several replacements written into one text at once, and which lines they touch. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from coordinator.editing.match import Place, written_in_place
from coordinator.editing.text_line import LINE_ENDING, count_lines


@dataclass(frozen=True, slots=True)
class Splice:
    """`new` goes to `place`, where `old` stands; `number` tells it from the others of its call."""

    number: int
    place: Place
    old: str
    new: str


class LineChange(NamedTuple):
    """`n_replaced` lines of the old text, from `first_line` (1-based) on, become `n_new` lines of the new one."""

    first_line: int
    n_replaced: int
    n_new: int


class _Stretch(NamedTuple):
    """Whole lines of the old text, as offsets, and what they become."""

    start: int
    end: int
    splices: tuple[tuple[Place, str], ...]


def first_clash(splices: Sequence[Splice]) -> tuple[Splice, Splice] | None:
    """The first two splices whose places overlap, in the order of the text."""
    ordered = _in_order(splices)
    return next(((one, other) for one, other in pairwise(ordered) if other.place.start < one.place.end), None)


def spliced(text: str, splices: Sequence[Splice], *, newline: str) -> tuple[str, tuple[LineChange, ...]]:
    """The new text, and its changes in order, no line in two of them. The places must not overlap."""
    parts: list[str] = []
    changes: list[LineChange] = []
    at = n_lines = 0
    for stretch in _stretches(text, _in_order(splices), newline):
        kept, written = text[at : stretch.start], _written(text, stretch)
        n_lines += count_lines(kept)
        change = LineChange(n_lines + 1, count_lines(text[stretch.start : stretch.end]), count_lines(written))
        n_lines += change.n_replaced
        at = stretch.end
        parts += [kept, written]
        changes.append(change)
    return "".join([*parts, text[at:]]), tuple(changes)


def _in_order(splices: Sequence[Splice]) -> list[Splice]:
    return sorted(splices, key=lambda splice: (splice.place.start, splice.number))


def _stretches(text: str, ordered: Sequence[Splice], newline: str) -> Iterator[_Stretch]:
    """The lines that the splices touch; those that share a line are one stretch."""
    open_stretch: _Stretch | None = None
    for splice in ordered:
        written = written_in_place(text, splice.place, old=splice.old, new=splice.new, newline=newline)
        start, end = _lines_around(text, splice.place, written)
        here = (splice.place, written)
        if open_stretch is not None and start < open_stretch.end:
            open_stretch = _Stretch(open_stretch.start, max(end, open_stretch.end), (*open_stretch.splices, here))
            continue
        if open_stretch is not None:
            yield open_stretch
        open_stretch = _Stretch(start, end, (here,))
    if open_stretch is not None:
        yield open_stretch


def _lines_around(text: str, place: Place, written: str) -> tuple[int, int]:
    """Offsets of the whole lines that change: one more than the place has if the next is joined to what is left."""
    start = 1 + max(text.rfind("\n", 0, place.start), text.rfind("\r", 0, place.start))
    leaves_open = place.start != start if not written else written[-1] not in "\r\n"
    if text[place.end - 1] in "\r\n" and not leaves_open:
        return start, place.end
    ending = LINE_ENDING.search(text, place.end)
    return start, len(text) if ending is None else ending.end()


def _written(text: str, stretch: _Stretch) -> str:
    parts: list[str] = []
    at = stretch.start
    for place, written in stretch.splices:
        parts += [text[at : place.start], written]
        at = place.end
    return "".join([*parts, text[at : stretch.end]])
