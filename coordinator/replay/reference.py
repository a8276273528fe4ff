"""What any choice of whole pieces could show within a budget, and what the plainest choice of stretches does.

The *perfect* ranker chooses among the pieces that the mode `units` chooses among, but knows the hunks: it takes what
they need, those that add the fewest tokens first, and signatures give way to it altogether. It is greedy, so a little
may be left undone. The *naive* one shows all signatures, as a view of them does, and then the stretches of 40 lines at
most of one unit that answer the query best by BM25 and, with vectors, by cosine, over the square root of their tokens.
All that is printed counts.

The *naive map* is what tools without markers give: a line for each definition, where it is and how it begins. From it
an agent that knows where to edit buys the smallest definition that holds the place, whole, or the place alone where
none does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from math import sqrt
from typing import TYPE_CHECKING, Final, NamedTuple

from actors.quality_store.source import EXPLICIT
from coordinator.reading.bm25 import bm25
from coordinator.reading.entropy import line_tokens
from coordinator.reading.header import Header
from coordinator.reading.layout import Layout, signature_lines
from coordinator.reading.marker import marker_tag
from coordinator.reading.piece import cut_pieces
from coordinator.reading.query import Query, split_words
from coordinator.reading.shown import ShownLines
from coordinator.reading.token_count import count_file_tokens, count_tokens
from coordinator.reading.unit import LineRange, Unit
from coordinator.replay.agent import Replayed

if TYPE_CHECKING:
    from coordinator.reading.redundancy import VectorsOf

PERFECT: Final = "perfect"
NAIVE: Final = "naive"
NAIVE_MAP: Final = "naive_map"
MAX_STRETCH_LINES: Final = 40
_MODE: Final = "units"
_DECIMALS: Final = 6  # a platform's last bit must not order stretches


class Printed:
    """What a view of some lines prints, and which lines it shows."""

    def __init__(self, replayed: Replayed, wanted: ShownLines) -> None:
        tag = marker_tag(replayed.source)
        layout = Layout(replayed.lines, replayed.outline, tag, wanted, (1, len(replayed.lines)))
        total = count_file_tokens(replayed.source.text)
        header = Header(tag, _MODE, EXPLICIT, total, has_markers=layout.has_markers)
        self.shown = layout.shown
        self.tokens = header.settle(layout.body, count_tokens(layout.body))[1]


class Bought(NamedTuple):
    """A naive map and the parts that were bought from it: the lines that are shown then, and all that was printed."""

    shown: ShownLines
    tokens: int


class References:
    """Both rankers on one file, within `budget` tokens; and the naive map, which keeps to none."""

    def __init__(self, replayed: Replayed, budget: int, vectors_of: VectorsOf | None = None) -> None:
        self._replayed = replayed
        self._budget = budget
        self._vectors_of = vectors_of

    def perfect(self, needed: Sequence[LineRange]) -> Printed:
        """As many of the places as fit."""
        wanted = ShownLines()
        best = Printed(self._replayed, wanted)
        for places in sorted((self._around(lines) for lines in needed), key=self._tokens):
            more = wanted.union(places)
            if self._tokens(more) > self._budget:
                continue
            printed = Printed(self._replayed, more)
            if printed.tokens <= self._budget:
                wanted, best = more, printed
        return best

    def naive(self, query: str) -> Printed:
        """All signatures, and as many of the best stretches as fit beside them."""
        ranked = self._ranked(query)
        low, high = 0, len(ranked)
        while low < high:
            middle = (low + high + 1) // 2
            if self._with_signatures(ranked[:middle]).tokens <= self._budget:
                low = middle
            else:
                high = middle - 1
        return self._with_signatures(ranked[:low])

    def naive_map(self, needed: Sequence[LineRange]) -> Bought:
        """The map, and whatever it takes to see all places; no header counts."""
        lines = self._replayed.lines
        listed = "".join(
            f"{unit.lines[0]}-{unit.lines[1]} {lines[unit.signature[0] - 1].strip()}\n" for unit in self._definitions
        )
        shown = ShownLines.of(self._smallest(place) for place in needed)
        parts = ("".join(lines[first - 1 : last]) for first, last in shown.ranges)
        return Bought(shown, count_tokens(listed) + sum(map(count_tokens, parts)))

    def _smallest(self, place: LineRange) -> LineRange:
        """The lines of the smallest definition that holds the place, or its own."""
        first, last = place
        around = (unit.lines for unit in self._definitions if unit.lines[0] <= first and last <= unit.lines[1])
        return min(around, key=lambda lines: lines[1] - lines[0], default=place)

    @cached_property
    def _definitions(self) -> list[Unit]:
        return [unit for unit in self._replayed.outline.units if unit.is_definition]

    def _with_signatures(self, stretches: Sequence[LineRange]) -> Printed:
        return Printed(self._replayed, signature_lines(self._replayed.outline).union(ShownLines.of(stretches)))

    def _ranked(self, query: str) -> list[LineRange]:
        texts = ["".join(self._replayed.lines[first - 1 : last]) for first, last in self._stretches]
        scores = _answers(query, texts, self._vectors_of)
        sizes = [self._tokens(ShownLines.of([lines])) for lines in self._stretches]
        order = sorted(range(len(texts)), key=lambda place: (-scores[place] / sqrt(sizes[place] + 1), place))
        return [self._stretches[place] for place in order]

    def _around(self, needed: LineRange) -> ShownLines:
        """The whole pieces that hold a place."""
        first, last = needed
        return ShownLines.of(lines for lines in self._pieces if lines[0] <= last and first <= lines[1])

    @cached_property
    def _pieces(self) -> list[LineRange]:
        return [piece.lines for piece in cut_pieces(self._replayed.lines, self._replayed.outline)]

    def _tokens(self, lines: ShownLines) -> int:
        """Those of some lines, each counted for itself."""
        return sum(self._costs[last] - self._costs[first - 1] for first, last in lines.ranges)

    @cached_property
    def _costs(self) -> list[int]:
        return list(accumulate((line_tokens(line) for line in self._replayed.lines), initial=0))

    @cached_property
    def _stretches(self) -> list[LineRange]:
        """They tile the file; a line that belongs to no unit goes with the one before it."""
        starts: list[int] = []
        owner = None
        for number, found in enumerate(self._replayed.owners[1:], start=1):
            is_other = found is not None and found is not owner
            if not starts or is_other or number - starts[-1] == MAX_STRETCH_LINES:
                starts.append(number)
            owner = found or owner
        return [(first, after - 1) for first, after in pairwise([*starts, len(self._replayed.lines) + 1])]


def _answers(query: str, texts: Sequence[str], vectors_of: VectorsOf | None) -> list[float]:
    """How well each text answers: the best by BM25 has 1.0, and the cosine comes on top; 0.0 without a query."""
    if not query:
        return [0.0] * len(texts)
    said = bm25(Query(query).words, [Counter(split_words(text)) for text in texts])
    most = max(said, default=0.0) or 1.0
    meant = _cosines(query, texts, vectors_of) if vectors_of is not None else [0.0] * len(texts)
    return [score / most + cosine for score, cosine in zip(said, meant, strict=True)]


def _cosines(query: str, texts: Sequence[str], vectors_of: VectorsOf) -> list[float]:
    vectors = vectors_of([query, *texts])
    return [0.0] * len(texts) if vectors is None else [round(float(one), _DECIMALS) for one in vectors[1:] @ vectors[0]]
