"""Each request takes effect once, however often it arrives.

Ray re-runs calls after a crash, so a request is known by (session, number) and its answer is kept, journaled with its
effects, until the caller says that it has it (RIFL: Lee et al., SOSP 2015). A number at or below what the caller has
received is never run again; a number that the caller gave up is refused if it has not run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from actors.runtime.errors import InvariantBroken, Misuse
from actors.runtime.event_table import EventTable

MAX_ABANDONED: Final = 4096


class Answered(NamedTuple):
    """A request has its answers: the packed list that every further arrival gets too."""

    session_id: str
    number: int
    received_through: int
    answers: bytes


class AnsweredIdly(NamedTuple):
    """The same for a request that changed nothing durable; forgetting it in a crash does no harm."""

    session_id: str
    number: int
    received_through: int
    answers: bytes


class Parked(NamedTuple):
    """A request waits; its answers will come with this ticket."""

    session_id: str
    number: int
    received_through: int
    ticket: int


class Abandoned(NamedTuple):
    """The caller gave the request up: it must not run, and if it has run it was undone."""

    session_id: str
    number: int


class Forgotten(NamedTuple):
    """The session has ended; so has its memory."""

    session_id: str


EVENTS: Final = EventTable(
    {1: Answered, 2: AnsweredIdly, 3: Parked, 4: Abandoned, 5: Forgotten}, relaxed=(AnsweredIdly,)
)


@dataclass(slots=True)
class SessionRequests:
    """One session's unacknowledged requests.

    `answers` maps a number to its packed answers, or to the ticket (an int) it waits with.
    """

    received_through: int = 0
    answers: dict[int, bytes | int] = field(default_factory=dict)
    abandoned: set[int] = field(default_factory=set)


_NOTHING: Final = SessionRequests()


class RequestMemory:
    """All sessions' unacknowledged requests, bounded in number and in bytes."""

    def __init__(self, *, max_unacknowledged: int, max_bytes: int) -> None:
        self.max_unacknowledged = max_unacknowledged
        self.max_bytes = max_bytes
        self.n_bytes = 0
        self._sessions: dict[str, SessionRequests] = {}
        self._waiting: dict[int, tuple[str, int]] = {}

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._sessions

    def recall(self, session_id: str, number: int) -> bytes | int | None:
        """The answers or the ticket of a request that has arrived before; None for a new one.

        Raises `Misuse` for a number that must not run: already received, or given up.
        """
        known = self._sessions.get(session_id)
        if known is None:
            return None
        if number <= known.received_through:
            raise Misuse(f"request {number} of {session_id!r} was answered and received before: it is not run again")
        if number in known.abandoned:
            raise Misuse(f"request {number} of {session_id!r} was given up by its caller: it is not run")
        return known.answers.get(number)

    def has_room(self, session_id: str, received_through: int) -> bool:
        """Whether one more request of this session may be remembered, once it has said what it received."""
        known = self._sessions.get(session_id, _NOTHING)
        if len(known.answers) < self.max_unacknowledged and self.n_bytes < self.max_bytes:
            return True
        received = [kept for number, kept in known.answers.items() if number <= received_through]
        n_bytes = self.n_bytes - sum(len(kept) for kept in received if isinstance(kept, bytes))
        return len(known.answers) - len(received) < self.max_unacknowledged and n_bytes < self.max_bytes

    def waiting_request(self, ticket: int) -> tuple[str, int] | None:
        """The (session, number) that waits with this ticket."""
        return self._waiting.get(ticket)

    def tickets_of(self, session_id: str) -> list[int]:
        """The tickets that this session's requests wait with."""
        answers = self._sessions.get(session_id, _NOTHING).answers.values()
        return sorted(kept for kept in answers if isinstance(kept, int))

    def abandonable(self, session_id: str, number: int) -> bool:
        """Whether giving this number up would change anything.

        Raises `Misuse` if the session has given up too many that it never spoke of again.
        """
        known = self._sessions.get(session_id, _NOTHING)
        if number <= known.received_through or number in known.abandoned:
            return False
        if len(known.abandoned) >= MAX_ABANDONED:
            raise Misuse(
                f"{session_id!r} has given up {MAX_ABANDONED} requests beyond {known.received_through}, which is the "
                "limit: say received_through, or register anew"
            )
        return True

    def evolve(self, event: Any) -> None:
        """Apply one of this module's events."""
        if type(event) is Forgotten:
            self._forget(event.session_id)
            return
        known = self._sessions.get(event.session_id)
        if known is None:
            known = self._sessions[event.session_id] = SessionRequests()
        if type(event) is Abandoned:
            self._drop(known, event.number)
            known.abandoned.add(event.number)
            return
        if event.received_through > known.received_through:
            self._acknowledge(known, event.received_through)
        self._drop(known, event.number)
        if event.number <= known.received_through:
            return
        if type(event) is Parked:
            known.answers[event.number] = event.ticket
            self._waiting[event.ticket] = (event.session_id, event.number)
        else:
            known.answers[event.number] = event.answers
            self.n_bytes += len(event.answers)

    def _acknowledge(self, known: SessionRequests, received_through: int) -> None:
        known.received_through = received_through
        for number in [number for number in known.answers if number <= received_through]:
            self._drop(known, number)
        known.abandoned = {number for number in known.abandoned if number > received_through}

    def _drop(self, known: SessionRequests, number: int) -> None:
        kept = known.answers.pop(number, None)
        if isinstance(kept, bytes):
            self.n_bytes -= len(kept)
        elif kept is not None:
            self._waiting.pop(kept, None)

    def _forget(self, session_id: str) -> None:
        known = self._sessions.pop(session_id, None)
        if known is not None:
            for number in list(known.answers):
                self._drop(known, number)

    def snapshot(self) -> Iterator[list[Any]]:
        """One part a session."""
        for session_id, known in sorted(self._sessions.items()):
            yield [session_id, known.received_through, sorted(known.answers.items()), sorted(known.abandoned)]

    def restore_part(self, part: list[Any]) -> None:
        """Take one `snapshot` part."""
        session_id, received_through, answers, abandoned = part
        known = SessionRequests(received_through, dict(answers), set(abandoned))
        self._sessions[session_id] = known
        for number, kept in known.answers.items():
            if isinstance(kept, bytes):
                self.n_bytes += len(kept)
            else:
                self._waiting[kept] = (session_id, number)

    def check_invariants(self) -> None:
        """Recount bytes and tickets."""
        kept = [answers for known in self._sessions.values() for answers in known.answers.values()]
        n_bytes = sum(len(answers) for answers in kept if isinstance(answers, bytes))
        tickets = sorted(answers for answers in kept if isinstance(answers, int))
        if n_bytes != self.n_bytes or tickets != sorted(self._waiting):
            raise InvariantBroken(f"request memory counts {self.n_bytes} bytes, holds {n_bytes}; tickets {tickets}")
