"""What has arrived at a state actor and has no answer yet: requests, cut into envelopes that take their turns.

Full is a decision: over a limit a request is answered `busy` at once, and nothing of it is kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from actors.runtime.errors import Misuse, ScentfieldError
from actors.runtime.kernel import BUSY_RETRY_S
from actors.runtime.settings import MailboxLimits
from actors.runtime.wire import BusyFor, Failed, decode_request, encode_reply, n_answers, pack

Reply = Callable[[bytes], None]


@dataclass(slots=True)
class Parcel:
    """A request on its way through: how many envelopes still lack their answers, and where to send them."""

    reply: Reply
    answers: list[bytes]
    n_open: int


class Unanswered(NamedTuple):
    """One envelope that has no answers yet: its place in its parcel, and how many answers it gets."""

    parcel: Parcel
    place: int
    n_answers: int


class Queued(NamedTuple):
    """An envelope that waits for its turn, and its share of the request's bytes."""

    slot: int
    fields: Any
    n_bytes: int


class Inbox:
    """The queue of envelopes, and the callers of all that are not answered, by *slot*: a number for each envelope.

    Commands with these `liveness` verbs are signs of life, which do not wait behind others.
    """

    def __init__(self, limits: MailboxLimits, liveness: frozenset[str] = frozenset()) -> None:
        self._limits = limits
        self._liveness = liveness
        self._queue: deque[Queued] = deque()
        self._unanswered: dict[int, Unanswered] = {}
        self._last_slot = 0
        self._last_caller = ""
        self.n_queued_bytes = 0
        self.n_busy = 0

    def __len__(self) -> int:
        return len(self._queue)

    @property
    def n_unanswered(self) -> int:
        """Envelopes without answers: those queued, and those that wait inside the machine."""
        return len(self._unanswered)

    @property
    def is_private(self) -> bool:
        """Whether nobody would share a turn with what is queued.

        That is so when whoever had the last turn to itself asks again, and waits for nothing else. Who asks several
        things at once, or in turns with others, gains more by sharing a commit.
        """
        return len(self._queue) == 1 and _lone_caller(self._queue[0].fields) == self._last_caller != ""

    def deliver(self, raw: bytes, reply: Reply) -> None:
        """Take a request; `reply` is called once, now or later, with the reply's bytes."""
        try:
            envelopes = decode_request(raw)
            self._check_size(envelopes)
        except Misuse as error:
            reply(encode_reply([_refusal(error, 1)]))
            return
        full = self._why_full(len(envelopes), len(raw))
        if full:
            self.n_busy += 1
            reply(encode_reply([_busy(full, n_answers(fields)) for fields in envelopes]))
        elif envelopes:
            self._enqueue(envelopes, len(raw), reply)
        else:
            reply(encode_reply([]))

    def _check_size(self, envelopes: list[Any]) -> None:
        limit = self._limits.max_queue
        if len(envelopes) > limit:
            raise Misuse(f"{len(envelopes)} envelopes in one request are over the limit of {limit}: send fewer at once")

    def _why_full(self, n_envelopes: int, n_bytes: int) -> str:
        """The limit that this request would break, as an answer's text; empty if none."""
        if len(self._queue) + n_envelopes > self._limits.max_queue:
            return f"{len(self._queue)} requests are queued"
        if self._queue and self.n_queued_bytes + n_bytes > self._limits.max_queue_bytes:
            return f"requests of {self.n_queued_bytes} bytes are queued"
        return ""

    def _enqueue(self, envelopes: list[Any], n_bytes: int, reply: Reply) -> None:
        parcel = Parcel(reply, [b""] * len(envelopes), len(envelopes))
        share = n_bytes // len(envelopes)
        for index, fields in enumerate(envelopes):
            self._last_slot += 1
            self._unanswered[self._last_slot] = Unanswered(parcel, index, n_answers(fields))
            self._queue.append(Queued(self._last_slot, fields, share))
        self.n_queued_bytes += share * len(envelopes)

    def take(self, n_most: int) -> list[Queued]:
        """The next envelopes, in the order of their arrival."""
        batch = [self._queue.popleft() for _ in range(min(len(self._queue), n_most))]
        self.n_queued_bytes -= sum(queued.n_bytes for queued in batch)
        if batch:
            self._last_caller = _lone_caller(batch[0].fields) if len(batch) == 1 else ""
        return batch

    def take_with_signs(self, n_most: int) -> list[Queued]:
        """The next envelopes, and all signs of life behind them: before a session expires, what it has sent counts."""
        batch = self.take(n_most)
        signs = [queued for queued in self._queue if self._is_sign(queued.fields)]
        if not signs:
            return batch
        self._queue = deque([queued for queued in self._queue if not self._is_sign(queued.fields)])
        self.n_queued_bytes -= sum(queued.n_bytes for queued in signs)
        self._last_caller = ""
        return [*batch, *signs]

    def _is_sign(self, fields: Any) -> bool:
        """Whether an envelope, still raw, brings signs of life and nothing else."""
        match fields:
            case [_, _, _, _, _, [_, *_] as commands]:
                return all(_verb(command) in self._liveness for command in commands)
        return False

    def put_back(self, batch: list[Queued]) -> None:
        """These envelopes are next again."""
        self._queue.extendleft(reversed(batch))
        self.n_queued_bytes += sum(queued.n_bytes for queued in batch)

    def answer(self, answers: Iterable[tuple[int, bytes]]) -> None:
        """Packed answer lists by slot; slots that were answered before are passed over."""
        for slot, packed in answers:
            waiting = self._unanswered.pop(slot, None)
            if waiting is None:
                continue
            parcel = waiting.parcel
            parcel.answers[waiting.place] = packed
            parcel.n_open -= 1
            if parcel.n_open == 0:
                parcel.reply(encode_reply(parcel.answers))

    def refuse(self, error: ScentfieldError, slots: Iterable[int]) -> None:
        """Answer all commands of these envelopes with the error."""
        for slot in slots:
            if slot in self._unanswered:
                self.answer([(slot, _refusal(error, self._unanswered[slot].n_answers))])

    def refuse_queued(self, error: ScentfieldError) -> None:
        """Answer the whole queue with the error."""
        self.refuse(error, [queued.slot for queued in self.take(len(self._queue))])

    def refuse_all(self, error: ScentfieldError) -> None:
        """Answer everybody with the error, also those that wait inside the machine."""
        self.take(len(self._queue))
        self.refuse(error, list(self._unanswered))


def _verb(command: Any) -> str:
    """What a raw command asks for; empty if it is none."""
    match command:
        case [str() as verb, *_]:
            return verb
    return ""


def _lone_caller(fields: Any) -> str:
    """The session of an envelope, if that waits for no other request meanwhile; else empty."""
    match fields:
        case [str() as session_id, _, int() as number, int() as received_through, _, _]:
            return session_id if number == received_through + 1 else ""
    return ""


def _refusal(error: ScentfieldError, n_answers: int) -> bytes:
    return pack([("failed", *Failed(error.code, error.message))] * n_answers)


def _busy(what: str, n_answers: int) -> bytes:
    return pack([("busy", *BusyFor(BUSY_RETRY_S, what))] * n_answers)
