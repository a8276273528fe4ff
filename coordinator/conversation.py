"""One session's half of the wire: numbers its requests, says what it has received and what it gave up.

Pure but for the lock that lets several threads of a process share one session. One conversation belongs to one session
and one actor; a request that got its answer is received, one whose caller stopped waiting is abandoned, and the next
request of any kind tells the actor so.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from actors.runtime.errors import Busy, InvariantBroken, ScentfieldError
from actors.runtime.wire import BusyFor, Failed, Schema, decode_reply, encode_request

MAX_UNCERTAIN: Final = 256


@dataclass(frozen=True, slots=True)
class Numbers:
    """The request numbers that this process may use of a session that short-lived processes share.

    `first` to `last` are its own; from `open_from` on others may still wait for answers, so what is below is received.
    `given_up` are numbers of earlier processes that nobody waits for any more.
    """

    first: int
    last: int
    open_from: int
    given_up: frozenset[int] = frozenset()


class Conversation:
    """Builds requests and reads replies for one session at one actor."""

    def __init__(self, schema: Schema, session_id: str, token: str) -> None:
        self._schema = schema
        self._session_id = session_id
        self._token = token
        self._last = 0
        self._end: int | None = None
        self._received_limit: int | None = None
        self._open: set[int] = set()
        self._abandoned: set[int] = set()
        self._lock = threading.Lock()

    def resume(self, numbers: Numbers) -> None:
        """Go on where other processes of the same session have come to; called before the first request."""
        with self._lock:
            self._last = numbers.first - 1
            self._end = numbers.last
            self._received_limit = numbers.open_from - 1
            self._abandoned |= numbers.given_up

    def numbered(self, commands: Sequence[Any]) -> tuple[int, bytes]:
        """A request that may change something: (its number, its bytes).

        Raises `Busy` when a process has no more numbers, and `WireError` for what cannot be sent; no number is used.
        """
        with self._lock:
            if self._last == self._end:
                raise Busy(f"{self._session_id!r} has used up the request numbers of this process: call again")
            number = self._last + 1
            raw = self._encode(number, commands)
            self._last = number
            self._open.add(number)
            return number, raw

    def again(self, number: int, commands: Sequence[Any]) -> bytes:
        """The bytes of an open request that was turned away, to be sent once more; it stays the same request."""
        with self._lock:
            return self._encode(number, commands)

    def unnumbered(self, commands: Sequence[Any]) -> bytes:
        """A request of queries or signs of life."""
        with self._lock:
            return self._encode(0, commands)

    def _encode(self, number: int, commands: Sequence[Any]) -> bytes:
        not_received = self._open | self._abandoned
        received_through = min(not_received, default=self._last + 1) - 1
        if self._received_limit is not None:
            received_through = min(received_through, self._received_limit)
        wire_of = self._schema.wire_of
        packed = [wire_of(command) for command in commands]
        abandoned = sorted(self._abandoned)
        return encode_request([(self._session_id, self._token, number, received_through, abandoned, packed)])

    def told(self) -> frozenset[int]:
        """The abandoned numbers that the next request will tell; hand them to `received` once it was answered."""
        with self._lock:
            return frozenset(self._abandoned)

    def received(self, number: int, told: frozenset[int] = frozenset()) -> None:
        """The request was answered, and with it the actor knows what was abandoned."""
        with self._lock:
            self._open.discard(number)
            self._abandoned -= told

    def give_up(self, number: int) -> None:
        """Nobody waits for this request any more: it must not take effect."""
        with self._lock:
            if number in self._open:
                self._open.discard(number)
                self._abandoned.add(number)

    def turned_away(self, number: int) -> None:
        """The request was not read, though an actor before this one may have carried it out: it is given up.

        In a long outage that ends: what comes after the first `MAX_UNCERTAIN` of it has met nobody who could do it.
        """
        with self._lock:
            if number in self._open:
                self._open.discard(number)
                if len(self._abandoned) < MAX_UNCERTAIN:
                    self._abandoned.add(number)

    def answers(self, raw: bytes, n_commands: int) -> list[Any]:
        """The answers of a reply, one for each command.

        Raises `Busy` if a limit was reached, and the error that concerns the request as a whole.
        """
        replies = decode_reply(raw, self._schema)
        if len(replies) != 1 or not replies[0]:
            raise InvariantBroken(f"one request was sent, {len(replies)} replies came back")
        answers = replies[0]
        if len(answers) < n_commands or all(type(answer) is BusyFor for answer in answers):
            _raise_whole(answers[0])
        return answers


def _raise_whole(answer: Any) -> None:
    """Raise what stands for all commands of a request."""
    if type(answer) is BusyFor:
        raise Busy(
            f"the coordinator is busy: {answer.what}. Try again in {answer.retry_after_s} s", answer.retry_after_s
        )
    if type(answer) is Failed:
        raise answer.error()
    raise InvariantBroken(f"a reply has too few answers: {answer!r}")


def value_of(answer: Any) -> Any:
    """The answer to one command; raises the error that it carries."""
    error = error_of(answer)
    if error is not None:
        raise error
    return answer


def error_of(answer: Any) -> ScentfieldError | None:
    """The error that an answer carries; None for a good one."""
    if type(answer) is Failed:
        return answer.error()
    if type(answer) is BusyFor:
        return Busy(f"the coordinator is busy: {answer.what}", answer.retry_after_s)
    return None
