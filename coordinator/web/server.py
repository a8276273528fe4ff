"""A web server in an actor: it serves an application, and says where, or what keeps it from that.

A port that is taken does not end the actor, because Ray would not start it again: it keeps trying, and says meanwhile
what is wrong.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

import uvicorn
from starlette.types import ASGIApp

from actors.runtime.log import Log
from coordinator.web.listener import listen, origin
from coordinator.web.punctual import punctual

_RETRY_S: Final = 1.0
_STOP_S: Final = 1
HEAD_S: Final = 10.0
"""How long the head of a request may take."""
MAX_CONNECTIONS: Final = 1_024
"""Connections at once, streams that stay open among them; more are told 503."""


def server_config(app: ASGIApp, *, lifespan: Literal["on", "off"], head_s: float) -> uvicorn.Config:
    """How all our servers run: quiet, with limits, without web sockets."""
    return uvicorn.Config(
        app,
        http=punctual(head_s),
        ws="none",
        lifespan=lifespan,
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=_STOP_S,
    )


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen, under which name the server is known, and what to do when it cannot."""

    host: str
    port: int
    name: str
    advice: str


class WebServer:
    """Serves one application from the running event loop on; `tell` is called with its URL when it listens."""

    def __init__(
        self,
        app: ASGIApp,
        address: Address,
        *,
        path: str = "",
        lifespan: Literal["on", "off"] = "off",
        tell: Callable[[str], object] = lambda _: None,
        head_s: float = HEAD_S,
    ) -> None:
        self._address = address
        self._log = Log(address.name)
        self._tell = tell
        self._path = path
        self._server = uvicorn.Server(server_config(app, lifespan=lifespan, head_s=head_s))
        self._url = ""
        self._trouble = ""
        self._tried = asyncio.Event()
        self._serving = asyncio.get_running_loop().create_task(self._serve())

    async def describe(self) -> dict[str, Any]:
        """Its address, or why it has none; waits for the first try."""
        await self._tried.wait()
        return {"pid": os.getpid(), "url": self._url, "trouble": self._trouble}

    async def _serve(self) -> None:
        listener = await self._listener()
        port = listener.getsockname()[1]
        self._url, self._trouble = origin(self._address.host, port) + self._path, ""
        self._tell(self._url)
        self._tried.set()
        self._log.info("serves", url=self._url)
        await self._server.serve(sockets=[listener])

    async def close(self) -> None:
        """Stop serving: connections are closed, streams among them."""
        self._server.should_exit = True
        if not self._url:
            self._serving.cancel()
        await asyncio.wait([self._serving])

    async def _listener(self) -> socket.socket:
        address = self._address
        while True:
            try:
                return listen(address.host, address.port)
            except OSError as error:
                why = f"cannot listen on {address.host}:{address.port} ({error.strerror}): {address.advice}"
                if not self._trouble:  # it is tried again and again, and said once
                    self._log.warning("does not serve", why=why)
                self._trouble = f"the {address.name} {why}"
                self._tried.set()
                await asyncio.sleep(_RETRY_S)
