"""One change held against every mode: what was shown of each hunk, at how many tokens, and what the edits cost then."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from actors.quality_store.path import extension_of, label_of
from actors.quality_store.source import EXPLICIT
from coordinator.reading.cut_file import cut_file
from coordinator.reading.grammar import outline_of
from coordinator.reading.line_history import line_history
from coordinator.reading.mode import Mode
from coordinator.reading.query import Query
from coordinator.reading.render import render
from coordinator.reading.shown import ShownLines
from coordinator.reading.sieve import LineFilter
from coordinator.reading.source import decode
from coordinator.reading.token_count import count_file_tokens
from coordinator.reading.unit import LineRange
from coordinator.reading.unit_choice import UnitChoice, UnitWish, piece_vectors
from coordinator.reading.view import View
from coordinator.replay.agent import Replayed, edit_all
from coordinator.replay.change import Change
from coordinator.replay.question import Question
from coordinator.replay.ranking_fit import RankingSums, ranking_sums
from coordinator.replay.reference import NAIVE, NAIVE_MAP, PERFECT, Bought, Printed, References

if TYPE_CHECKING:
    from coordinator.reading.redundancy import VectorsOf

_QUERIED: Final = frozenset({"entropy", "units"})
"""Modes that show something else for another query."""


class Shown(NamedTuple):
    """What a view of one file was worth: hunks wholly shown, tokens printed, and the agent's `Paid` on top."""

    n_shown: int
    view_tokens: int
    n_by_parts: int = 0
    n_failed: int = 0
    extra_tokens: int = 0
    extra_printed: int = 0

    @property
    def cost_tokens(self) -> int:
        """The view and what was paid on top of it."""
        return self.view_tokens + self.extra_tokens


class Trial(NamedTuple):
    """A change, and for each kind of query what every mode was worth, and what the rankers of `reference` were.

    `ranking` is what it says, under the first kind of query, of the weights of pieces.
    """

    at: int
    extension: str
    n_lines: int
    total_tokens: int
    n_hunks: int
    by_kind: Mapping[str, Mapping[str, Shown]]
    references: Mapping[str, Mapping[str, Shown]]
    ranking: RankingSums = RankingSums()


def try_change(change: Change, question: Question, vectors_of: VectorsOf | None = None) -> Trial:
    """Show a file in every mode and for every query, and let the agent edit it."""
    bench = _Bench(change, question, vectors_of)
    return Trial(
        at=change.at,
        extension=label_of(extension_of(change.path)),
        n_lines=len(bench.replayed.lines),
        total_tokens=bench.total_tokens,
        n_hunks=len(change.hunks),
        by_kind={kind.name: bench.shown_by(kind.of(change)) for kind in question.kinds},
        references={kind.name: bench.references(kind.of(change)) for kind in question.kinds},
        ranking=bench.ranking(question.kinds[0].of(change)) if question.is_learning else RankingSums(),
    )


class _Bench:
    """One file under trial; views that do not look at the query are made once."""

    def __init__(self, change: Change, question: Question, vectors_of: VectorsOf | None) -> None:
        source = decode(change.before)
        self.replayed = Replayed(source, change.path, outline_of(source, change.path))
        self.total_tokens = count_file_tokens(source.text)
        self._question = question
        self._vectors_of = vectors_of
        self._needed = [hunk.needed(len(self.replayed.lines)) for hunk in change.hunks]
        self._history = line_history(change.past, len(self.replayed.lines)) if change.past else None
        self._unqueried: dict[str, Shown] = {}
        budget = question.reference_tokens(self.total_tokens)
        self._rankers = References(self.replayed, budget, vectors_of)

    def shown_by(self, query: str) -> dict[str, Shown]:
        """What each mode was worth under this query."""
        return {mode: self._shown(mode, query) for mode in self._question.rendered_modes}

    def references(self, query: str) -> dict[str, Shown]:
        """What the perfect ranker and the naive one show, and what is bought from a naive map."""
        naive = self._printed(self._rankers.naive(query))
        return {PERFECT: self._perfect, NAIVE: naive, NAIVE_MAP: self._naive_map}

    @cached_property
    def _perfect(self) -> Shown:
        return self._printed(self._rankers.perfect(self._needed))

    @cached_property
    def _naive_map(self) -> Shown:
        return self._printed(self._rankers.naive_map(self._needed))

    def _printed(self, printed: Printed | Bought) -> Shown:
        return Shown(n_shown(printed.shown, self._needed), printed.tokens)

    def _shown(self, mode: str, query: str) -> Shown:
        if mode in _QUERIED:
            return self._judged(self._view(mode, query))
        if mode not in self._unqueried:
            self._unqueried[mode] = self._judged(self._view(mode, ""))
        return self._unqueried[mode]

    def _view(self, mode: str, query: str) -> View:
        if mode == "full":
            return self.replayed.full
        budget = self._question.budget_tokens(self.total_tokens)
        return render(
            self.replayed.source,
            Mode(mode),
            path=self.replayed.path,
            why=EXPLICIT,
            line_filter=LineFilter(_asked(query), budget, vectors_of=self._vectors_of),
            unit_wish=self._wish(query, budget),
        )

    def _wish(self, query: str, budget: int | None) -> UnitWish:
        return UnitWish(_asked(query), budget, history=self._history, vectors_of=self._vectors_of)

    def ranking(self, query: str) -> RankingSums:
        """What the hunks say of the weights by which pieces are ranked."""
        cut = cut_file(self.replayed.source, self.replayed.path)
        wish = self._wish(query, None)
        return ranking_sums(UnitChoice(cut, wish, piece_vectors(cut, wish)), self._needed)

    def _judged(self, view: View) -> Shown:
        return Shown(n_shown(view.shown, self._needed), view.tokens, *edit_all(self.replayed, view, self._needed))


def _asked(query: str) -> Query | None:
    return Query(query) if query else None


def n_shown(shown: ShownLines, needed: list[LineRange]) -> int:
    """How many of the places are wholly shown."""
    return sum(shown.contains(*lines) for lines in needed)
