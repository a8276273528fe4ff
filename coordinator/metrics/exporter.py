"""The exporter: an actor of its own that serves /metrics and /healthz, so that no scrape ever stands in a claim's way.

It asks the state actors when it is scraped. A port that is taken does not end the actor, because Ray would not start it
again: it keeps trying, and says meanwhile what is wrong.
"""

from __future__ import annotations

import asyncio
import os
import socket
from dataclasses import dataclass
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from coordinator.metrics.exposition import encoded
from coordinator.metrics.probe import Line, Probe

EXPORTER: Final = "exporter"
_RETRY_S: Final = 1.0
_BACKLOG: Final = 64


@dataclass(frozen=True, slots=True)
class ExporterConfig:
    """All that the exporter needs to start, in plain values that cross to its process."""

    namespace: str
    host: str
    port: int


class Site:
    """The pages, over any line to the state actors."""

    def __init__(self, line: Line) -> None:
        self._probe = Probe(line)
        self.app = Starlette(routes=[Route("/metrics", self._metrics), Route("/healthz", self._health)])

    async def _metrics(self, request: Request) -> Response:
        sightings, model = await asyncio.gather(self._probe.look(), self._probe.look_at_model())
        body, content_type = encoded(sightings, request.headers.get("accept", ""), model=model)
        return Response(body, headers={"content-type": content_type})

    async def _health(self, _request: Request) -> Response:
        problems = await self._probe.prove()
        actors = {domain: problem or "serves" for domain, problem in problems.items()}
        is_well = not any(problems.values())
        status = "ok" if is_well else "unavailable"
        return JSONResponse({"status": status, "actors": actors}, status_code=200 if is_well else 503)


class Exporter:
    """Runs the site in an actor; `describe` says where, or what is wrong."""

    def __init__(self, config: ExporterConfig) -> None:
        # Ray is a slow import and not needed by whoever tests the site.
        from coordinator.metrics.ray_line import RayLine

        self._config = config
        self._site = Site(RayLine(config.namespace))
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
        self._url, self._trouble = f"http://{_in_url(self._config.host)}:{port}/metrics", ""
        self._tried.set()
        config = uvicorn.Config(self._site.app, lifespan="off", log_config=None, access_log=False)
        await uvicorn.Server(config).serve(sockets=[listener])

    async def _listener(self) -> socket.socket:
        while True:
            try:
                return listen(self._config.host, self._config.port)
            except OSError as error:
                self._trouble = (
                    f"the exporter cannot listen on {self._config.host}:{self._config.port} ({error.strerror}): "
                    "set metrics_port to a free port or to 0, or metrics to false"
                )
                self._tried.set()
                await asyncio.sleep(_RETRY_S)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. Raises `OSError` if the address cannot be had."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except BaseException:
        listener.close()
        raise
    return listener


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
