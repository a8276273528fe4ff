"""The pure half of the shell: one turn takes the envelopes that have arrived and gives events and answers.

Within a turn, signs of life are applied first, then everything that is due expires, then the other commands run in
the order of their arrival. So a heartbeat that has arrived counts, and no answer ever shows a lease that is over. The
kernel knows nothing of claims or files: it authenticates, runs each request once, parks those that wait, and collects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from actors.runtime.errors import Misuse, UnknownAgent
from actors.runtime.machine import NOBODY, Caller, Machine, Now, Ticket
from actors.runtime.request_memory import EVENTS as MEMORY_EVENTS
from actors.runtime.request_memory import (
    Abandoned,
    Answered,
    AnsweredIdly,
    Forgotten,
    Parked,
    RequestMemory,
)
from actors.runtime.wire import BusyFor, Envelope, Failed, decode_envelope, n_answers, pack, unpack_own

BUSY_RETRY_S: Final = 0.05
MAX_SLOTS_OF_TICKET: Final = 8
_MAX_MESSAGE: Final = 4096


@dataclass(slots=True)
class Turn:
    """What came of one turn: `events` to journal, then `answers` (slot, packed answer list) to send.

    `durable`: an event must be committed before the answers are sent. `tells_committed`: an answer tells counts that
    must not be more than the store holds, so what is relaxed has to be committed first too.
    """

    events: list[Any] = field(default_factory=list)
    answers: list[tuple[int, bytes]] = field(default_factory=list)
    durable: bool = False
    tells_committed: bool = False


class Kernel:
    """Runs envelopes against one machine, each request once.

    A *slot* is the shell's number for a caller that waits for an answer; several slots may wait for one request.
    """

    def __init__(self, machine: Machine, *, max_unacknowledged: int = 256, max_memory_bytes: int = 64 * 2**20) -> None:
        self.machine = machine
        self.events = machine.events + MEMORY_EVENTS
        self.memory = RequestMemory(max_unacknowledged=max_unacknowledged, max_bytes=max_memory_bytes)
        self._slots: dict[int, list[int]] = {}
        self._answered: dict[int, list[int]] = {}
        self._departed: list[str] = []
        self._turn = Turn()

    def turn(self, arrivals: Sequence[tuple[int, Any]], now: Now) -> Turn:
        """Run (slot, raw envelope) pairs at `now`.

        A machine that raises anything but `Misuse` has a bug: it comes out of here, and the state is not to be used.
        """
        turn = self._turn = Turn()
        self._answered = {}
        later = []
        for slot, fields in arrivals:
            envelope = self._decoded(slot, fields)
            if envelope is None:
                continue
            if self.machine.schema.liveness.issuperset(map(type, envelope.commands)):
                self._run(slot, envelope, now)
            else:
                later.append((slot, envelope))
        self.machine.expire(now)
        self._collect(now)
        for slot, envelope in later:
            self._run(slot, envelope, now)
        self._collect(now)
        return turn

    def _decoded(self, slot: int, fields: Any) -> Envelope | None:
        try:
            return decode_envelope(fields, self.machine.schema)
        except Misuse as error:
            self._answer(slot, [_failed(error)] * n_answers(fields))
            return None

    def _run(self, slot: int, envelope: Envelope, now: Now) -> None:
        try:
            self._check_waiting(envelope)
            if envelope.number:
                self._run_numbered(slot, envelope, now)
            else:
                self._run_unnumbered(slot, envelope, now)
        except Misuse as error:
            self._answer(slot, [_failed(error)] * len(envelope.commands))

    def _check_waiting(self, envelope: Envelope) -> None:
        schema = self.machine.schema
        for command in envelope.commands:
            if not schema.may_wait(command):
                continue
            if len(envelope.commands) > 1:
                raise Misuse("a command that may wait must be alone in its request")
            if envelope.number and type(command) in schema.queries:
                raise Misuse("a query that waits is not remembered: ask it without a request number")

    def _run_unnumbered(self, slot: int, envelope: Envelope, now: Now) -> None:
        schema = self.machine.schema
        free = schema.queries | schema.anonymous
        caller = NOBODY
        if envelope.abandoned or not all(type(command) in free for command in envelope.commands):
            caller = self.machine.admit(envelope.session_id, envelope.token, now)
            self._give_up(caller, envelope, now)
        answers = []
        for command in envelope.commands:
            if type(command) not in free and type(command) not in schema.liveness:
                answers.append(_failed(Misuse("a command that changes state needs a request number from 1")))
                continue
            answer = self._perform(caller, command, now)
            if type(answer) is Ticket:
                self._attach(answer.number, slot)
                return
            answers.append(answer)
        self._take_events()
        self._answer(slot, answers)

    def _run_numbered(self, slot: int, envelope: Envelope, now: Now) -> None:
        caller = self.machine.admit(envelope.session_id, envelope.token, now)
        self._take_events()
        self._give_up(caller, envelope, now)
        before = self.memory.recall(caller.session_id, envelope.number)
        if isinstance(before, bytes):
            self._turn.answers.append((slot, before))
        elif before is not None:
            self._attach(before, slot)
        elif not self.memory.has_room(caller.session_id, envelope.received_through):
            what = "too many answers wait to be acknowledged"
            self._answer(slot, [BusyFor(BUSY_RETRY_S, what)] * len(envelope.commands))
        else:
            self._run_first_time(slot, caller, envelope, now)

    def _run_first_time(self, slot: int, caller: Caller, envelope: Envelope, now: Now) -> None:
        answers: list[Any] = []
        for command in envelope.commands:
            answer = self._perform(caller, command, now)
            if type(answer) is Ticket:
                self._take_events()
                self._park(slot, caller, envelope, answer)
                return
            answers.append(answer)
        changed = self._take_events()
        packed = self._answer(slot, answers)
        if not changed and all(type(answer) is BusyFor for answer in answers):
            return  # it comes again under its number, and is no repetition then
        kind = Answered if changed else AnsweredIdly
        self._record(kind(caller.session_id, envelope.number, envelope.received_through, packed))

    def _park(self, slot: int, caller: Caller, envelope: Envelope, ticket: Ticket) -> None:
        self._attach(ticket.number, slot)
        self._record(Parked(caller.session_id, envelope.number, envelope.received_through, ticket.number))

    def _attach(self, ticket: int, slot: int) -> None:
        """One more call waits for this ticket; of too many, the first ones are turned away."""
        slots = self._slots.setdefault(ticket, [])
        slots.append(slot)
        if len(slots) > MAX_SLOTS_OF_TICKET:
            self._answer(slots.pop(0), [BusyFor(BUSY_RETRY_S, "the same request waits in later calls")])

    def _perform(self, caller: Caller, command: Any, now: Now) -> Any:
        if type(command) in self.machine.schema.committed:
            self._turn.tells_committed = True
        if self._departed and caller.session_id in self._departed:
            return _failed(
                UnknownAgent(f"agent {caller.session_id!r} has ended earlier in this request: register anew")
            )
        try:
            return self.machine.perform(caller, command, now)
        except Misuse as error:
            return _failed(error)
        finally:
            self._departed += self.machine.take_departed()

    def _give_up(self, caller: Caller, envelope: Envelope, now: Now) -> None:
        """Undo what the caller no longer waits for; refuse it should it arrive later."""
        if envelope.abandoned:
            self._collect(now)
        for number in envelope.abandoned:
            if self.memory.abandonable(caller.session_id, number):
                self._abandon(caller, number, now)

    def _abandon(self, caller: Caller, number: int, now: Now) -> None:
        before = self.memory.recall(caller.session_id, number)
        if isinstance(before, bytes):
            self._undo(caller, before, now)
        elif before is not None:
            self.machine.withdraw(Ticket(before), now)
        self._take_events()
        self._record(Abandoned(caller.session_id, number))
        if isinstance(before, int):
            self._answer_slots(before, pack([_wire_failed(Misuse("the caller gave this request up"))]))

    def _undo(self, caller: Caller, answers: bytes, now: Now) -> None:
        for fields in reversed(unpack_own(answers)):
            self.machine.undo(caller, self.machine.schema.answer(fields), now)

    def _collect(self, now: Now) -> None:
        """Answer the waiting requests that are settled, and forget the sessions that have ended."""
        settled = self.machine.take_settled(now)
        self._take_events()
        for ticket, answer in settled:
            packed = pack([self.machine.schema.wire_of(answer)])
            request = self.memory.waiting_request(ticket.number)
            if request is not None:
                self._record(Answered(*request, 0, packed))
            self._answer_slots(ticket.number, packed)
        departed, self._departed = [*self._departed, *self.machine.take_departed()], []
        for session_id in departed:
            self._forget(session_id)

    def _forget(self, session_id: str) -> None:
        for ticket in self.memory.tickets_of(session_id):
            ended = UnknownAgent(f"agent {session_id!r} has ended, and with it what it waited for: register anew")
            self._answer_slots(ticket, pack([_wire_failed(ended)]))
        if session_id in self.memory:
            self._record(Forgotten(session_id))

    def _answer_slots(self, ticket: int, packed: bytes) -> None:
        slots = self._slots.pop(ticket, [])
        self._turn.answers += [(slot, packed) for slot in slots]
        self._answered[ticket] = slots

    def take_slots(self) -> dict[int, list[int]]:
        """The slots of the calls that wait, by ticket, for the kernel that takes this one's place.

        Those that the last turn answered are among them: they wait again if that turn is not committed.
        """
        slots = {**self._slots, **self._answered}
        self._slots, self._answered = {}, {}
        return slots

    def adopt(self, slots: Mapping[int, Sequence[int]]) -> list[int]:
        """Take over calls that waited in a kernel before this one; returns the slots that nothing here will answer."""
        orphans: list[int] = []
        for ticket, waiting in slots.items():
            if self.memory.waiting_request(ticket) is None:
                orphans += waiting
            else:
                self._slots.setdefault(ticket, []).extend(waiting)
        return orphans

    def _answer(self, slot: int, answers: Sequence[Any]) -> bytes:
        wire_of = self.machine.schema.wire_of
        packed = pack([wire_of(answer) for answer in answers])
        self._turn.answers.append((slot, packed))
        return packed

    def _take_events(self) -> bool:
        """Move the machine's new events into the turn; True if one of them is durable."""
        events = self.machine.take_events()
        if not events:
            return False
        durable = self.events.any_durable(events)
        self._turn.events += events
        self._turn.durable |= durable
        return durable

    def _record(self, event: Any) -> None:
        self.memory.evolve(event)
        self._turn.events.append(event)
        self._turn.durable |= type(event) not in MEMORY_EVENTS.relaxed

    def evolve(self, code: int, fields: list[Any]) -> None:
        """Apply one journaled event. Raises `KeyError` for an unknown code and `WireError` for wrong fields."""
        event = self.events.make(code, fields)
        if event in MEMORY_EVENTS:
            self.memory.evolve(event)
        else:
            self.machine.evolve(event)

    def snapshot(self) -> Iterator[list[Any]]:
        """The memory's parts, then the machine's; each a list whose first item says whose it is."""
        return chain((["memory", *part] for part in self.memory.snapshot()), self.machine.snapshot())

    def restore(self, parts: Iterable[list[Any]]) -> None:
        """Fill a new kernel from `snapshot` parts."""

        def machine_parts() -> Iterator[list[Any]]:
            for part in parts:
                if part[0] == "memory":
                    self.memory.restore_part(part[1:])
                else:
                    yield part

        self.machine.restore(machine_parts())

    def check_invariants(self) -> None:
        """Re-derive every index; raises `InvariantBroken`."""
        self.memory.check_invariants()
        self.machine.check_invariants()


def _failed(error: Misuse) -> Failed:
    return Failed(error.code, error.message[:_MAX_MESSAGE])


def _wire_failed(error: Misuse) -> tuple[str, str, str]:
    return ("failed", *_failed(error))
