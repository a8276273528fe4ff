"""Sessions and the scent field as one machine: a claim is one call, and a death frees its claims in the same commit.

The two know each other only here, and here what another domain reports becomes a signal of the field. When the field is
sharded, sessions move to an actor of their own and tell the shards who has ended; what is joined here is exactly what
crosses then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from types import MappingProxyType
from typing import Any, Final

from actors.coordination.messages import SCHEMA, Alive, Heartbeat, Wanted
from actors.runtime.clock import earlier
from actors.runtime.errors import Corrupt, Misuse
from actors.runtime.machine import Caller, Now, Ticket
from actors.runtime.outbox import BOUNCE, EDIT_FAILURE, Deliver, Delivered, Note
from actors.runtime.received import EVENTS as RECEIVED_EVENTS
from actors.runtime.received import Received
from actors.runtime.wire import BusyFor
from actors.scent_field.event import EVENTS as FIELD_EVENTS
from actors.scent_field.field import ScentField
from actors.scent_field.limits import FieldLimits
from actors.scent_field.messages import Count, FieldCounts, FieldStatistics, Guard, Guarded, LeaveSignal
from actors.scent_field.signal import SignalKind
from actors.sessions.messages import Farewell, Goodbye, ListSessions, Register, Registered, SessionList
from actors.sessions.registry import EVENTS as SESSION_EVENTS
from actors.sessions.registry import Registry

TROUBLE: Final[Mapping[str, float]] = MappingProxyType({BOUNCE: 0.5, EDIT_FAILURE: 1.0})
"""The intensity of the STUCK signal that a note of a topic leaves on its path; other topics leave none."""


class Coordination:
    """The machine of the actor `scent_field`."""

    schema = SCHEMA
    events = SESSION_EVENTS + FIELD_EVENTS + RECEIVED_EVENTS

    def __init__(self, limits: FieldLimits | None = None, *, max_sessions: int = 20_000) -> None:
        self.sessions = Registry(max_sessions=max_sessions)
        self.field = ScentField(self.sessions, limits)
        self.sessions.events = self.field.state.events
        self.received = Received(self._record_received)
        self._departed: list[str] = []
        self._perform: dict[type, Callable[[Caller, Any, Now], Any]] = {
            Heartbeat: self._heartbeat,
            Register: self._register,
            Goodbye: self._goodbye,
            ListSessions: self._list_sessions,
            FieldStatistics: self._count,
            Guard: self._guard,
            Deliver: self._take_notes,
        }

    def admit(self, session_id: str, token: str, now: Now) -> Caller:
        """Authenticate. Raises `UnknownAgent` for a session that is over, and for a token that is not its own."""
        return Caller(self.sessions.admit(session_id, token, now).session_id)

    def perform(self, caller: Caller, command: Any, now: Now) -> Any:
        """Carry out one command."""
        perform = self._perform.get(type(command))
        return self.field.perform(caller.session_id, command, now) if perform is None else perform(caller, command, now)

    def _heartbeat(self, caller: Caller, command: Heartbeat, now: Now) -> Alive:
        expires_in_s = self.sessions.heartbeat(caller.session_id, now)
        losses = self.field.notices(caller.session_id, command.losses_through, now).losses
        wanted = tuple(Wanted(*one) for one in self.field.wanted_from(caller.session_id))
        return Alive(expires_in_s, losses, wanted)

    def _register(self, _caller: Caller, command: Register, now: Now) -> Registered | BusyFor:
        return self.sessions.register(command, now)

    def _list_sessions(self, _caller: Caller, command: ListSessions, now: Now) -> SessionList:
        return self.sessions.list_sessions(command, now)

    def _count(self, caller: Caller, command: FieldStatistics, now: Now) -> FieldCounts:
        """The field's counts, and those of the sessions."""
        counts: FieldCounts = self.field.perform(caller.session_id, command, now)
        sessions = self.sessions
        ended = [Count(f"sessions_ended_{reason}", n) for reason, n in sessions.n_ended.items()]
        return FieldCounts(
            (*counts.gauges, Count("sessions", sessions.n_live)),
            (*counts.counters, Count("sessions_registered", sessions.n_registered), *ended),
        )

    def _guard(self, _caller: Caller, command: Guard, now: Now) -> Guarded:
        """The process tells two agents of one name apart; where it speaks for none, the name counts."""
        agents = self.sessions.seated(command.seats)
        called = self.sessions.called(command.names)
        own = [one for one in called if one in agents] or called or ([] if command.names else agents)
        return self.field.guard(own, command, now.field_s)

    def _take_notes(self, _caller: Caller, command: Deliver, now: Now) -> Delivered:
        """Apply what another domain reports, once."""
        for note in self.received.new_notes(command):
            self._leave_trouble(note, now)
        return self.received.answer(command)

    def _leave_trouble(self, note: Note, now: Now) -> None:
        """Mark the file that an agent had trouble with; a note that says nothing to the field is passed over."""
        intensity = TROUBLE.get(note.topic)
        if intensity is not None:
            signal = LeaveSignal(note.space, SignalKind.STUCK, note.path, intensity)
            with suppress(Misuse):  # its path is not a target, or its space one too many: it must not stop the others
                self.field.perform(note.session_id, signal, now)

    def _record_received(self, event: Any) -> None:
        self.received.evolve(event)
        self.field.state.events.append(event)

    def _goodbye(self, caller: Caller, _command: Goodbye, now: Now) -> Farewell:
        ended = self.sessions.end(caller.session_id, "goodbye", now)
        return Farewell(self._bury(ended, "goodbye", now))

    def _bury(self, ended: list[str], reason: str, now: Now) -> int:
        self._departed += ended
        return self.field.end_sessions(ended, reason, now)

    def withdraw(self, ticket: Ticket, now: Now) -> None:
        """A waiting caller gave up."""
        self.field.withdraw(ticket, now)

    def undo(self, caller: Caller, answer: Any, now: Now) -> None:
        """Take back what a caller was granted that gave up."""
        self.field.undo(caller.session_id, answer, now)

    def expire(self, now: Now) -> None:
        """End sessions and claims that are due."""
        ended = self.sessions.expire(now)
        if ended:
            self._bury(ended, "expired", now)
        self.field.expire(now)

    def next_deadline_s(self) -> float | None:
        """A lower bound of the next thing that ends by itself."""
        return earlier(self.sessions.next_deadline_s(), self.field.next_deadline_s())

    def take_events(self) -> list[Any]:
        """The facts recorded since the last call."""
        events = self.field.state.events
        self.field.state.events = self.sessions.events = []
        return events

    def take_settled(self, now: Now) -> list[tuple[Ticket, Any]]:
        """Waiting requests that have their answers."""
        return self.field.take_settled(now)

    def take_departed(self) -> list[str]:
        """Sessions that have ended."""
        departed, self._departed = self._departed, []
        return departed

    def evolve(self, event: Any) -> None:
        """Apply a fact from the journal."""
        if event in SESSION_EVENTS:
            self.sessions.evolve(event)
        elif event in RECEIVED_EVENTS:
            self.received.evolve(event)
        else:
            self.field.evolve(event)

    def snapshot(self) -> Iterator[list[Any]]:
        """All state, in parts."""
        received = (["received", *row] for row in self.received.rows())
        return chain(self.sessions.snapshot(), self.field.snapshot(), received)

    def restore(self, parts: Iterable[list[Any]]) -> None:
        """Fill an empty machine. Raises `Corrupt` for a part that this version does not know."""
        for part in parts:
            if part[0] == "received":
                self.received.load(part[1:])
            elif not (self.sessions.restore_part(part) or self.field.restore_part(part)):
                raise Corrupt(f"the snapshot holds a part {part[0]!r} that this version does not know: use a newer one")

    def wake(self, now: Now) -> None:
        """After recovery: a full TTL for everyone."""
        self.sessions.wake(now)
        self.field.wake()

    def check_invariants(self) -> None:
        """Re-derive every index of both."""
        self.received.check_invariants()
        self.sessions.check_invariants()
        self.field.check_invariants()
