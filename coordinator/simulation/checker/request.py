"""Each request takes effect once, what was answered is in the store, and what was given up is undone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from actors.runtime.request_memory import Abandoned, Answered, AnsweredIdly, Parked
from actors.runtime.wire import unpack_own
from actors.scent_field.event import WaiterLeft
from actors.sessions.registry import SessionRegistered
from coordinator.simulation.checker.entry import Lease
from coordinator.simulation.checker.rule import Committed, Record, Rule
from coordinator.simulation.history import Heard, Message, Replied, Sent

DURABLE: tuple[str, ...] = ("granted", "deposited", "farewell", "recorded")
"""Answers that tell of something that must not be lost; `released` and `recorded` do so if something was."""
SCENT_FIELD = "scent_field"
MAY_BE_MISUSE: tuple[str, ...] = ("transfer",)


@dataclass(slots=True)
class Memory:
    """What the store says of one request."""

    answers: bytes | None = None
    ticket: int | None = None
    is_abandoned: bool = False
    place: int = -1


class OnceEach(Rule):
    """A request is carried out once, and never after it was given up or its answer received."""

    name: ClassVar[str] = "each request takes effect once"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._memory: dict[tuple[str, str, int], Memory] = {}
        self._received: dict[tuple[str, str], int] = {}
        self._sent: dict[int, Sent] = {}
        self._served: set[int] = set()

    def fact(self, event: Any) -> None:
        """Facts about requests to the scent field, and about those of them that wait."""
        if isinstance(event, WaiterLeft) and event.reason == "granted":
            self._served.add(event.ticket)
        self._take(event, self.row.actor)

    def _take(self, event: Any, actor: str) -> None:
        if not isinstance(event, (Answered, AnsweredIdly, Parked, Abandoned)):
            return
        memory = self._memory.setdefault((actor, event.session_id, event.number), Memory())
        if isinstance(event, Abandoned):
            if actor == SCENT_FIELD:
                self._check_undone(event, memory)
            memory.is_abandoned = True
        else:
            self._check_once(event, memory, (actor, event.session_id))
            if isinstance(event, Parked):
                memory.ticket = event.ticket
            else:
                memory.answers = event.answers
        memory.place = self.place

    def _check_once(self, event: Answered | AnsweredIdly | Parked, memory: Memory, whose: tuple[str, str]) -> None:
        which = f"request {event.number} of {event.session_id}"
        if memory.answers is not None or (isinstance(event, Parked) and memory.ticket is not None):
            self.broken(f"{which} was carried out twice", memory.place)
        if memory.is_abandoned:
            self.broken(f"{which} was carried out after it was given up", memory.place)
        if event.number <= self._received.get(whose, 0):
            self.broken(f"{which} was carried out after its answer had been received", memory.place)
        self._received[whose] = max(self._received.get(whose, 0), event.received_through)

    def _check_undone(self, abandoned: Abandoned, memory: Memory) -> None:
        """What a request did is taken back just before the fact that it was given up."""
        which = f"request {abandoned.number} of {abandoned.session_id} was given up, but"
        if memory.ticket in self.book.waiters and memory.answers is None:
            self.broken(f"{which} it still waits", memory.place)
        if memory.ticket in self._served and memory.answers is None:
            self.broken(f"{which} it had been served, and keeps what it got", memory.place)
        granted = [] if memory.answers is None else list(_granted(unpack_own(memory.answers)))
        for lease in self.book.claims_of(abandoned.session_id) if granted else ():
            if not lease.renewed and any(_is_granted(lease, one) for one in granted):
                self.broken(f"{which} its claim on {', '.join(lease.targets)} still lives", memory.place, lease.began)

    def saw(self, record: Record) -> None:
        """Facts of other actors, and what callers hear."""
        match record:
            case Sent():
                self._sent[record.call] = record
            case Committed() if record.actor != SCENT_FIELD:
                for event in record.events:
                    self._take(event, record.actor)
            case Heard():
                self._check_heard(record)

    def _check_heard(self, heard: Heard) -> None:
        """A caller that is still waiting is never told that its request was wrong, unless it may have been."""
        if any(command[0] in MAY_BE_MISUSE for command in self._sent[heard.call].commands):
            return
        for answer in heard.answers:
            if answer[0] == "failed" and answer[1] in ("misuse", "wire", "invariant_broken"):
                self.broken(f"{heard.who} was told {answer[1]}: {answer[2][:200]}")


class Acknowledged(Rule):
    """What a reply tells is committed before the reply is sent, and stays what it was."""

    name: ClassVar[str] = "acknowledged is committed"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._sent: dict[int, Sent] = {}
        self._answers: dict[tuple[str, str, int], bytes] = {}
        self._durable: dict[tuple[str, str, int], bool] = {}
        self._registered: set[str] = set()

    def _take(self, event: Any, actor: str) -> None:
        if isinstance(event, (Answered, AnsweredIdly)):
            key = (actor, event.session_id, event.number)
            self._answers[key] = event.answers
            self._durable[key] = isinstance(event, Answered)
        elif isinstance(event, SessionRegistered):
            self._registered.add(event.session_id)

    def saw(self, record: Record) -> None:
        """Rows of all actors, then replies."""
        match record:
            case Sent():
                self._sent[record.call] = record
            case Committed():
                for event in record.events:
                    self._take(event, record.actor)
            case Replied():
                self._check(record, self._sent[record.call])

    def _check(self, replied: Replied, sent: Sent) -> None:
        if any(answer[0] == "registered" and answer[1] not in self._registered for answer in replied.answers):
            self.broken(f"call {replied.call} was told of a session that is not in the store")
        if not sent.number or not any(_tells(answer) for answer in replied.answers):
            return
        key = (replied.actor, sent.session_id, sent.number)
        stored = self._answers.get(key)
        which = f"request {sent.number} of {sent.session_id}"
        if stored is None:
            self.broken(f"{which} was answered {replied.answers[0][0]!r}, which is not in the store")
        elif tuple(unpack_own(stored)) != replied.answers:
            self.broken(f"{which} was answered otherwise than the store says")
        elif not self._durable[key]:
            self.broken(f"{which} was answered {replied.answers[0][0]!r} and remembered as if it could be lost")


class _Grant(NamedTuple):
    """A claim that an answer tells of; of a run of claims without the targets, which the question named."""

    space: str
    generation: int
    targets: tuple[str, ...] | None


def _granted(answers: Iterable[Message]) -> Iterator[_Grant]:
    """The new claims that answers tell of."""
    for verb, *fields in answers:
        if verb == "granted" and not fields[4]:
            yield _Grant(fields[7], fields[0], tuple(fields[1]))
        elif verb == "claimed_each":
            space, _expires_in_s, _kept_by, runs, apart = fields
            for _place, n_claims, generation in runs:
                yield from (_Grant(space, generation + at, None) for at in range(n_claims))
            yield from _granted(["granted", *granted] for _, granted, *_others in apart if granted)


def _is_granted(lease: Lease, grant: _Grant) -> bool:
    same = (lease.space, lease.generation) == (grant.space, grant.generation)
    return same and grant.targets in (None, lease.targets)


def _tells(answer: Message) -> bool:
    """Whether an answer tells of a change that must not be lost."""
    match answer:
        case ["released", n_released, *_]:
            return bool(n_released > 0)
        case ["recorded", signal, is_escalated, is_risky]:
            return bool(signal or is_escalated or is_risky)
        case ["claimed_each", *_]:
            return any(True for _ in _granted([answer]))
    return answer[0] in DURABLE
