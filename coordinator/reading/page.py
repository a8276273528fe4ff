"""One file that is about to be shown: its lines laid out under a header, in every mode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from actors.runtime.errors import Misuse
from coordinator.reading.contents import contents
from coordinator.reading.header import Header
from coordinator.reading.layout import (
    FilterLayout,
    Layout,
    OutlineLayout,
    UnitLayout,
    first_lines,
    signature_lines,
    with_context,
    without_long_lines,
)
from coordinator.reading.line_diff import diff_lines
from coordinator.reading.marker import marker_tag
from coordinator.reading.mode import Mode
from coordinator.reading.shown import ShownLines
from coordinator.reading.sieve import Sieve
from coordinator.reading.source import SourceText
from coordinator.reading.token_count import count_file_tokens, count_tokens
from coordinator.reading.unit import Outline, Unit
from coordinator.reading.view import View


def over(budget: int) -> str:
    """What a view says that cannot keep to its budget, even without a line."""
    return f"over the budget of {budget} tokens"


class Page:
    """One file that is about to be shown for one reason."""

    def __init__(self, source: SourceText, why: str, notes: tuple[str, ...]) -> None:
        self._source = source
        self._lines = source.lines
        self._why = why
        self._notes = notes
        self._total_tokens = count_file_tokens(source.text)
        self.tag = marker_tag(source)

    def whole(self, fallback: str = "") -> View:
        """All of it; `fallback` says why it is not what was asked for."""
        view = self._view("full", self._source.text, ShownLines.up_to(len(self._lines)), [fallback], is_whole=True)
        return replace(view, fallback=fallback)

    def lines(self, mode: Mode) -> View:
        """The lines that the mode names. Raises `Misuse` past the end."""
        n_lines = len(self._lines)
        if mode.last > n_lines:
            hint = f"the last one is lines:{n_lines}-{n_lines}" if n_lines else "it is empty"
            raise Misuse(f"{mode} reaches past the end: the file has {n_lines} lines, {hint}")
        body = "".join(self._lines[mode.first - 1 : mode.last])
        return self._view(str(mode), body, ShownLines.of([(mode.first, mode.last)]), [f"{n_lines} lines in all"])

    def map(self, outline: Outline) -> View:
        """The names of all units or, where nothing has one, the first line of each, if that pays."""
        if not any(unit.is_definition for unit in outline.units):
            return self._outlined("map", outline, first_lines(outline))
        body = contents(outline, self._lines, self.tag)
        view = self._view("map", body, ShownLines(), [outline.fallback], has_markers=True)
        return self.if_it_pays(replace(view, fallback=outline.fallback))

    def signatures(self, outline: Outline) -> View:
        """The signatures of all units, if that pays."""
        return self._outlined("signatures", outline, signature_lines(outline))

    def _outlined(self, mode: str, outline: Outline, wanted: ShownLines) -> View:
        wanted = without_long_lines(wanted, self._lines)
        layout = OutlineLayout(self._lines, outline, self.tag, wanted, (1, len(self._lines)))
        view = self._view(mode, layout.body, layout.shown, [outline.fallback], has_markers=layout.has_markers)
        return self.if_it_pays(replace(view, fallback=outline.fallback))

    def whole_within(self, budget: int) -> View | None:
        """The whole file, if it fits with its header."""
        whole = self.whole(f"all of it fits the budget of {budget} tokens")
        return whole if whole.tokens <= budget else None

    def within_or_whole(self, view: View, budget: int) -> View:
        """The view; the whole file, which says so, where it is over its budget and does not say so itself."""
        if view.tokens <= budget or over(budget) in view.fallback:
            return view
        return self.whole(f"{view.fallback}; {over(budget)}")

    def chosen_lines(self, wanted: ShownLines, outline: Outline, facts: Sequence[str]) -> View:
        """The lines of chosen units under short markers; `facts` go into the header."""
        layout = UnitLayout(self._lines, outline, self.tag, wanted, (1, len(self._lines)))
        view = self._view("units", layout.body, layout.shown, facts, has_markers=layout.has_markers)
        return replace(view, fallback=outline.fallback)

    def filtered_lines(self, kept: Sequence[int], sieve: Sieve, outline: Outline, facts: Sequence[str]) -> View:
        """The lines of these numbers; what lies between is left out where that costs more than a marker."""
        wanted = ShownLines.of((number, number) for number in kept)
        layout = FilterLayout(self._lines, outline, self.tag, wanted, (weight.n_tokens for weight in sieve.weights))
        return self._view("entropy", layout.body, layout.shown, facts, has_markers=layout.has_markers)

    def diff(self, previous: SourceText | None) -> View:
        """What has changed since `previous`; the whole file where that is unknown or costs no more."""
        if previous is None:
            return self.whole("no earlier read to compare with")
        diff = diff_lines(previous.lines, self._lines)
        since = "since your last read" if diff.body else "unchanged since your last read"
        view = self._view("diff", diff.body, diff.shown, [since])
        view = replace(view, previous_hash=previous.content_hash, kept=diff.kept)
        return self.if_it_pays(view) if diff.body else view

    def unit(self, unit: Unit, outline: Outline, wanted: ShownLines) -> View:
        """The wanted lines of one unit, and the one on either side of it."""
        first, last = span = with_context(unit, self._lines)
        around = ShownLines.of([(first, unit.lines[0] - 1), (unit.lines[1] + 1, last)])
        layout = Layout(self._lines, outline, self.tag, wanted.union(around), span)
        facts = [f"{unit.name} is lines {unit.lines[0]}-{unit.lines[1]}", outline.fallback]
        view = self._view("expand", layout.body, layout.shown, facts, has_markers=layout.has_markers)
        return replace(view, fallback=outline.fallback)

    def if_it_pays(self, view: View) -> View:
        """The view, or the whole file where that costs no more."""
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
