"""`/api/v1`: the state actors' own messages over HTTP, for clients of this package that have no Ray in their process.

A request is carried to its actor as it came, with those of other callers, and so is the reply. Sessions and their
tokens are in the messages; whoever has the gateway's token may say all that a driver of the cluster may say.
"""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from actors.runtime.errors import Misuse, ScentfieldError
from coordinator.domain import DOMAINS, EMBEDDING, GATEWAY
from coordinator.gateway.batcher import Batcher
from coordinator.gateway.openapi import DOCUMENT_PATH, document
from coordinator.gateway.timeout_header import MAX_TIMEOUT_S, TIMEOUT_HEADER, timeout_s
from coordinator.metrics.probe import PATIENCE_S, Line

_DESCRIBED: Final = frozenset((*DOMAINS, EMBEDDING, GATEWAY))
_BYTES: Final = "application/octet-stream"


class Api:
    """The routes, over the line and the batcher of a gateway."""

    def __init__(self, line: Line, batcher: Batcher, usual_s: float) -> None:
        self._line = line
        self._batcher = batcher
        self._usual_s = usual_s
        self.routes = [
            Route("/api/v1/submit/{domain}", self._submit, methods=["POST"]),
            Route("/api/v1/describe/{domain}", self._describe, methods=["GET"]),
            Route(DOCUMENT_PATH, self._document, methods=["GET"]),
        ]

    async def _document(self, _request: Request) -> Response:
        return JSONResponse(document(DOMAINS, sorted(_DESCRIBED), TIMEOUT_HEADER, MAX_TIMEOUT_S))

    async def _submit(self, request: Request) -> Response:
        domain = request.path_params["domain"]
        if domain not in DOMAINS:
            return _unknown(domain)
        try:
            within_s = timeout_s(request.headers.get(TIMEOUT_HEADER), self._usual_s)
            reply = await self._batcher.call_async(domain, await request.body(), within_s)
        except ScentfieldError as error:
            return _failed(error)
        return Response(reply, media_type=_BYTES)

    async def _describe(self, request: Request) -> Response:
        domain = request.path_params["domain"]
        if domain not in _DESCRIBED:
            return _unknown(domain)
        try:
            return JSONResponse(await self._line.describe_async(domain, PATIENCE_S))
        except ScentfieldError as error:
            return _failed(error)


def _unknown(domain: str) -> Response:
    known = ", ".join(DOMAINS)
    return JSONResponse({"error": f"there is no actor {domain[:80]!r}: there are {known}"}, status_code=404)


def _failed(error: ScentfieldError) -> Response:
    return JSONResponse({"error": error.message}, status_code=400 if isinstance(error, Misuse) else 503)
