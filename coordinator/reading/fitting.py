"""Views that keep to a budget of tokens: as many lines or units as fit, with all that is printed counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from coordinator.reading.page import Page, over
from coordinator.reading.query import Query
from coordinator.reading.shown import ShownLines
from coordinator.reading.sieve import LineFilter, Sieve
from coordinator.reading.unit import Outline
from coordinator.reading.unit_choice import UnitChoice
from coordinator.reading.view import View

MAX_QUERY_CHARACTERS: Final = 24  # in the header of a view whose every token comes off a budget
MAX_ROUNDS: Final = 8  # of choosing units again, because an estimate of their tokens was off


class FilteredView:
    """The view of what a sieve keeps, within the budget if there is one."""

    def __init__(self, page: Page, sieve: Sieve, outline: Outline, line_filter: LineFilter) -> None:
        self._page = page
        self._sieve = sieve
        self._outline = outline
        self._query = line_filter.query
        self._budget = line_filter.budget

    def view(self) -> View:
        """As many of the best lines as the budget takes, all that pass the sieve without one."""
        kept = self._sieve.kept() if self._budget is None else self._within(self._budget)
        view = self._without_redundant(kept)
        if self._budget is None or view.tokens <= self._budget:
            return view
        reason = over(self._budget)
        return replace(self._shown(kept, reason), fallback=reason)

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


class ChosenView:
    """The view of the units that were chosen, within the budget."""

    def __init__(self, page: Page, choice: UnitChoice, outline: Outline, query: Query | None, budget: int) -> None:
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
            reason = over(self._budget)
            fallback = "; ".join(text for text in (self._outline.fallback, reason) if text)
            return replace(self._shown(ShownLines(), reason), fallback=fallback)
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
