"""MCP over streamable HTTP: each MCP session is an agent session, which lives as long as its client is there.

The revision 2026-07-28 of the protocol has no sessions, so nobody could tell by it whether a client is there; its
callers are told which revisions are served, and go on with the handshake.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import INVALID_REQUEST, UNSUPPORTED_PROTOCOL_VERSION
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from actors.runtime.errors import Busy, Misuse, ScentfieldError
from coordinator.core import Core, Identity
from coordinator.embedding.embedder import Embedder
from coordinator.gateway.attendance import Attendance
from coordinator.gateway.in_flight import MAX_ID_LENGTH, InFlight, is_too_long, request_id
from coordinator.gateway.jail import Jail
from coordinator.gateway.mcp_server import Context, make_server
from coordinator.gateway.party import Party, agent_name
from coordinator.heart import monotonic_s
from coordinator.session import AgentSession, beat
from coordinator.settings import Settings
from coordinator.step import Transport, drive_async
from coordinator.workspace import Workspace

AGENT_HEADER: Final = "scentfield-agent"
ROOT_HEADER: Final = "scentfield-root"
SEAT_HEADER: Final = "scentfield-seat"
HOOK_PREFIX: Final = "hook "
"""What the key of a client's hooks begins with; no MCP session's does."""
_SESSION_HEADER: Final = "mcp-session-id"
_VERSION_HEADER: Final = "mcp-protocol-version"
_BEATS_A_TTL: Final = 3.0
_ROUND_S: Final = 0.25
_MOMENT_S: Final = 1.0
_LOOK_S: Final = 0.02
_log = logging.getLogger(__name__)


class McpSite:
    """An ASGI application for one path; `run` has to be entered while it serves."""

    def __init__(
        self,
        settings: Settings,
        jail: Jail,
        transport: Transport,
        embedder: Embedder | None = None,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._jail = jail
        self._transport = transport
        self._embedder = embedder
        self._monotonic = monotonic
        self._parties: dict[str, Party] = {}
        self._roots: dict[Party, Path] = {}
        self._attendance = Attendance(silent_s=settings.gateway.silent_s, gone_s=settings.gateway.gone_s)
        self._in_flight = InFlight()
        self._manager = StreamableHTTPSessionManager(
            make_server(self._party_of),
            session_idle_timeout=None,  # attendance decides
            max_request_body_size=settings.gateway.max_body_bytes,
            max_sessions=settings.gateway.max_sessions,
        )

    @contextlib.asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Serve, and keep sessions alive meanwhile; at the end all of them end."""
        async with self._manager.run():
            beating = [asyncio.create_task(self._beat()), asyncio.create_task(self._look_round())]
            try:
                yield
            finally:
                for task in beating:
                    task.cancel()
                await asyncio.gather(*beating, return_exceptions=True)
                await asyncio.gather(*(self._end(session) for session in list(self._parties)))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        headers = Headers(scope=scope)
        revision = headers.get(_VERSION_HEADER)
        if revision is not None and revision not in HANDSHAKE_PROTOCOL_VERSIONS:
            await _unsupported(revision)(scope, receive, send)
            return
        body: Message = {} if scope["method"] != "POST" else await receive()  # the door gives all of it at once
        asked = request_id(body.get("body", b""))
        if asked is not None and is_too_long(asked):
            await _refused(None, f"a request's id has at most {MAX_ID_LENGTH} characters")(scope, receive, send)
            return
        whole = _after(body, receive) if body else receive
        session = headers.get(_SESSION_HEADER)
        if session is None:
            await self._manager.handle_request(scope, whole, partial(self._send_opening, send))
        elif asked is None:
            await self._attended(session, scope, whole, send)
        elif await self._takes(session, asked):
            try:
                await self._attended(session, scope, whole, send)
            finally:
                self._in_flight.answered(session, asked)
        else:
            what = f"a request with the id {asked!r} is being answered: give each request of a session its own id"
            await _refused(asked, what)(scope, receive, send)

    async def _takes(self, session: str, asked: str | int) -> bool:
        """Whether an id is free, or is so in a moment: a client has its answer before the request is over here."""
        until_s = self._monotonic() + _MOMENT_S
        while not self._in_flight.took(session, asked):
            if self._monotonic() >= until_s:
                return False
            await asyncio.sleep(_LOOK_S)
        return True

    async def _attended(self, session: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request of a session, which is there meanwhile."""
        is_stream = scope["method"] == "GET"
        self._attendance.opened(session, self._monotonic(), is_stream=is_stream)
        try:
            await self._manager.handle_request(scope, receive, send)
        finally:
            self._attendance.closed(session, self._monotonic(), is_stream=is_stream)
        if scope["method"] == "DELETE":
            await self._end(session)

    async def _send_opening(self, send: Send, message: Message) -> None:
        """Pass an answer on to a client without a session; one that has begun is noted."""
        if message["type"] == "http.response.start" and message["status"] == 200:
            session = Headers(raw=message["headers"]).get(_SESSION_HEADER)
            if session is not None:
                self._attendance.began(session, self._monotonic())
        await send(message)

    def _party_of(self, context: Context) -> Party:
        """The party of a call's session, made at its first call. Raises `Misuse` for a root that is not served."""
        if context.request is None:
            raise Misuse("agents are served over HTTP only")
        headers: Headers = context.request.headers
        session = headers.get(_SESSION_HEADER, "")
        party = self._parties.get(session)
        if party is None:
            if session not in self._attendance:
                raise Misuse("this MCP session has ended: connect again")
            client = context.session.client_params
            named = unquote(headers.get(AGENT_HEADER, ""))
            name = named or ("" if client is None else client.client_info.name)
            workspace = self._jail.workspace(unquote(headers.get(ROOT_HEADER, "")))
            seat = headers.get(SEAT_HEADER, "")
            party = self._parties[session] = self._hooked_only(seat, workspace) or self._make(name, workspace, seat)
        return party

    def _make(self, name: str, workspace: Workspace, seat: str) -> Party:
        party = Party(agent_name(name), partial(self._core, workspace), seat)
        self._roots[party] = workspace.root
        return party

    def _seated(self, seat: str, workspace: Workspace) -> list[Party]:
        """The parties that speak for this process in this tree, the oldest first."""
        return [one for one, root in self._roots.items() if seat and (one.seat, root) == (seat, workspace.root)]

    def _over_mcp_only(self, seat: str, workspace: Workspace) -> Party | None:
        """The party of a client's MCP session, for the hooks of its first conversation; each further one is another."""
        hooked = {party for key, party in self._parties.items() if key.startswith(HOOK_PREFIX)}
        return next((one for one in self._seated(seat, workspace) if one not in hooked), None)

    def _hooked_only(self, seat: str, workspace: Workspace) -> Party | None:
        """The party of a client's hooks, for its first MCP session; each further one is an agent of its own."""
        over_mcp = {party for key, party in self._parties.items() if not key.startswith(HOOK_PREFIX)}
        return next((one for one in self._seated(seat, workspace) if one not in over_mcp), None)

    def hooked(self, key: str, name: str, seat: str, root: str) -> Party:
        """The party of a client's hooks, begun with its first one; that of its MCP session where it has one.

        Raises `Misuse` for a root that is not served, and `Busy` for one session too many.
        """
        party = self._parties.get(key)
        if party is None:
            if len(self._parties) >= self._settings.gateway.max_sessions:
                raise Busy(f"{len(self._parties)} sessions are served, which is the limit: try again later", 1.0)
            workspace = self._jail.workspace(root)
            party = self._parties[key] = self._over_mcp_only(seat, workspace) or self._make(name, workspace, seat)
        self._attendance.began(key, self._monotonic())
        return party

    async def unhook(self, key: str) -> None:
        """The client's hooks say that its session is over; what it has open over MCP ends by itself."""
        await self._end(key)

    def _core(self, workspace: Workspace, identity: Identity) -> Core:
        return Core(self._settings, workspace, self._transport, identity, self._embedder)

    async def _beat(self) -> None:
        """Keep the sessions alive whose clients are there; all beats of a round travel in one call."""
        period_s = self._settings.ttl_s / _BEATS_A_TTL
        while True:
            await asyncio.sleep(period_s)
            sessions = [one for party in self._roots for one in party.sessions()]
            await asyncio.gather(*map(self._beat_one, sessions))

    async def _beat_one(self, session: AgentSession) -> None:
        timeout_s = min(self._settings.ttl_s * 2.0 / _BEATS_A_TTL, self._settings.call_timeout_s)
        try:
            await drive_async(beat(session, monotonic_s(), timeout_s), self._transport)
        except ScentfieldError as error:  # an end is told at the next call
            _log.warning("a heartbeat of %s was not taken: %s", session.session_id, error.message)
        except Exception:  # a bug of ours must not be the end of all sessions
            _log.exception("a heartbeat of %s failed", session.session_id)

    async def _look_round(self) -> None:
        """End the sessions whose clients have gone without a word."""
        while True:
            await asyncio.sleep(_ROUND_S)
            for session in self._attendance.absent(self._monotonic()):
                _log.info("an MCP session of %s is over: its client has gone", self._name_of(session))
                await self._give_up(session)

    async def _give_up(self, session: str) -> None:
        """End a session whose client has gone. What fails is tried again in the next round, or its TTL ends it."""
        try:
            if not session.startswith(HOOK_PREFIX):
                await self._close_transport(session)
            await self._end(session)
        except Exception:  # a bug of ours must not keep the others that have gone
            _log.exception("the end of an MCP session of %s failed", self._name_of(session))

    def _name_of(self, session: str) -> str:
        party = self._parties.get(session)
        return "nobody" if party is None else party.name

    async def _close_transport(self, session: str) -> None:
        """Have the library forget the session, as if its client had asked for that."""
        headers = [(_SESSION_HEADER.encode(), session.encode()), (b"accept", b"application/json, text/event-stream")]
        scope = {"type": "http", "method": "DELETE", "path": "/mcp", "query_string": b"", "headers": headers}
        await self._manager.handle_request(scope, _nothing, _nowhere)

    async def _end(self, session: str) -> None:
        """All that its agents hold is free."""
        self._attendance.ended(session)
        party = self._parties.pop(session, None)
        if party is None:
            return
        others = [key for key, one in self._parties.items() if one is party]
        if session.startswith(HOOK_PREFIX) and others:
            return  # its client is still there, over MCP
        for key in others:  # hooks of a client that has gone
            self._attendance.ended(key)
            del self._parties[key]
        del self._roots[party]
        await party.close()


def _unsupported(revision: str) -> JSONResponse:
    data: dict[str, Any] = {"supported": list(HANDSHAKE_PROTOCOL_VERSIONS), "requested": revision[:40]}
    message = "this server keeps sessions, which that revision of MCP has not: begin with initialize"
    error = {"code": UNSUPPORTED_PROTOCOL_VERSION, "message": message, "data": data}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status_code=400)


def _refused(asked: str | int | None, message: str) -> JSONResponse:
    error = {"code": INVALID_REQUEST, "message": message}
    return JSONResponse({"jsonrpc": "2.0", "id": asked, "error": error}, status_code=400)


def _after(first: Message, receive: Receive) -> Receive:
    """What is received when `first` was taken out already."""
    kept = [first]

    async def receive_after() -> Message:
        return kept.pop() if kept else await receive()

    return receive_after


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _nowhere(_message: Message) -> None:
    return
