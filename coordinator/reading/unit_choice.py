"""Which lines of a file `units` shows: whole pieces that an edit will most likely need, and the signatures around them.

Pieces are ranked by a linear score of a few named signals. Most of the budget goes to the best pieces, the rest to the
signatures of what is left out, those of the best units first; what remains then goes to pieces again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from actors.thresholds.ranking import DEFAULT_WEIGHTS, SIGNALS
from coordinator.reading.budget import Budget, check_budget
from coordinator.reading.marker import format_marker
from coordinator.reading.packing import Packing
from coordinator.reading.query import Query
from coordinator.reading.redundancy import redundant_lines
from coordinator.reading.shown import ShownLines
from coordinator.reading.token_count import count_tokens
from coordinator.reading.unit import LineRange
from coordinator.reading.unit_signal import Evidence, signals_of

if TYPE_CHECKING:
    from coordinator.reading.cut_file import CutFile
    from coordinator.reading.line_history import LineHistory
    from coordinator.reading.redundancy import Vectors, VectorsOf

PIECE_SHARE: Final = 0.95
"""Of the budget, for the best pieces; signatures take the rest."""
N_CONTEXT_LINES: Final = 1
MAX_COMPARED_PIECES: Final = 2_000
"""Of a larger file the pieces are not compared by meaning."""


@dataclass(frozen=True, slots=True)
class UnitWish:
    """What to choose units by.

    `budget` as in `budget.Budget`, of all that is printed; `weights` by signal, the defaults where nothing was learned.
    `vectors_of` as in `redundancy.redundant_lines`. `history` is the file's own.
    """

    query: Query | None = None
    budget: Budget | None = None
    weights: Mapping[str, float] = field(default_factory=lambda: DEFAULT_WEIGHTS)
    history: LineHistory | None = None
    vectors_of: VectorsOf | None = None

    def __post_init__(self) -> None:
        check_budget(self.budget)


class UnitChoice:
    """The pieces of one file, ranked for one wish; `vectors` are those of `piece_vectors`."""

    def __init__(self, cut: CutFile, wish: UnitWish, vectors: Vectors | None = None) -> None:
        self._cut = cut
        self.pieces = cut.pieces
        self.rows = signals_of(cut, Evidence(wish.query, wish.history, vectors))
        self.scores = [score(row, wish.weights) for row in self.rows]
        self._ranked = sorted(range(len(self.pieces)), key=lambda place: (-self.scores[place], place))
        redundant = self._redundant(vectors)
        self.n_redundant = len(redundant)
        self._wanted = [self._with_context(place) for place in self._ranked if place not in redundant]
        self._signatures = self._ranked_signatures()

    def within(self, limit: int, *, base_tokens: int, tag: str) -> ShownLines:
        """The lines to show if all that is printed may cost about `limit`, and a view without lines `base_tokens`."""
        packing = Packing(self._cut.weights, marker_tokens=self._marker_tokens(tag), base_tokens=base_tokens)
        _add(packing, self._wanted, base_tokens + int(PIECE_SHARE * (limit - base_tokens)))
        _add(packing, self._signatures, limit)
        _add(packing, self._wanted, limit)
        return packing.shown

    def _with_context(self, place: int) -> LineRange:
        """A piece and the line on either side of it: an edit of its first or last line quotes them too."""
        first, last = self.pieces[place].lines
        return max(1, first - N_CONTEXT_LINES), min(self._cut.n_lines, last + N_CONTEXT_LINES)

    def _redundant(self, vectors: Vectors | None) -> frozenset[int]:
        """The places of pieces that say what a piece of a higher rank says."""
        if vectors is None:
            return frozenset()
        rows = vectors[1:][self._ranked]
        found = redundant_lines([self._cut.texts[place] for place in self._ranked], lambda _: rows, self._cut.extension)
        return frozenset(self._ranked[rank] for rank in found)

    def _ranked_signatures(self) -> list[LineRange]:
        """The signatures of all definitions, those with the best pieces first; the first line of other units."""
        best: dict[str, float] = {}
        for place in self._ranked:
            unit = self.pieces[place].unit
            if unit is not None:
                best.setdefault(unit.name, self.scores[place])
        units = [unit for unit in self._cut.outline.units if unit.is_definition] or list(self._cut.outline.units)
        units.sort(key=lambda unit: (-best.get(unit.name, float("-inf")), unit.lines))
        return [(unit.decorated_at, unit.signature[1]) for unit in units]

    def _marker_tokens(self, tag: str) -> int:
        """What a marker with a name of middling length costs."""
        n_lines = self._cut.n_lines
        return count_tokens(format_marker(tag, n_lines, n_lines, self._cut.middling_name))


def piece_vectors(cut: CutFile, wish: UnitWish) -> Vectors | None:
    """Of the query and then of each piece under its name; None where there is no query or no model."""
    if wish.vectors_of is None or wish.query is None or len(cut.pieces) > MAX_COMPARED_PIECES:
        return None
    named = (f"{piece.name}\n{text}" for piece, text in zip(cut.pieces, cut.texts, strict=True))
    return wish.vectors_of([wish.query.text, *named])


def score(row: Sequence[float], weights: Mapping[str, float]) -> float:
    """How much speaks for a piece: the weighted sum of its signals; a signal without a weight has its default."""
    return sum(weights.get(name, DEFAULT_WEIGHTS[name]) * number for name, number in zip(SIGNALS, row, strict=True))


def _add(packing: Packing, ranked: Sequence[LineRange], limit: int) -> None:
    """Add what fits, best first; a smaller one may fit where a better one did not."""
    for lines in ranked:
        packing.try_add(lines, limit)
