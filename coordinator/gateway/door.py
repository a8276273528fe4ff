"""The door: all requests pass it before anything looks at them.

Asks the guard and the pace, and takes a body in whole, within its limits of size and time, so that nobody who is slow
holds anything up behind it.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coordinator.gateway.guard import Guard, Refusal
from coordinator.gateway.pace import Pace

API_PREFIX: Final = "/api/"
OPEN_PATHS: Final = frozenset({"/healthz", "/readyz"})
"""Asked by whoever watches over the process, under any name and without a token; they tell nothing but how it is."""
FILES_PREFIX: Final = "/page/"
"""The page's own files, which are the same for everybody; the page at / is one of them. They need no token."""
_log = logging.getLogger(__name__)


class Door:
    """Lets requests through to `app`, or says why not.

    Those for the API are judged by a guard of their own, and so are those for the page's files.
    """

    def __init__(
        self,
        app: ASGIApp,
        guard: Guard,
        api_guard: Guard,
        file_guard: Guard,
        pace: Pace,
        *,
        max_body_bytes: int,
        body_s: float,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._guard = guard
        self._api_guard = api_guard
        self._file_guard = file_guard
        self._pace = pace
        self._max_body_bytes = max_body_bytes
        self._body_s = body_s
        self._monotonic = monotonic

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            received = await self._received(scope, receive)
            if not isinstance(received, Refusal):
                await self._app(scope, received, send)
                return
            refusal = received
        _log.info("refused %s %s: %s", scope["method"], refusal.status, refusal.message)
        await _answer(refusal)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        address = str((scope.get("client") or ("",))[0])
        wait_s = self._pace.wait_s(address, self._monotonic())
        if wait_s > 0.0:
            return Refusal(
                429,
                f"too many requests from {address or 'this address'}: try again in {wait_s:.2f} s",
                (("retry-after", str(math.ceil(wait_s))),),
            )
        path: str = scope["path"]
        if path in OPEN_PATHS:
            return None
        return self._guard_of(path).refusal(Headers(scope=scope))

    def _guard_of(self, path: str) -> Guard:
        if path.startswith(API_PREFIX):
            return self._api_guard
        return self._file_guard if path == "/" or path.startswith(FILES_PREFIX) else self._guard

    async def _received(self, scope: Scope, receive: Receive) -> Receive | Refusal:
        """The body, to be received at once; or why it was not taken."""
        if scope["method"] != "POST":
            return receive
        too_large = Refusal(413, f"a body has at most {self._max_body_bytes} bytes: ask for less at once", _CLOSE)
        declared = Headers(scope=scope).get("content-length", "0")
        if not (declared.isascii() and declared.isdigit()) or int(declared) > self._max_body_bytes:
            return too_large
        try:
            async with asyncio.timeout(self._body_s):
                messages = await _read(receive, self._max_body_bytes)
        except TimeoutError:
            return Refusal(408, f"the body was not here after {self._body_s:g} s: send it at once", _CLOSE)
        return too_large if messages is None else _replayed(messages, receive)


_CLOSE: Final = (("connection", "close"),)


async def _read(receive: Receive, max_bytes: int) -> list[Message] | None:
    """The messages of a whole body; None if it is larger than `max_bytes`."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return [{"type": "http.request", "body": bytes(body), "more_body": True}, message]
        body += message.get("body", b"")
        if len(body) > max_bytes:
            return None
        if not message.get("more_body", False):
            return [{"type": "http.request", "body": bytes(body), "more_body": False}]


def _replayed(messages: list[Message], receive: Receive) -> Receive:
    async def replay() -> Message:
        return messages.pop(0) if messages else await receive()

    return replay


def _answer(refusal: Refusal) -> JSONResponse:
    return JSONResponse({"error": refusal.message}, status_code=refusal.status, headers=dict(refusal.headers))
