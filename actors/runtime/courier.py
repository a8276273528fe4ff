"""Takes notes from a state actor to the others, in the background of its event loop.

One delivery is on its way to a receiver at a time. A receiver that is not there, does not answer or refuses is tried
again later; what it has is confirmed to the sender, which records it. A sender that dies in between delivers again when
it is back, and the receiver knows what it has applied.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from actors.runtime.errors import Busy, Misuse
from actors.runtime.outbox import Deliver, Outbox, Pending
from actors.runtime.received import SCHEMA
from actors.runtime.wire import BusyFor, Failed, decode_reply, encode_request

FIRST_PAUSE_S: Final = 0.1
MAX_PAUSE_S: Final = 10.0
ANSWER_S: Final = 30.0

Send = Callable[[str, bytes], Awaitable[bytes]]
"""Takes a request to the state actor of this name and brings its reply; raises if it cannot."""


@dataclass(slots=True)
class Route:
    """The way to one receiver: what is on it, and how it went. Counts since this process started.

    `trouble` says why the last delivery failed; empty if it did not.
    """

    carrying: asyncio.Task[None] | None = None
    n_delivered: int = 0
    n_failed: int = 0
    pause_s: float = 0.0
    trouble: str = ""


class Courier:
    """Carries the notes of one sender. `source` names it and its store.

    `confirm` hears (receiver, number) of all that has arrived; `again` is called when there may be more to carry.
    """

    def __init__(
        self,
        send: Send,
        *,
        source: Callable[[], str],
        confirm: Callable[[str, int], None],
        again: Callable[[], None],
        first_pause_s: float = FIRST_PAUSE_S,
        max_pause_s: float = MAX_PAUSE_S,
        answer_s: float = ANSWER_S,
    ) -> None:
        self._send = send
        self._source = source
        self._confirm = confirm
        self._again = again
        self._first_pause_s = first_pause_s
        self._max_pause_s = max_pause_s
        self._answer_s = answer_s
        self._routes: dict[str, Route] = {}

    def carry(self, outbox: Outbox) -> None:
        """Start a delivery to each receiver that has notes waiting and none on their way. The notes are committed."""
        for receiver in outbox.receivers:
            route = self._routes.setdefault(receiver, Route())
            if route.carrying is None and (pending := outbox.pending(receiver)).notes:
                route.carrying = asyncio.get_running_loop().create_task(self._carry(receiver, route, pending))

    async def _carry(self, receiver: str, route: Route, pending: Pending) -> None:
        try:
            await asyncio.wait_for(self._hand_over(receiver, pending), self._answer_s)
        except Exception as error:  # whatever it is, the notes must get there: try again later
            await asyncio.sleep(self._failed(route, error))
        else:
            route.n_delivered += len(pending.notes)
            route.pause_s, route.trouble = 0.0, ""
            self._confirm(receiver, pending.number)
        route.carrying = None
        self._again()

    async def _hand_over(self, receiver: str, pending: Pending) -> None:
        source, before = self._source(), pending.number - len(pending.notes)
        try:
            await self._deliver(receiver, Deliver(source, *pending))
        except Misuse:
            # Its store may have lost what it had from us, and we have it no longer: say where we go on.
            await self._deliver(receiver, Deliver(source, before, ()))
            await self._deliver(receiver, Deliver(source, *pending))

    async def _deliver(self, receiver: str, deliver: Deliver) -> None:
        raw = encode_request([("", "", 0, 0, (), (SCHEMA.wire_of(deliver),))])
        ((answer,),) = decode_reply(await self._send(receiver, raw), SCHEMA)
        if isinstance(answer, Failed):
            raise answer.error()
        if isinstance(answer, BusyFor):
            raise Busy(answer.what, answer.retry_after_s)

    def _failed(self, route: Route, error: Exception) -> float:
        """Note a failure; returns the seconds until the next try."""
        route.n_failed += 1
        route.trouble = f"{type(error).__name__}: {error}"[:500]
        route.pause_s = min(self._max_pause_s, max(self._first_pause_s, 2.0 * route.pause_s))
        return route.pause_s

    def describe(self) -> dict[str, dict[str, Any]]:
        """How each receiver is reached."""
        return {
            receiver: {"n_delivered": route.n_delivered, "n_failed": route.n_failed, "trouble": route.trouble}
            for receiver, route in sorted(self._routes.items())
        }
