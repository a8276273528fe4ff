"""Which lines a compressed view shows, and the markers between them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final

from coordinator.reading.marker import format_marker
from coordinator.reading.shown import ShownLines
from coordinator.reading.token_count import count_tokens
from coordinator.reading.unit import LineRange, Outline, Unit
from coordinator.reading.unit_names import can_shorten, join_names, shortened

MAX_LISTED_CHARACTERS: Final = 1_000  # of a line; a longer one is left to its marker
MAX_MARKER_CHARACTERS: Final = 120  # of names, where a marker stands for several definitions
MAX_SHORT_MARKER_CHARACTERS: Final = 40  # the same in a view that also has signatures
MAX_SHORT_IMPORTS: Final = 5  # lines; longer runs of imports become a marker
_MAX_WEIGHED_CHARACTERS: Final = 120  # a longer gap counts as dearer than its marker, unweighed


def first_lines(outline: Outline) -> ShownLines:
    """The first line of each unit."""
    return ShownLines.of((unit.signature[0], unit.signature[0]) for unit in outline.units)


def signature_lines(outline: Outline) -> ShownLines:
    """Decorators, whole signatures and first documentation lines; short imports; the first line of each block."""
    return ShownLines.of(shown for unit in outline.units for shown in _signature_of(unit))


def _signature_of(unit: Unit) -> Iterator[LineRange]:
    first, last = unit.lines
    if unit.is_definition:
        yield unit.decorated_at, unit.signature[1]
    elif unit.kind == "block":
        yield unit.signature
    elif unit.kind == "imports" and last - first < MAX_SHORT_IMPORTS:
        yield unit.lines
    if unit.summary:
        yield unit.summary


def without_long_lines(wanted: ShownLines, lines: Sequence[str]) -> ShownLines:
    """`wanted` without the lines of a minified file, one of which may cost more than all else."""
    n_lines = len(lines)
    long = [(number, number) for number, line in enumerate(lines, start=1) if len(line) > MAX_LISTED_CHARACTERS]
    return ShownLines.of([*wanted.complement(n_lines).ranges, *long]).complement(n_lines) if long else wanted


def unit_lines(outline: Outline, unit: Unit) -> ShownLines:
    """A unit whole; of a class the methods' and inner classes' bodies are left out, as they are units of their own."""
    inner = [other for other in outline.units if unit is not other and _is_inside(other, unit)]
    bodies = [(other.signature[1] + 1, other.lines[1]) for other in inner]
    first, last = unit.lines
    before = ShownLines.of([(1, first - 1)])
    return ShownLines.of([*bodies, *before.ranges]).complement(last)


def with_context(unit: Unit, lines: Sequence[str]) -> LineRange:
    """A unit's lines and the one on either side, which an edit of its first or last line quotes too."""
    first, last = unit.lines
    return first - _is_listed(lines, first - 1), last + _is_listed(lines, last + 1)


def _is_listed(lines: Sequence[str], number: int) -> bool:
    return 1 <= number <= len(lines) and len(lines[number - 1]) <= MAX_LISTED_CHARACTERS


def _is_inside(inner: Unit, outer: Unit) -> bool:
    return outer.lines[0] <= inner.lines[0] and inner.lines[1] <= outer.lines[1]


class Layout:
    """The body of a compressed view: `wanted` lines of `lines` and a marker for each gap within `span`.

    A gap that costs no more tokens than its marker is shown instead.
    """

    _max_name_characters = MAX_MARKER_CHARACTERS

    def __init__(self, lines: Sequence[str], outline: Outline, tag: str, wanted: ShownLines, span: LineRange) -> None:
        self._lines = lines
        self._tag = tag
        self._owners = outline.owners(len(lines))
        self._begins = sorted((unit.signature[0], unit.name) for unit in outline.units if unit.is_definition)
        self._shortens = can_shorten(name for _, name in self._begins)
        markers = self._markers(_gaps(wanted, span))
        self.has_markers = any(marker for _, marker in markers)
        self.shown = ShownLines.of([*wanted.ranges, *(gap for gap, marker in markers if not marker)])
        self.body = "".join(self._parts({gap: marker for gap, marker in markers if marker}))

    def _markers(self, gaps: Iterable[LineRange]) -> list[tuple[LineRange, str]]:
        """Each gap with its marker, empty where the gap is to be shown."""
        return [(gap, self._marker(*gap)) for gap in gaps]

    def _marker(self, first: int, last: int) -> str:
        marker = format_marker(self._tag, first, last, self._name(first, last))
        gap = self._lines[first - 1 : last]
        if sum(map(len, gap)) > _MAX_WEIGHED_CHARACTERS:
            return marker
        return marker if count_tokens("".join(gap)) > count_tokens(marker) else ""

    def _name(self, first: int, last: int) -> str:
        """The definition that the first omitted text belongs to, and those that begin in the gap."""
        names = dict.fromkeys([self._owner(first, last), *self._begun(first, last)])
        whole = [name for name in names if name]
        named = list(shortened(whole)) if self._shortens else whole
        lengths = list(accumulate(len(name) + 1 for name in named))
        n_named = max(1, bisect_right(lengths, self._max_name_characters))
        return join_names(named[:n_named], max(0, len(named) - n_named))

    def _owner(self, first: int, last: int) -> str:
        number = next((n for n in range(first, last + 1) if self._lines[n - 1].strip()), first)
        owner = self._owners[number]
        return owner.name if owner is not None and owner.is_definition else ""

    def _begun(self, first: int, last: int) -> list[str]:
        begun = self._begins[bisect_left(self._begins, (first,)) : bisect_right(self._begins, (last + 1,))]
        return [name for _, name in begun]

    def _parts(self, markers: dict[LineRange, str]) -> Iterator[str]:
        pieces = [*((lines, "") for lines in self.shown.ranges), *markers.items()]
        for (first, last), marker in sorted(pieces):
            yield marker or "".join(self._lines[first - 1 : last])


class OutlineLayout(Layout):
    """The body of a view of signatures: a marker does not name the definition that the line above is in."""

    def _owner(self, first: int, last: int) -> str:
        owner = super()._owner(first, last)
        above = self._owners[first - 1]
        return "" if above is not None and above.name == owner else owner


class UnitLayout(OutlineLayout):
    """The body of a view of chosen units, whose markers name a few others."""

    _max_name_characters = MAX_SHORT_MARKER_CHARACTERS


class FilterLayout(Layout):
    """The body of a view that leaves out single lines: a gap must cost more than a marker without a name.

    `weights` are the tokens of each line. They are added up, and all gaps are held against the same marker, so that
    leaving out more lines never brings one back. A marker names its unit where the gap costs more than that, too.
    """

    def __init__(
        self, lines: Sequence[str], outline: Outline, tag: str, wanted: ShownLines, weights: Iterable[int]
    ) -> None:
        self._costs = list(accumulate(weights, initial=0))
        self._least = count_tokens(format_marker(tag, len(lines), len(lines)))
        super().__init__(lines, outline, tag, wanted, (1, len(lines)))

    def _marker(self, first: int, last: int) -> str:
        cost = self._costs[last] - self._costs[first - 1]
        if cost <= self._least:
            return ""
        named = format_marker(self._tag, first, last, self._owner(first, last))
        return named if cost > count_tokens(named) else format_marker(self._tag, first, last)


def _gaps(wanted: ShownLines, span: LineRange) -> tuple[LineRange, ...]:
    first, last = span
    return ShownLines.of([*wanted.ranges, (1, first - 1)]).complement(last).ranges
