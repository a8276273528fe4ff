"""The exchange of one request: numbered once, retried while the coordinator is busy, given up cleanly."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from actors.runtime.errors import BadTarget, Busy, Misuse, StaleGeneration, UnknownAgent, error_from_code
from actors.runtime.wire import Failed
from coordinator.conversation import value_of
from coordinator.domain import SCENT_FIELD
from coordinator.session import AgentSession, explain_end
from coordinator.step import Call, Operation, Pause

_READ = (Misuse, BadTarget, StaleGeneration, UnknownAgent)


class Asker:
    """Sends a session's requests to one actor.

    `monotonic` and `jitter` (a number in [0, 1)) are inputs, so that retries can be tested without waiting.
    """

    def __init__(
        self,
        domain: str,
        *,
        timeout_s: float,
        jitter: Callable[[], float],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._domain = domain
        self._timeout_s = timeout_s
        self._jitter = jitter
        self._monotonic = monotonic

    def query(self, session: AgentSession, command: Any, *, wait_s: float = 0.0) -> Operation[Any]:
        """Ask something that changes nothing; returns its answer. Raises `Busy`, `Unavailable` or `Misuse`."""
        conversation = session.conversations[self._domain]
        deadline_s = self._monotonic() + self._timeout_s + wait_s
        while True:
            raw = yield Call(self._domain, conversation.unnumbered([command]), self._timeout_s + wait_s)
            try:
                return value_of(conversation.answers(raw, 1)[0])
            except Busy as busy:
                yield self._pause(busy, deadline_s)

    def request(self, session: AgentSession, command: Any, *, wait_s: float = 0.0) -> Operation[Any]:
        """Ask for something that changes state; returns its answer. Raises as `query`, and `UnknownAgent`."""
        answers = yield from self.request_many(session, [command], wait_s=wait_s)
        return value_of(answers[0])

    def request_many(
        self, session: AgentSession, commands: Sequence[Any], *, wait_s: float = 0.0
    ) -> Operation[list[Any]]:
        """Several changes in one call and one commit; returns an answer each, `Failed` ones among them.

        Whoever stops waiting (a time-out, an interrupt, a cancelled task) gives the request up: it is refused if it has
        not run, and undone if it has.
        """
        conversation = session.conversations[self._domain]
        told = conversation.told()
        number, raw = conversation.numbered(commands)
        deadline_s = self._monotonic() + self._timeout_s + wait_s
        try:
            while True:
                reply = yield Call(self._domain, raw, self._timeout_s + wait_s)
                try:
                    answers = yield from self._read(session, reply, len(commands))
                    break
                except Busy as busy:
                    yield self._pause(busy, deadline_s)
                told, raw = conversation.told(), conversation.again(number, commands)
        except BaseException:
            conversation.give_up(number)
            _tell_soon(session)
            raise
        if _went_unread(answers[0]):
            conversation.turned_away(number)
            _tell_soon(session)
        else:
            conversation.received(number, told)
        return answers

    def _read(self, session: AgentSession, reply: bytes, n_commands: int) -> Operation[list[Any]]:
        """The answers; if the session has ended, the error says what it lost, and to whom."""
        answers = session.conversations[self._domain].answers(reply, n_commands)
        first = answers[0]
        if type(first) is Failed and first.code == UnknownAgent.code and self._domain == SCENT_FIELD:
            raise (yield from explain_end(session, UnknownAgent(first.message), self._timeout_s))
        return answers

    def _pause(self, busy: Busy, deadline_s: float) -> Pause:
        """How long to wait before the next try; raises `busy` when the deadline would pass."""
        for_s = busy.retry_after_s * (0.5 + self._jitter())
        if self._monotonic() + for_s > deadline_s:
            raise busy
        return Pause(for_s)


def _tell_soon(session: AgentSession) -> None:
    """What a request did that was given up is undone when the actor hears of that."""
    if session.end is None:
        session.nudge()


def _went_unread(answer: Any) -> bool:
    """Whether the actor may not have looked at the request.

    Then it does not know what was given up either, and an actor before it may have carried the request out.
    """
    return type(answer) is Failed and error_from_code(answer.code, "").__class__ not in _READ
