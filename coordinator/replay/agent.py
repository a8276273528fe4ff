"""The agent of a replay: what it costs to make a file's edits after one view of it.

It gets the view. What is shown it edits. Of what is not shown it gets the parts that the view itself names: the unit,
where a marker or a shown signature has its name, else the lines of the marker that stands for them. It looks into three
markers without a name for one edit and no more: text with more holes than that it quotes as it believes it to be,
fails, reads the file in full and edits again.

The first read's own call and the calls of edits that land cost the same whatever was shown, and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from actors.quality_store.source import EXPLICIT
from actors.thresholds.cost import CALL_TOKENS
from coordinator.editing.evidence import MAX_TOKENS as MAX_EVIDENCE_TOKENS
from coordinator.reading.marker import SIGIL
from coordinator.reading.mode import Mode
from coordinator.reading.render import expand, render
from coordinator.reading.shown import ShownLines
from coordinator.reading.source import SourceText
from coordinator.reading.unit import LineRange, Outline, Unit
from coordinator.reading.unit_names import split_names
from coordinator.reading.view import View

MAX_HOLES: Final = 3
"""Markers without a name that an agent looks into for one edit."""


class Paid(NamedTuple):
    """What a file's edits cost beyond the view.

    How many hunks, of those that the view does not show, it gets at by parts that the view names; how many calls of
    edits failed; the tokens of all parts, failures and second reads; and how many of them were printed, which leaves
    the calls themselves out.
    """

    n_by_parts: int = 0
    n_failed: int = 0
    extra_tokens: int = 0
    extra_printed: int = 0


class Marker(NamedTuple):
    """A printed marker: the lines that it stands for, and the unit that it names, if any."""

    lines: LineRange
    name: str


@dataclass
class Replayed:
    """One file that is replayed, with what every mode asks of it."""

    source: SourceText
    path: str
    outline: Outline

    @cached_property
    def lines(self) -> list[str]:
        """The file's lines."""
        return self.source.lines

    @cached_property
    def owners(self) -> list[Unit | None]:
        """The innermost unit of each line."""
        return self.outline.owners(len(self.lines))

    @cached_property
    def full(self) -> View:
        """The file as the mode `full` shows it."""
        return render(self.source, Mode("full"), path=self.path, why=EXPLICIT)


def markers_of(view: View) -> list[Marker]:
    """The markers that a view prints."""
    pattern = rf"^{SIGIL}{view.tag} ([0-9]+)-([0-9]+)(?: (.+))?$"
    found = re.finditer(pattern, view.body, re.MULTILINE)
    return [Marker((int(one[1]), int(one[2])), one[3] or "") for one in found]


class Agent:
    """One agent with one view of one file; `edit` is called for each place in order.

    `known`, if given, are the lines that it knows in the place of those that the view shows.
    """

    def __init__(self, replayed: Replayed, view: View, known: ShownLines | None = None) -> None:
        self._replayed = replayed
        self._shown = view.shown if known is None else known
        self._markers = markers_of(view)
        self._named = {name for marker in self._markers for name in split_names(marker.name)}
        self.extra_printed = 0
        self.n_calls = 0
        self.n_failed = 0

    def edit_as_believed(self, needed: LineRange) -> None:
        """Edit a place that is not as the agent was shown it: that fails, unless a failure before has shown it all."""
        if not self.n_failed:
            self._fail(needed)

    def edit(self, needed: LineRange) -> bool:
        """Edit a place, at whatever it costs to see it; whether that took no failure."""
        n_holes = 0
        while not self._shown.contains(*needed):
            part, is_hole = self._next_part(needed)
            n_holes += is_hole
            if part is None or n_holes > MAX_HOLES:
                self._fail(needed)
                return False
            self._shown = self._shown.union(part.shown)
            self._pay(part.tokens, n_calls=1)
        return True

    def _next_part(self, needed: LineRange) -> tuple[View | None, bool]:
        """The part that the view offers for the first missing line, None if it offers none; whether it has no name.

        Of the units that it names there and beside, whichever costs least and shows the line.
        """
        missing = self._first_missing(needed)
        marker = next((one for one in self._markers if one.lines[0] <= missing <= one.lines[1]), None)
        owners = self._replayed.owners[missing - 1 : missing + 2]
        parts = [
            expand(self._replayed.source, owner.name, path=self._replayed.path, why=EXPLICIT)
            for owner in dict.fromkeys(owners)
            if owner is not None and self._is_told_of(owner, marker)
        ]
        if showing := [part for part in parts if part.shown.contains(missing, missing)]:
            return min(showing, key=lambda part: part.tokens), False
        return (self._lines(marker.lines), True) if marker is not None else (None, True)

    def _first_missing(self, needed: LineRange) -> int:
        first, last = needed
        return ShownLines.of([*self._shown.ranges, (1, first - 1)]).complement(last).ranges[0][0]

    def _is_told_of(self, unit: Unit, marker: Marker | None) -> bool:
        """Whether the view has the unit's name, and not the line under a marker without any that begins elsewhere."""
        signature, (first, last) = unit.signature[0], unit.lines
        is_said = unit.name in self._named or self._shown.contains(signature, signature)
        is_under = marker is None or marker.name != "" or first <= marker.lines[0] <= last
        return is_said and is_under and (unit.is_definition or unit.name in self._named)

    def _lines(self, lines: LineRange) -> View:
        return render(self._replayed.source, Mode("lines", *lines), path=self._replayed.path, why=EXPLICIT)

    def _fail(self, needed: LineRange) -> None:
        """A failed call and its evidence, the file in full unless that was the evidence, and the retry."""
        total = self._replayed.full.tokens
        self._shown = ShownLines.up_to(len(self._replayed.lines))
        self.n_failed += 1
        if total <= MAX_EVIDENCE_TOKENS:
            self._pay(total, n_calls=2)
        else:
            self._pay(self._unit_tokens(needed) + total, n_calls=3)

    def _pay(self, printed: int, *, n_calls: int) -> None:
        self.extra_printed += printed
        self.n_calls += n_calls

    @property
    def extra_tokens(self) -> int:
        """What was paid on top of the view."""
        return self.extra_printed + self.n_calls * CALL_TOKENS

    def _unit_tokens(self, needed: LineRange) -> int:
        """What a failed edit's answer shows of a long file: the unit around, unless it is too long for an answer."""
        owner = self._replayed.owners[needed[0]]
        if owner is None:
            return 0
        tokens = self._lines(owner.lines).tokens
        return tokens if tokens <= MAX_EVIDENCE_TOKENS else 0


def edit_all(replayed: Replayed, view: View, needed: Sequence[LineRange]) -> Paid:
    """What all edits of one file cost beyond its view."""
    agent = Agent(replayed, view)
    n_by_parts = 0
    for lines in needed:
        # After a failure the agent has the whole file; what the view would have been good for has to be asked apart.
        is_reached = Agent(replayed, view).edit(lines) if agent.n_failed else True
        is_reached &= agent.edit(lines)
        n_by_parts += is_reached and not view.shown.contains(*lines)
    return Paid(n_by_parts, agent.n_failed, agent.extra_tokens, agent.extra_printed)
