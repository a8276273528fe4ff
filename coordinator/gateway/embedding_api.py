"""`/api/v1/embedding`: the embedding actor for clients that have no Ray in their process."""

from __future__ import annotations

import asyncio
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from actors.runtime.errors import Misuse, ScentfieldError
from coordinator.embedding.line import EmbedCall, Line
from coordinator.embedding.wire import pack_answer, unpack_call
from coordinator.gateway.openapi import EMBEDDING_PATH
from coordinator.gateway.timeout_header import TIMEOUT_HEADER, timeout_s

MAX_AT_ONCE: Final = 16
"""Calls that are under way at once; each of the others keeps a thread. More wait for their turn."""
_BYTES: Final = "application/octet-stream"


class EmbeddingApi:
    """The route, over a line to the actor; None where no model is wanted."""

    def __init__(self, line: Line | None, usual_s: float, max_body_bytes: int) -> None:
        self._line = line
        self._usual_s = usual_s
        self._max_body_bytes = max_body_bytes
        self._turn = asyncio.Semaphore(MAX_AT_ONCE)
        self.routes = [Route(EMBEDDING_PATH, self._call, methods=["POST"])]

    async def _call(self, request: Request) -> Response:
        if self._line is None:
            told = "there is no embedding model here: set model under [embedding], then `scentfield down`, `up`"
            return JSONResponse({"error": told}, status_code=404)
        try:
            within_s = timeout_s(request.headers.get(TIMEOUT_HEADER), self._usual_s)
            raw = await self._answered(self._line, await request.body(), within_s)
        except ScentfieldError as error:
            return JSONResponse({"error": error.message}, status_code=400 if isinstance(error, Misuse) else 503)
        return Response(raw, media_type=_BYTES)

    async def _answered(self, line: Line, raw: bytes, within_s: float) -> bytes:
        method, arguments = unpack_call(raw, self._max_body_bytes)
        async with self._turn:
            await asyncio.to_thread(line.connect)
            if method == "embed":
                texts, call_s = arguments
                (answer,) = await line.embed_async([EmbedCall(texts, call_s, 1)], within_s)
            else:
                answer = await asyncio.to_thread(line.ask, method, arguments, within_s)
        return pack_answer(answer)
