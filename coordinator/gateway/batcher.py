"""Many callers' requests in few calls: what is asked in one turn of the event loop travels to an actor together.

The wire holds many sessions' envelopes in a request, and the actor commits them together, so a call that carries a
hundred claims costs little more than one that carries one. A call that may wait for something to happen travels alone:
a reply comes when all of it is answered.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any, Final

from actors.runtime.errors import Unavailable, WireError
from actors.runtime.trace_context import contexts_in, with_contexts
from actors.runtime.wire import MAX_REQUEST_BYTES, VERSION, decode_request, encode_request, pack, unpack_own
from coordinator.metrics.probe import Line

MAX_CALLS_A_BATCH: Final = 256
MAX_BATCH_BYTES: Final = MAX_REQUEST_BYTES // 8
_SLACK_S: Final = 1e-6


@dataclass(slots=True)
class _Waiting:
    """Calls of this turn to one actor, and who waits for each; `first` is the first of them as it came."""

    first: bytes
    envelopes: list[Any] = field(default_factory=list)
    contexts: list[str] = field(default_factory=list)
    answers: list[tuple[asyncio.Future[bytes], int]] = field(default_factory=list)
    n_bytes: int = 0
    timeout_s: float = 0.0

    def has_room(self, n_bytes: int) -> bool:
        return len(self.answers) < MAX_CALLS_A_BATCH and self.n_bytes + n_bytes <= MAX_BATCH_BYTES


class Batcher:
    """A transport for event loops over any line; calls that may take longer than `usual_s` are not batched."""

    def __init__(self, line: Line, usual_s: float) -> None:
        self._line = line
        self._usual_s = usual_s
        self._waiting: dict[str, _Waiting] = {}
        self._sending: set[asyncio.Task[None]] = set()

    def call(self, domain: str, raw: bytes, timeout_s: float) -> bytes:  # noqa: ARG002  # the protocol's signature
        """Raise `Unavailable`: on an event loop nothing may block."""
        raise Unavailable(f"{domain} can only be asked asynchronously here")

    def describe(self, domain: str, timeout_s: float) -> dict[str, Any]:  # noqa: ARG002  # the same
        """Raise `Unavailable`: the same."""
        raise Unavailable(f"{domain} can only be asked asynchronously here")

    async def call_async(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        """Send a request and wait for its reply. Raises `Unavailable`.

        Whoever is cancelled takes nobody else along; what was sent is not called back.
        """
        if timeout_s > self._usual_s + _SLACK_S or len(raw) > MAX_BATCH_BYTES:
            return await self._line.call_async(domain, raw, timeout_s)
        envelopes = decode_request(raw)
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[bytes] = loop.create_future()
        batch = self._waiting.get(domain)
        if batch is None or not batch.has_room(len(raw)):
            batch = self._waiting[domain] = _Waiting(raw)
            loop.call_soon(self._send, domain, batch)
        batch.envelopes += envelopes
        batch.contexts += contexts_in(raw) or [""] * len(envelopes)
        batch.answers.append((answer, len(envelopes)))
        batch.n_bytes += len(raw)
        batch.timeout_s = max(batch.timeout_s, timeout_s)
        try:
            async with asyncio.timeout(timeout_s):
                return await answer
        except TimeoutError as error:
            raise Unavailable(f"{domain} gave no answer within {timeout_s:g} s: this is no permission") from error

    def _send(self, domain: str, batch: _Waiting) -> None:
        if self._waiting.get(domain) is batch:
            del self._waiting[domain]
        task = asyncio.get_running_loop().create_task(self._exchange(domain, batch))
        self._sending.add(task)  # the loop itself keeps no task alive
        task.add_done_callback(self._sending.discard)

    async def _exchange(self, domain: str, batch: _Waiting) -> None:
        try:
            if len(batch.answers) == 1:  # nobody else asked: there is nothing to put together, nor to take apart
                replies = [await self._line.call_async(domain, batch.first, batch.timeout_s)]
            else:
                replies = await self._exchanged(domain, batch)
        except Exception as error:  # each caller hears of it, as if it had asked alone
            for answer, _ in batch.answers:
                if not answer.done():
                    answer.set_exception(error)
            return
        for (answer, _), one in zip(batch.answers, replies, strict=True):
            if not answer.done():
                answer.set_result(one)

    async def _exchanged(self, domain: str, batch: _Waiting) -> list[bytes]:
        """A reply for each of several callers, from one call."""
        raw = with_contexts(encode_request(batch.envelopes), batch.contexts)
        reply = await self._line.call_async(domain, raw, batch.timeout_s)
        return _taken_apart(reply, [n_envelopes for _, n_envelopes in batch.answers])


def _taken_apart(reply: bytes, n_envelopes: list[int]) -> list[bytes]:
    """One reply for each caller. A reply to the request as a whole is everybody's. Raises `WireError`."""
    frame = unpack_own(reply)
    if type(frame) is not list or len(frame) != 2 or type(frame[1]) is not list:
        raise WireError("this is not a reply: the coordinator runs another version")
    if len(frame[1]) != sum(n_envelopes):
        return [reply] * len(n_envelopes)
    replies, at = [], 0
    for n in n_envelopes:
        replies.append(pack((VERSION, frame[1][at : at + n])))
        at += n
    return replies
