"""How far a state actor has applied what the others told it, so that each note is applied once.

The receiver's half of `outbox`. A machine asks `new_notes` and carries out what it gets in the same turn, so that the
mark and the effects are one commit; it raises nothing for a note that it cannot use, or the note would be lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from actors.runtime.errors import InvariantBroken, Misuse
from actors.runtime.event_table import EventTable
from actors.runtime.outbox import MAX_DELIVERY, Deliver, Delivered, Note
from actors.runtime.wire import Schema

MAX_SOURCES: Final = 16
_SOURCE = re.compile(r"[a-z][a-z0-9_]{0,63}@[A-Za-z0-9_-]{1,64}")


class NotesApplied(NamedTuple):
    """All notes of the source up to `number` are applied, with this commit."""

    source: str
    number: int


class SourceForgotten(NamedTuple):
    """There were too many sources; this one was not heard of for longest."""

    source: str


EVENTS: Final = EventTable({13: NotesApplied, 14: SourceForgotten})
SCHEMA: Final = Schema(commands={"deliver": Deliver}, answers={"delivered": Delivered}, anonymous=["deliver"])
"""Part of every receiver's schema."""


class Received:
    """For each source the number that it has been applied to; `MAX_SOURCES` sources at most.

    `record` journals an event and hands it to `evolve`.
    """

    def __init__(self, record: Callable[[Any], None]) -> None:
        self._record = record
        self._applied: dict[str, int] = {}

    def applied(self, source: str) -> int:
        """The number up to which all notes of the source are applied; 0 for one that is not known."""
        return self._applied.get(source, 0)

    def new_notes(self, deliver: Deliver) -> tuple[Note, ...]:
        """The notes that are to be applied now, in order; from here on they count as applied.

        Raises `Misuse`, and changes nothing, for a source or a number that is malformed, and for notes that do not
        follow what was applied: a delivery without notes says where they go on.
        """
        _check(deliver)
        applied = self.applied(deliver.source)
        first = deliver.number - len(deliver.notes) + 1
        if deliver.notes and first > applied + 1:
            raise Misuse(
                f"notes from {first} of {deliver.source!r} do not follow {applied}, the last one applied: deliver "
                f"{applied + 1} first, or, if it is gone, an empty delivery of number {first - 1}"
            )
        if deliver.number <= applied:
            return ()
        self._record(NotesApplied(deliver.source, deliver.number))
        if len(self._applied) > MAX_SOURCES:
            self._record(SourceForgotten(next(iter(self._applied))))
        return deliver.notes[max(0, applied + 1 - first) :]

    def answer(self, deliver: Deliver) -> Delivered:
        """What the sender hears once the turn is committed."""
        return Delivered(self.applied(deliver.source))

    def evolve(self, event: NotesApplied | SourceForgotten) -> None:
        """Apply one of this module's events."""
        self._applied.pop(event.source, None)
        if type(event) is NotesApplied:
            self._applied[event.source] = event.number

    def rows(self) -> Iterator[list[Any]]:
        """The state, the source that was heard of last at the end."""
        return ([source, number] for source, number in self._applied.items())

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`, in their order."""
        self._applied[row[0]] = row[1]

    def check_invariants(self) -> None:
        """Raises `InvariantBroken` for a number that nothing can have been applied to."""
        for source, number in self._applied.items():
            if number < 1:
                raise InvariantBroken(f"source {source!r} is said to be applied up to {number}")


def _check(deliver: Deliver) -> None:
    if _SOURCE.fullmatch(deliver.source) is None:
        raise Misuse(f"source {deliver.source[:200]!r} is not domain@store_id: say whose notes they are")
    if len(deliver.notes) > MAX_DELIVERY:
        raise Misuse(f"{len(deliver.notes)} notes at once are over the limit of {MAX_DELIVERY}: send fewer")
    if deliver.number < len(deliver.notes):
        raise Misuse(
            f"the last of {len(deliver.notes)} notes of {deliver.source!r} cannot be number {deliver.number}: "
            "notes are numbered from 1"
        )
