"""What an agent is shown of a file, and what it is told about the rest.

A view never lies: every line of its body that is not a marker is a line of the file, byte for byte after decoding, in
order (a diff's lines have their +, - or space before them). The header comes first, on one line of its own. Equal
arguments give equal bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from actors.quality_store.path import extension_of
from actors.runtime.errors import Misuse
from coordinator.reading.budget import budget_tokens, default_tokens
from coordinator.reading.cut_file import cut_file
from coordinator.reading.generated import note_on
from coordinator.reading.grammar import outline_of
from coordinator.reading.header import Header
from coordinator.reading.language.name import slug
from coordinator.reading.layout import (
    FilterLayout,
    Layout,
    UnitLayout,
    map_lines,
    signature_lines,
    unit_lines,
    without_long_lines,
)
from coordinator.reading.line_diff import KeptLines, diff_lines
from coordinator.reading.marker import marker_tag
from coordinator.reading.mode import Mode
from coordinator.reading.query import Query
from coordinator.reading.redundancy import VectorKey
from coordinator.reading.shown import ShownLines
from coordinator.reading.sieve import LineFilter, Sieve
from coordinator.reading.source import SourceText
from coordinator.reading.token_count import count_file_tokens, count_tokens
from coordinator.reading.unit import Outline, Unit
from coordinator.reading.unit_choice import UnitChoice, UnitWish, piece_vectors

if TYPE_CHECKING:
    from coordinator.reading.line_history import LineHistory
    from coordinator.reading.redundancy import Vectors

MAX_SUGGESTED_UNITS: Final = 5
MAX_QUERY_CHARACTERS: Final = 24  # in the header of a view whose every token comes off a budget
MAX_ROUNDS: Final = 8  # of choosing units again, because an estimate of their tokens was off
MAX_CACHED_VIEWS: Final = 16
_WANTED_LINES: Final[Mapping[str, Callable[[Outline, Sequence[str]], ShownLines]]] = {
    "map": map_lines,
    "signatures": lambda outline, _: signature_lines(outline),
}


@dataclass(frozen=True, slots=True)
class View:
    """One file as it was shown once.

    `mode` is what was served (`full` where compression did not pay), `source` why; `tokens` counts everything printed,
    `total_tokens` the file. `shown` are the lines of the file that the body holds. `fallback` says in a few words why
    the view is not what was asked for, empty if it is. `kept` and `previous_hash`, of a diff: the stretches that the
    version before had too.
    """

    header: str
    body: str
    mode: str
    source: str
    tokens: int
    total_tokens: int
    content_hash: str
    shown: ShownLines
    tag: str
    fallback: str = ""
    previous_hash: str = ""
    kept: tuple[KeptLines, ...] = ()

    @property
    def text(self) -> str:
        """All that is printed."""
        return self.header + self.body


def render(
    source: SourceText,
    mode: Mode,
    *,
    path: str,
    why: str,
    previous: SourceText | None = None,
    notes: Sequence[str] = (),
    line_filter: LineFilter | None = None,
    unit_wish: UnitWish | None = None,
) -> View:
    """Show `source` in `mode`; `path` chooses the grammar, `why` is the name of what chose the mode.

    `previous` is what this agent read last, for `diff`; `line_filter` is for `entropy`, `unit_wish` for `units`; other
    modes look at none of them. `notes` are printed in the header. The file comes whole where the view would cost as
    much or more; the header says so. Raises `Misuse` for lines past the end, and for `auto`, which somebody has to
    resolve first.
    """
    said = (*notes, note_on(source, path))
    if mode.name == "diff":
        return _Page(source, why, said).diff(previous)
    if mode.name == "entropy":
        return _filtered_view(source, path, why, said, line_filter or LineFilter())
    if mode.name == "units":
        return _unit_view(source, path, why, said, unit_wish or UnitWish())
    return _plain_view(source, mode, path, why, said)


def _filtered_view(source: SourceText, path: str, why: str, notes: tuple[str, ...], line_filter: LineFilter) -> View:
    """A view by words alone is kept; vectors may be there at one call and not at the next."""
    if line_filter.vectors_of is None:
        return _lexical_view(source, path, why, notes, line_filter)
    return _Page(source, why, notes).filtered(path, line_filter)


@lru_cache(maxsize=MAX_CACHED_VIEWS)
def _lexical_view(source: SourceText, path: str, why: str, notes: tuple[str, ...], line_filter: LineFilter) -> View:
    return _Page(source, why, notes).filtered(path, line_filter)


def _unit_view(source: SourceText, path: str, why: str, notes: tuple[str, ...], wish: UnitWish) -> View:
    """The view of `units`; without a budget, within the default one.

    Vectors are asked for each time, and are a part of what the view is kept under.
    """
    total_tokens = count_file_tokens(source.text)
    budget = budget_tokens(wish.budget, total_tokens) or default_tokens(total_tokens)
    if total_tokens <= budget and (whole := _Page(source, why, notes).whole_within(budget)):
        return whole
    vectors = piece_vectors(cut_file(source, path), wish)
    weights = tuple(sorted(wish.weights.items()))
    return _chosen_view(source, path, why, notes, budget, wish.query, weights, wish.history, _key_of(vectors))


@lru_cache(maxsize=MAX_CACHED_VIEWS)
def _chosen_view(
    source: SourceText,
    path: str,
    why: str,
    notes: tuple[str, ...],
    budget: int,
    query: Query | None,
    weights: tuple[tuple[str, float], ...],
    history: LineHistory | None,
    vectors: VectorKey | None,
) -> View:
    wish = UnitWish(query, budget, dict(weights), history)
    cut = cut_file(source, path)
    choice = UnitChoice(cut, wish, None if vectors is None else vectors.rows)
    return _Page(source, why, notes).chosen(choice, cut.outline, query, budget)


def _key_of(vectors: Vectors | None) -> VectorKey | None:
    return None if vectors is None else VectorKey.of(vectors)


@lru_cache(maxsize=MAX_CACHED_VIEWS)  # agents read again what has not changed
def _plain_view(source: SourceText, mode: Mode, path: str, why: str, notes: tuple[str, ...]) -> View:
    """A view that depends on these alone."""
    page = _Page(source, why, notes)
    if mode.name == "full":
        return page.whole()
    if mode.name == "lines":
        return page.lines(mode)
    if mode.name in _WANTED_LINES:
        return page.compressed(mode.name, outline_of(source, path))
    raise Misuse(f"mode {str(mode)!r} cannot be rendered: resolve it first (policy.choose_base_mode)")


def expand(source: SourceText, unit_name: str, *, path: str, why: str) -> View:
    """Show one unit whole, with its decorators and leading comment; a class without its methods' bodies.

    Raises `Misuse` that lists the closest names if there is no such unit.
    """
    outline = outline_of(source, path)
    unit = _find(outline, unit_name)
    if unit is None:
        raise Misuse(_unknown_unit(unit_name, path, [known.name for known in outline.units]))
    page = _Page(source, why, ())
    cut = page.unit(unit, outline, unit_lines(outline, unit))
    whole = page.unit(unit, outline, ShownLines.of([unit.lines]))
    return cut if cut.tokens < whole.tokens else whole


def _find(outline: Outline, name: str) -> Unit | None:
    """The unit of this name, as in the source or as in a marker; `.name` is short for the only one that ends so."""
    ending = [unit for unit in outline.units if unit.name.endswith(name)] if name.startswith(".") else []
    return outline.find(name) or outline.find(slug(name)) or (ending[0] if len(ending) == 1 else None)


class _Page:
    """One file that is about to be shown for one reason."""

    def __init__(self, source: SourceText, why: str, notes: tuple[str, ...]) -> None:
        self._source = source
        self._lines = source.lines
        self._why = why
        self._notes = notes
        self._total_tokens = count_file_tokens(source.text)
        self.tag = marker_tag(source)

    def whole(self, fallback: str = "") -> View:
        view = self._view("full", self._source.text, ShownLines.up_to(len(self._lines)), [fallback], is_whole=True)
        return replace(view, fallback=fallback)

    def lines(self, mode: Mode) -> View:
        n_lines = len(self._lines)
        if mode.last > n_lines:
            hint = f"the last one is lines:{n_lines}-{n_lines}" if n_lines else "it is empty"
            raise Misuse(f"{mode} reaches past the end: the file has {n_lines} lines, {hint}")
        body = "".join(self._lines[mode.first - 1 : mode.last])
        return self._view(str(mode), body, ShownLines.of([(mode.first, mode.last)]), [f"{n_lines} lines in all"])

    def compressed(self, name: str, outline: Outline) -> View:
        wanted = without_long_lines(_WANTED_LINES[name](outline, self._lines), self._lines)
        layout = Layout(self._lines, outline, self.tag, wanted, (1, len(self._lines)))
        view = self._view(name, layout.body, layout.shown, [outline.fallback], has_markers=layout.has_markers)
        return self._if_it_pays(replace(view, fallback=outline.fallback))

    def filtered(self, path: str, line_filter: LineFilter) -> View:
        def cut() -> View:
            sieve = Sieve(self._lines, extension_of(path), line_filter)
            return _Filtered(self, sieve, outline_of(self._source, path), line_filter).view()

        return self._within(line_filter.budget, cut)

    def chosen(self, choice: UnitChoice, outline: Outline, query: Query | None, budget: int) -> View:
        """What was chosen, if that pays and keeps to the budget."""
        view = self._if_it_pays(_Chosen(self, choice, outline, query, budget).view())
        return self._over_budget(view, budget)

    def whole_within(self, budget: int) -> View | None:
        """The whole file, if it fits with its header."""
        whole = self.whole(f"all of it fits the budget of {budget} tokens")
        return whole if whole.tokens <= budget else None

    def _within(self, budget: int | None, cut: Callable[[], View]) -> View:
        """The whole file where that fits the budget, else what `cut` leaves of it if that pays."""
        if budget is not None and self._total_tokens <= budget and (whole := self.whole_within(budget)):
            return whole
        view = self._if_it_pays(cut())
        return view if budget is None else self._over_budget(view, budget)

    def _over_budget(self, view: View, budget: int) -> View:
        """The view, which says so where it is over its budget."""
        if view.tokens <= budget or _over(budget) in view.fallback:
            return view
        return self.whole(f"{view.fallback}; {_over(budget)}")

    def chosen_lines(self, wanted: ShownLines, outline: Outline, facts: Sequence[str]) -> View:
        layout = UnitLayout(self._lines, outline, self.tag, wanted, (1, len(self._lines)))
        view = self._view("units", layout.body, layout.shown, facts, has_markers=layout.has_markers)
        return replace(view, fallback=outline.fallback)

    def filtered_lines(self, kept: Sequence[int], sieve: Sieve, outline: Outline, facts: Sequence[str]) -> View:
        wanted = ShownLines.of((number, number) for number in kept)
        layout = FilterLayout(self._lines, outline, self.tag, wanted, (weight.n_tokens for weight in sieve.weights))
        return self._view("entropy", layout.body, layout.shown, facts, has_markers=layout.has_markers)

    def diff(self, previous: SourceText | None) -> View:
        if previous is None:
            return self.whole("no earlier read to compare with")
        diff = diff_lines(previous.lines, self._lines)
        since = "since your last read" if diff.body else "unchanged since your last read"
        view = self._view("diff", diff.body, diff.shown, [since])
        view = replace(view, previous_hash=previous.content_hash, kept=diff.kept)
        return self._if_it_pays(view) if diff.body else view

    def unit(self, unit: Unit, outline: Outline, wanted: ShownLines) -> View:
        first, last = unit.lines
        layout = Layout(self._lines, outline, self.tag, wanted, unit.lines)
        facts = [f"{unit.name} is lines {first}-{last}", outline.fallback]
        view = self._view("expand", layout.body, layout.shown, facts, has_markers=layout.has_markers)
        return replace(view, fallback=outline.fallback)

    def _if_it_pays(self, view: View) -> View:
        if view.tokens < self._total_tokens or view.tokens < self.whole().tokens:
            return view
        reasons = [f"{view.mode} would cost as much", view.fallback]
        return self.whole("; ".join(reason for reason in reasons if reason))

    def _view(
        self,
        mode: str,
        body: str,
        shown: ShownLines,
        facts: Sequence[str],
        *,
        is_whole: bool = False,
        has_markers: bool = False,
    ) -> View:
        said = (*facts, *self._notes)
        header = Header(self.tag, mode, self._why, self._total_tokens, is_whole, has_markers, said)
        text, tokens = header.settle(body, self._total_tokens if is_whole else count_tokens(body))
        return View(
            header=text,
            body=body,
            mode=mode,
            source=self._why,
            tokens=tokens,
            total_tokens=self._total_tokens,
            content_hash=self._source.content_hash,
            shown=shown,
            tag=self.tag,
        )


class _Filtered:
    """The view of what a sieve keeps, within the budget if there is one."""

    def __init__(self, page: _Page, sieve: Sieve, outline: Outline, line_filter: LineFilter) -> None:
        self._page = page
        self._sieve = sieve
        self._outline = outline
        self._query = line_filter.query
        self._budget = line_filter.budget

    def view(self) -> View:
        kept = self._sieve.kept() if self._budget is None else self._within(self._budget)
        view = self._without_redundant(kept)
        if self._budget is None or view.tokens <= self._budget:
            return view
        over = _over(self._budget)  # even without a line
        return replace(self._shown(kept, over), fallback=over)

    def _within(self, budget: int) -> list[int]:
        """As many of the best lines as fit, by bisection; all that is printed counts."""
        low, high = 0, self._sieve.n_ranked
        while low < high:
            middle = (low + high + 1) // 2
            if self._shown(self._sieve.best(middle)).tokens <= budget:
                low = middle
            else:
                high = middle - 1
        return self._sieve.best(low)

    def _without_redundant(self, kept: Sequence[int]) -> View:
        view = self._shown(kept)
        fewer = self._sieve.without_redundant(kept)
        if len(fewer) == len(kept):
            return view
        shorter = self._shown(fewer, f"{len(kept) - len(fewer)} near-duplicates dropped")
        return shorter if shorter.tokens < view.tokens else view

    def _shown(self, kept: Sequence[int], *more: str) -> View:
        return self._page.filtered_lines(kept, self._sieve, self._outline, [*self._facts(), *more])

    def _facts(self) -> Iterator[str]:
        if self._query is not None:
            yield f"{self._query}{'' if self._sieve.holds_query else ', which no line holds a word of'}"
        if self._budget is not None:
            yield f"budget {self._budget}"
        if self._query is None and self._budget is None:
            yield f"lines of {self._sieve.min_bits:.3f} bits or more"


class _Chosen:
    """The view of the units that were chosen, within the budget."""

    def __init__(self, page: _Page, choice: UnitChoice, outline: Outline, query: Query | None, budget: int) -> None:
        self._page = page
        self._choice = choice
        self._outline = outline
        self._budget = budget
        duplicates = f"{choice.n_redundant} near-duplicate pieces left out" if choice.n_redundant else ""
        said = query.label(MAX_QUERY_CHARACTERS) if query else ""
        self._facts = [said, duplicates, outline.fallback]

    def view(self) -> View:
        """The fullest view that was found in a few rounds: each corrects the limit by what the last one missed.

        Where that leads past what is known to fit, or not to fit, the next limit is half way between the two.
        """
        least = self._shown(ShownLines())
        if least.tokens > self._budget:
            over = _over(self._budget)  # even without a line
            fallback = "; ".join(reason for reason in (self._outline.fallback, over) if reason)
            return replace(self._shown(ShownLines(), over), fallback=fallback)
        best, low, high, limit = least, least.tokens, 0, self._budget
        for _ in range(MAX_ROUNDS):
            view = self._shown(self._choice.within(limit, base_tokens=least.tokens, tag=self._page.tag))
            spare = self._budget - view.tokens
            if spare >= 0:
                low = limit
                best = view if view.tokens > best.tokens else best
                if spare <= self._budget // 50:
                    break
            else:
                high = limit
            limit += spare
            if high and not low < limit < high:  # it was tried before, or more, or less than what fits
                limit = (low + high) // 2
        return best

    def _shown(self, wanted: ShownLines, *more: str) -> View:
        return self._page.chosen_lines(wanted, self._outline, [*self._facts, *more])


def _over(budget: int) -> str:
    return f"over the budget of {budget} tokens"


def _unknown_unit(name: str, path: str, known: Sequence[str]) -> str:
    """The message for a name that is not there, with the closest ones, those with the same last part first."""
    if not known:
        return f"{path!r} has no units, so none is called {name!r}: read it in mode full"
    last_part = name.rpartition(".")[2]
    same = [other for other in known if other.rpartition(".")[2].partition("#")[0] == last_part]
    close = get_close_matches(name, known, n=MAX_SUGGESTED_UNITS, cutoff=0.0)
    suggested = list(dict.fromkeys([*same, *close]))[:MAX_SUGGESTED_UNITS]
    return f"{path!r} has no unit {name!r}; the closest of its {len(known)} units: {', '.join(suggested)}"
