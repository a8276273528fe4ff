"""What the machines have in common that trust a session's first token and in which nothing waits.

Their state is a set of shelves of rows; their commands and facts are looked up by type. Nothing in them needs to be
woken or told when its time is up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, ClassVar, Final, Protocol

from actors.runtime.errors import Corrupt, Misuse
from actors.runtime.event_table import EventTable
from actors.runtime.machine import Caller, Now, Ticket
from actors.runtime.pin import PinEvicted, Pins, TokenPinned
from actors.runtime.wire import Schema

ROWS_A_PART: Final = 500
LONG_ROWS_A_PART: Final = 20

Performer = Callable[[Caller, Any, Now], Any]
Applier = Callable[[Any], None]


class Shelf(Protocol):
    """A part of the state that is a sequence of rows."""

    def rows(self) -> Iterator[list[Any]]:
        """The rows, in the order that `load` must see."""

    def load(self, row: list[Any]) -> None:
        """Take back one row."""


class PinnedMachine:
    """Base of such a machine. `name` is what messages call it: "the quality store".

    A subclass builds its parts with `_record`, and then calls `_furnish`.
    """

    schema: Schema
    events: EventTable
    long_rows: ClassVar[frozenset[str]] = frozenset()
    """Shelves whose rows are long: 20 make a part of a snapshot, else 500 do."""

    def __init__(self, name: str, max_pins: int) -> None:
        self._name = name
        self._recorded: list[Any] = []
        self._departed: list[str] = []
        self._pins = Pins(max_pins, self._record)
        self._shelves: dict[str, Shelf] = {}
        self._performers: dict[type, Performer] = {}
        self._appliers: dict[type, Applier] = {}

    def _furnish(
        self,
        *,
        shelves: Mapping[str, Shelf],
        performers: Mapping[type, Performer],
        appliers: Mapping[type, Applier],
    ) -> None:
        """Say what the state is made of, and who carries out commands and applies facts. Pins come of themselves."""
        self._shelves = {"pins": self._pins, **shelves}
        self._performers = {**performers}
        self._appliers = {TokenPinned: self._pins.evolve, PinEvicted: self._pin_evicted, **appliers}

    def _count_eviction(self) -> None:
        """A pin was evicted: a subclass that counts such things does so here."""

    def admit(self, session_id: str, token: str, now: Now) -> Caller:  # noqa: ARG002  # the protocol passes the time
        """Trust a session's first token, and no other after it. Raises `UnknownAgent`."""
        self._departed += self._pins.admit(session_id, token)
        return Caller(session_id)

    def perform(self, caller: Caller, command: Any, now: Now) -> Any:
        """Carry out one command. Raises `Misuse`, and then nothing has changed."""
        performer = self._performers.get(type(command))
        if performer is None:
            raise Misuse(f"{type(command).__name__} is no command of {self._name}: send one of its schema")
        return performer(caller, command, now)

    def withdraw(self, ticket: Ticket, now: Now) -> None:
        """Nothing waits here."""

    def undo(self, caller: Caller, answer: Any, now: Now) -> None:
        """What was told has happened and stays, unless a subclass takes something back."""

    def expire(self, now: Now) -> None:
        """Nothing ends by itself, unless in a subclass."""

    def next_deadline_s(self) -> float | None:
        """None: answers leave out what has lapsed, so nobody has to be told."""
        return None

    def take_settled(self, now: Now) -> list[tuple[Ticket, Any]]:  # noqa: ARG002  # nothing waits, at no time
        """Nothing waits here."""
        return []

    def take_departed(self) -> list[str]:
        """The sessions whose pins were evicted since the last call."""
        departed, self._departed = self._departed, []
        return departed

    def wake(self, now: Now) -> None:
        """Nothing here hangs on a session's life."""

    # Facts

    def _record(self, event: Any) -> None:
        self.evolve(event)
        self._recorded.append(event)

    def take_events(self) -> list[Any]:
        """The events since the last call, already applied."""
        events, self._recorded = self._recorded, []
        return events

    def evolve(self, event: Any) -> None:
        """Apply one fact; no limit is asked."""
        self._appliers[type(event)](event)

    def _pin_evicted(self, fact: PinEvicted) -> None:
        self._count_eviction()
        self._pins.evolve(fact)

    def snapshot(self) -> Iterator[list[Any]]:
        """The state as [shelf, rows]."""
        for name, shelf in self._shelves.items():
            rows, n_rows = shelf.rows(), LONG_ROWS_A_PART if name in self.long_rows else ROWS_A_PART
            while part := list(islice(rows, n_rows)):
                yield [name, part]

    def restore(self, parts: Iterable[list[Any]]) -> None:
        """Fill an empty machine. Raises `Corrupt` for a part that it does not know."""
        for name, rows in parts:
            if name not in self._shelves:
                raise Corrupt(
                    f"the snapshot has a part {name!r} that this version does not know: use the one that wrote it"
                )
            for row in rows:
                self._shelves[name].load(row)

    def check_invariants(self) -> None:
        """Raises `InvariantBroken` where two parts of the state contradict each other."""
        self._pins.check_invariants()
