"""The gateway's pages, behind its door, over any line to the state actors.

`/metrics` and `/healthz` are the exporter's own pages; nothing is counted twice, as nothing is counted before somebody
asks.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from actors.runtime.errors import ScentfieldError
from actors.scent_field.messages import FieldStatistics
from coordinator.conversation import Conversation, value_of
from coordinator.domain import DOMAINS, SCENT_FIELD
from coordinator.efficacy.terms import terms_of
from coordinator.embedding.embedder import Embedder
from coordinator.embedding.line import Line as EmbeddingLine
from coordinator.gateway.api import Api
from coordinator.gateway.batcher import Batcher
from coordinator.gateway.door import Door
from coordinator.gateway.embedding_api import EmbeddingApi
from coordinator.gateway.guard import Guard
from coordinator.gateway.hook_desk import HookDesk
from coordinator.gateway.jail import Jail
from coordinator.gateway.mcp_site import McpSite
from coordinator.gateway.pace import Pace
from coordinator.metrics.exporter import Site
from coordinator.metrics.probe import PATIENCE_S, Line
from coordinator.metrics.total_file import TotalFile
from coordinator.page.site import PageSite
from coordinator.settings import Settings


@dataclass(frozen=True, slots=True)
class Premises:
    """What a gateway serves: the settings of its namespace, the tree it was started in, and the token, if any."""

    settings: Settings
    root: Path
    token: str = field(repr=False)


class GatewaySite:
    """The application; `app` is what a web server runs, with its lifespan."""

    def __init__(self, line: Line, premises: Premises, embedding: EmbeddingLine | None = None) -> None:
        settings = premises.settings
        totals = TotalFile(settings.state_dir, settings.namespace)
        self._pages = Site(line, totals, terms_of(settings))
        self._batcher = Batcher(line, settings.call_timeout_s)
        jail = Jail(settings, premises.root)
        self._mcp = McpSite(settings, jail, self._batcher, None if embedding is None else Embedder(embedding))
        self._page = PageSite(line, self._batcher, jail.spaces(), settings)
        api = Api(line, self._batcher, settings.call_timeout_s)
        embedding_api = EmbeddingApi(embedding, settings.call_timeout_s, settings.gateway.max_body_bytes)
        routes = [
            *api.routes,
            *embedding_api.routes,
            *self._pages.routes,
            *self._page.routes,
            Route("/readyz", self._ready),
            Route("/api/v1/hook", HookDesk(self._mcp, self._batcher, settings.call_timeout_s).answer, methods=["POST"]),
            Route("/mcp", self._mcp, methods=None),
        ]
        gateway = settings.gateway
        self.app = Door(
            Starlette(routes=routes, lifespan=self._run),
            Guard(gateway.host, gateway.hosts, premises.token if gateway.needs_token else ""),
            Guard(gateway.host, gateway.hosts, premises.token),
            Guard(gateway.host, gateway.hosts, ""),
            Pace(gateway.requests_per_s),
            max_body_bytes=gateway.max_body_bytes,
            body_s=gateway.body_s,
        )

    @asynccontextmanager
    async def _run(self, _app: Starlette) -> AsyncIterator[None]:
        async with self._mcp.run():
            try:
                yield
            finally:
                await self._page.close()

    async def _ready(self, _request: Request) -> Response:
        """Whether an agent could work here: every store takes a write, and questions get through as agents' do."""
        problems = {name: problem for name, problem in (await self._pages.proofs()).items() if problem}
        problems |= await self._way_problem()
        document: dict[str, Any] = {"status": "unavailable" if problems else "ok", "problems": problems}
        return JSONResponse(document, status_code=503 if problems else 200)

    async def _way_problem(self) -> dict[str, str]:
        stranger = Conversation(DOMAINS[SCENT_FIELD].schema, "", "")
        try:
            raw = await self._batcher.call_async(SCENT_FIELD, stranger.unnumbered([FieldStatistics()]), PATIENCE_S)
            value_of(stranger.answers(raw, 1)[0])
        except ScentfieldError as error:
            return {"gateway": error.message}
        return {}
