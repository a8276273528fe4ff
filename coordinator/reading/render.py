"""Makes views: of a file in a mode, or of one unit of it. Equal arguments give equal bytes."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from actors.quality_store.path import extension_of
from actors.runtime.errors import Misuse
from coordinator.reading.budget import budget_tokens, default_tokens
from coordinator.reading.cut_file import cut_file
from coordinator.reading.fitting import ChosenView, FilteredView
from coordinator.reading.generated import note_on
from coordinator.reading.grammar import outline_of
from coordinator.reading.language.name import slug
from coordinator.reading.layout import unit_lines
from coordinator.reading.mode import Mode
from coordinator.reading.page import Page
from coordinator.reading.query import Query
from coordinator.reading.redundancy import VectorKey
from coordinator.reading.shown import ShownLines
from coordinator.reading.sieve import LineFilter, Sieve
from coordinator.reading.source import SourceText
from coordinator.reading.token_count import count_file_tokens
from coordinator.reading.unit import Outline, Unit
from coordinator.reading.unit_choice import UnitChoice, UnitWish, piece_vectors
from coordinator.reading.view import View

if TYPE_CHECKING:
    from coordinator.reading.line_history import LineHistory
    from coordinator.reading.redundancy import Vectors

MAX_SUGGESTED_UNITS: Final = 5
MAX_CACHED_VIEWS: Final = 16


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
        return Page(source, why, said).diff(previous)
    if mode.name == "entropy":
        return _filtered_view(source, path, why, said, line_filter or LineFilter())
    if mode.name == "units":
        return _unit_view(source, path, why, said, unit_wish or UnitWish())
    return _plain_view(source, mode, path, why, said)


def _filtered_view(source: SourceText, path: str, why: str, notes: tuple[str, ...], line_filter: LineFilter) -> View:
    """A view by words alone is kept; vectors may be there at one call and not at the next."""
    if line_filter.vectors_of is None:
        return _lexical_view(source, path, why, notes, line_filter)
    return _sieved_view(source, path, why, notes, line_filter)


@lru_cache(maxsize=MAX_CACHED_VIEWS)
def _lexical_view(source: SourceText, path: str, why: str, notes: tuple[str, ...], line_filter: LineFilter) -> View:
    return _sieved_view(source, path, why, notes, line_filter)


def _sieved_view(source: SourceText, path: str, why: str, notes: tuple[str, ...], line_filter: LineFilter) -> View:
    """The whole file where that fits the budget, else what the sieve leaves of it if that pays."""
    page, budget = Page(source, why, notes), line_filter.budget
    if budget is not None and count_file_tokens(source.text) <= budget and (whole := page.whole_within(budget)):
        return whole
    sieve = Sieve(source.lines, extension_of(path), line_filter)
    view = page.if_it_pays(FilteredView(page, sieve, outline_of(source, path), line_filter).view())
    return view if budget is None else page.within_or_whole(view, budget)


def _unit_view(source: SourceText, path: str, why: str, notes: tuple[str, ...], wish: UnitWish) -> View:
    """The view of `units`; without a budget, within the default one.

    Vectors are asked for each time, and are a part of what the view is kept under.
    """
    total_tokens = count_file_tokens(source.text)
    budget = budget_tokens(wish.budget, total_tokens) or default_tokens(total_tokens)
    if total_tokens <= budget and (whole := Page(source, why, notes).whole_within(budget)):
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
    page = Page(source, why, notes)
    view = page.if_it_pays(ChosenView(page, choice, cut.outline, query, budget).view())
    return page.within_or_whole(view, budget)


def _key_of(vectors: Vectors | None) -> VectorKey | None:
    return None if vectors is None else VectorKey.of(vectors)


@lru_cache(maxsize=MAX_CACHED_VIEWS)  # agents read again what has not changed
def _plain_view(source: SourceText, mode: Mode, path: str, why: str, notes: tuple[str, ...]) -> View:
    """A view that depends on these alone."""
    page = Page(source, why, notes)
    if mode.name == "full":
        return page.whole()
    if mode.name == "lines":
        return page.lines(mode)
    if mode.name == "map":
        return page.map(outline_of(source, path))
    if mode.name == "signatures":
        return page.signatures(outline_of(source, path))
    raise Misuse(f"mode {str(mode)!r} cannot be rendered: resolve it first (policy.choose_base_mode)")


def expand(source: SourceText, unit_name: str, *, path: str, why: str) -> View:
    """Show one unit whole, with its decorators and leading comment; a class without its methods' bodies.

    Raises `Misuse` that lists the closest names if there is no such unit.
    """
    outline = outline_of(source, path)
    unit = _find(outline, unit_name)
    if unit is None:
        raise Misuse(_unknown_unit(unit_name, path, [known.name for known in outline.units]))
    page = Page(source, why, ())
    cut = page.unit(unit, outline, unit_lines(outline, unit))
    whole = page.unit(unit, outline, ShownLines.of([unit.lines]))
    return cut if cut.tokens < whole.tokens else whole


def _find(outline: Outline, name: str) -> Unit | None:
    """The unit of this name, as in the source or as in a marker; `.name` is short for the only one that ends so."""
    ending = [unit for unit in outline.units if unit.name.endswith(name)] if name.startswith(".") else []
    return outline.find(name) or outline.find(slug(name)) or (ending[0] if len(ending) == 1 else None)


def _unknown_unit(name: str, path: str, known: Sequence[str]) -> str:
    """The message for a name that is not there, with the closest ones, those with the same last part first."""
    if not known:
        return f"{path!r} has no units, so none is called {name!r}: read it in mode full"
    last_part = name.rpartition(".")[2]
    same = [other for other in known if other.rpartition(".")[2].partition("#")[0] == last_part]
    close = get_close_matches(name, known, n=MAX_SUGGESTED_UNITS, cutoff=0.0)
    suggested = list(dict.fromkeys([*same, *close]))[:MAX_SUGGESTED_UNITS]
    return f"{path!r} has no unit {name!r}; the closest of its {len(known)} units: {', '.join(suggested)}"
