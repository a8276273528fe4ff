"""The page's routes: its files, the stream of events, and the one thing that can be done from it.

Files are the same for everybody and need no token; the stream needs one where the gateway asks for it; what changes
something lies under /api/v1 and always needs it. See the gateway's door.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from actors.runtime.errors import Busy, Misuse, ScentfieldError
from actors.scent_field.signal import HALF_LIVES_S
from coordinator.efficacy.figure import Terms
from coordinator.efficacy.terms import terms_of
from coordinator.gateway.door import API_PREFIX, FILES_PREFIX
from coordinator.metrics.probe import Line
from coordinator.page.asset import HEADERS, INDEX, Assets
from coordinator.page.broadcast import Broadcast
from coordinator.page.observer import Observer
from coordinator.page.taking import read_taking, take
from coordinator.settings import Settings
from coordinator.step import Transport, drive_async

EVENTS_PATH: Final = "/events"
SEND_S: Final = 30.0
"""A watcher that takes nothing for so long is let go."""
LINGER_S: Final = 10.0
"""After the last watcher the actors are asked for so long: most come back, for a reload."""
_SAME_SITE: Final = ("same-origin", "none")
_log = logging.getLogger(__name__)


class _Show:
    """What is told about one space, and who asks for it."""

    def __init__(self, line: Line, about: Mapping[str, Any], terms: Terms, space: str) -> None:
        self.broadcast = Broadcast({**about, "space": space}, time.monotonic)
        self.observer = Observer(line, space, about["half_lives_s"], terms, self.broadcast)
        self.n_there = 0
        self.ending: asyncio.TimerHandle | None = None


class PageSite:
    """Serves the page for the claim spaces of a gateway, the first of which is shown first."""

    def __init__(
        self,
        line: Line,
        transport: Transport,
        spaces: Sequence[str],
        settings: Settings,
        *,
        send_s: float = SEND_S,
    ) -> None:
        self.send_s = send_s
        self._line, self._transport, self._settings = line, transport, settings
        self._spaces = tuple(spaces)
        self._assets = Assets()
        half_lives_s = {str(kind): span_s for kind, span_s in HALF_LIVES_S.items()} | dict(settings.half_lives_s)
        self._about = {"spaces": self._spaces, "half_lives_s": half_lives_s, "page": self._assets.version}
        self._shows: dict[str, _Show] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self.routes = [
            Route("/", self._file),
            Route(f"{FILES_PREFIX}{{name}}", self._file),
            Route(EVENTS_PATH, self._events),
            Route(f"{API_PREFIX}v1/page/release", self._release, methods=["POST"]),
        ]

    async def close(self) -> None:
        """End all streams."""
        shows, self._shows = list(self._shows.values()), {}
        for show in shows:
            show.broadcast.close()
            if show.ending is not None:
                show.ending.cancel()
        await asyncio.gather(*(show.observer.end() for show in shows), *self._closing)

    async def _file(self, request: Request) -> Response:
        return self._assets.response(request.path_params.get("name", INDEX), request)

    async def _events(self, request: Request) -> Response:
        site = request.headers.get("sec-fetch-site", "none")
        if site not in _SAME_SITE:
            return _refused(403, "pages of others may not listen here")
        if not self._spaces:
            return _refused(503, "no tree of this gateway can be looked at: see `scentfield doctor`")
        space = request.query_params.get("space") or self._spaces[0]
        if space not in self._spaces:
            return _refused(404, f"this gateway shows no space {space[:80]!r}: it shows {', '.join(self._spaces[:5])}")
        return _Stream(self, space, request.headers.get("last-event-id", ""))

    def enter(self, space: str) -> _Show:
        """A watcher of a space has come; to be followed by `leave`."""
        if space not in self._shows:
            self._shows[space] = _Show(self._line, self._about, terms_of(self._settings), space)
        show = self._shows[space]
        show.n_there += 1
        if show.ending is not None:
            show.ending.cancel()
            show.ending = None
        return show

    def leave(self, show: _Show) -> None:
        """A watcher has gone."""
        show.n_there -= 1
        if not show.n_there:
            show.ending = asyncio.get_running_loop().call_later(LINGER_S, self._end, show)

    def _end(self, show: _Show) -> None:
        show.ending = None
        task = asyncio.get_running_loop().create_task(show.observer.end())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _release(self, request: Request) -> Response:
        try:
            asked = read_taking(await request.body())
            if asked.space not in self._spaces:
                raise Misuse(f"this gateway shows no space {asked.space[:80]!r}: name one of {self._spaces[:5]}")
            by, released = await drive_async(take(asked, self._settings.call_timeout_s), self._transport)
        except ScentfieldError as error:
            return _refused(400 if isinstance(error, Misuse) else 503, error.message)
        _log.info("%s took %d targets away", by, released.n_released)
        not_released = [one._asdict() for one in released.not_released]
        return JSONResponse({"by": by, "n_released": released.n_released, "not_released": not_released})


class _Stream(Response):
    """Server-sent events until the watcher leaves, takes nothing any more, or the gateway ends."""

    def __init__(self, site: PageSite, space: str, last_id: str) -> None:
        super().__init__()
        self._site = site
        self._space = space
        self._last_id = last_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one watcher."""
        show = self._site.enter(self._space)
        listening = asyncio.create_task(_until_gone(receive))
        telling = asyncio.create_task(self._tell(show, scope, receive, send))
        try:
            await asyncio.wait({listening, telling}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (listening, telling):
                task.cancel()
            outcomes = await asyncio.gather(listening, telling, return_exceptions=True)
            self._site.leave(show)
        for outcome in outcomes:
            if isinstance(outcome, Exception) and not isinstance(outcome, OSError | TimeoutError):
                raise outcome

    async def _tell(self, show: _Show, scope: Scope, receive: Receive, send: Send) -> None:
        await show.observer.begin()
        async with contextlib.aclosing(show.broadcast.watch(self._last_id)) as events:
            try:
                first = await anext(events, b"")
            except Busy as busy:
                await _refused(503, busy.message, **{"retry-after": "30"})(scope, receive, send)
                return
            headers = {**HEADERS, "content-type": "text/event-stream", "cache-control": "no-store"}
            raw = [(name.encode(), value.encode()) for name, value in headers.items()]
            await send({"type": "http.response.start", "status": 200, "headers": raw})
            await self._send(send, first)
            async for one in events:
                await self._send(send, one)
            await self._send(send, b"", more=False)

    async def _send(self, send: Send, body: bytes, *, more: bool = True) -> None:
        async with asyncio.timeout(self._site.send_s):
            await send({"type": "http.response.body", "body": body, "more_body": more})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _refused(status: int, why: str, **headers: str) -> JSONResponse:
    return JSONResponse({"error": why}, status_code=status, headers={**HEADERS, **headers})
