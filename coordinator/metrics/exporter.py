"""The exporter: an actor of its own that serves /metrics and /healthz, so that no scrape ever stands in a claim's way.

It asks the state actors when it is scraped. /ray-nodes tells Prometheus where Ray's own metrics are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from actors.runtime.log import LogConfig, configure, take_over
from coordinator.efficacy.figure import Terms
from coordinator.metrics.exposition import look_through
from coordinator.metrics.probe import Line, Probe
from coordinator.metrics.ray_node import RayNodePage, Targets, ray_targets
from coordinator.metrics.total_file import TotalFile
from coordinator.web.server import Address, WebServer

EXPORTER: Final = "exporter"
_ADVICE: Final = "set metrics_port to a free port or to 0, or metrics to false"


@dataclass(frozen=True, slots=True)
class ExporterConfig:
    """All that the exporter needs to start, in plain values that cross to its process."""

    namespace: str
    host: str
    port: int
    state_dir: str
    log: LogConfig | None = None
    terms: Terms = field(default_factory=Terms)


class Site:
    """The pages, over any line to the state actors.

    `totals` adds up what their processes count, `terms` say how efficacy is judged; `ray_targets` is asked for what the
    page of Ray's nodes says.
    """

    def __init__(
        self, line: Line, totals: TotalFile, terms: Terms | None = None, ray_targets: Targets | None = None
    ) -> None:
        self._probe = Probe(line)
        self._totals = totals
        self._terms = terms or Terms()
        self.routes = [Route("/metrics", self._metrics), Route("/healthz", self._health)]
        if ray_targets is not None:
            self.routes.append(Route("/ray-nodes", RayNodePage(ray_targets).answer))
        self.app = Starlette(routes=self.routes)

    async def proofs(self) -> dict[str, str]:
        """What keeps each state actor from a write that can be read back, empty if nothing does; by domain."""
        return await self._probe.prove()

    async def _metrics(self, request: Request) -> Response:
        look = await look_through(self._probe, self._terms, self._totals)
        body, content_type = look.encoded(request.headers.get("accept", ""))
        return Response(body, headers={"content-type": content_type})

    async def _health(self, _request: Request) -> Response:
        problems = await self.proofs()
        actors = {domain: problem or "serves" for domain, problem in problems.items()}
        is_well = not any(problems.values())
        status = "ok" if is_well else "unavailable"
        return JSONResponse({"status": status, "actors": actors}, status_code=200 if is_well else 503)


class Exporter:
    """Runs the site in an actor; `describe` says where, or what is wrong."""

    def __init__(self, config: ExporterConfig) -> None:
        # Ray is a slow import and not needed by whoever tests the site.
        from coordinator.metrics.ray_line import RayLine

        if config.log is not None:
            configure(config.log)
            take_over(EXPORTER)
        address = Address(config.host, config.port, EXPORTER, _ADVICE)
        totals = TotalFile(Path(config.state_dir), config.namespace)
        site = Site(RayLine(config.namespace), totals, config.terms, ray_targets)
        self._server = WebServer(site.app, address, path="/metrics")

    async def describe(self) -> dict[str, Any]:
        """Its address, or why it has none; waits for the first try."""
        return await self._server.describe()
