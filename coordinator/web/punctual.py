"""HTTP/1.1 for callers that get to the point: a connection whose next request's head does not come is closed.

The server's own time limit begins after a response only; without this, whoever sends a head byte by byte keeps a
connection for ever.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle


class PunctualProtocol(H11Protocol):
    """Closes a connection `head_s` seconds after it began, or after a request's first byte, if no head is complete."""

    head_s = 10.0
    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in what it extends
        """A connection has begun."""
        super().connection_made(transport)
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        """Bytes have come."""
        super().data_received(data)
        cycle: RequestResponseCycle | None = self.cycle  # which is None before the first request
        if cycle is not None and not cycle.response_complete:
            self._forget_limit()
        elif self._limit is None:
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is over."""
        self._forget_limit()
        super().connection_lost(exc)

    def _expect_head(self) -> None:
        self._limit = self.loop.call_later(self.head_s, self.transport.close)

    def _forget_limit(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None


def punctual(head_s: float) -> type[PunctualProtocol]:
    """The protocol with a time limit in seconds."""
    return type("PunctualProtocol", (PunctualProtocol,), {"head_s": head_s})
