"""A gateway that really listens, over real state actors, without Ray."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from coordinator.gateway.settings import GatewaySettings
from coordinator.gateway.site import GatewaySite, Premises
from coordinator.settings import Settings
from coordinator.web.server import Address, WebServer

TOKEN = "a-token-of-this-test-0123456789abcdef"


class OpenGateway:
    """Serves from a thread of its own; `url` is where, `line` how it reaches the actors, `root` the tree."""

    def __init__(
        self, folder: Path, line_class: type, *, gone: tuple[str, ...] = (), embedding: Any = None, **gateway: Any
    ) -> None:
        self.root = folder / "tree"
        (self.root / "src").mkdir(parents=True, exist_ok=True)
        for name in ("a", "b"):
            (self.root / "src" / f"{name}.py").write_text(f"def {name}():\n    return 1\n", encoding="utf-8")
        self._settings = Settings(
            data_dir=folder / "state", space="test", ttl_s=2.0, lock_delay_s=0.3, gateway=GatewaySettings(**gateway)
        )
        self._line_class, self._gone, self._embedding = line_class, gone, embedding
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever)
        self._thread.start()
        self.url = self.on_loop(self._open())

    async def _open(self) -> str:
        folder = self._settings.state_dir
        folder.mkdir()
        self.line = self._line_class(folder, gone=self._gone)
        self.premises = Premises(self._settings, self.root, TOKEN)
        self.site = GatewaySite(self.line, self.premises, self._embedding)
        self._server = WebServer(
            self.site.app, Address("127.0.0.1", 0, "gateway", ""), lifespan="on", head_s=self._settings.gateway.body_s
        )
        return str((await self._server.describe())["url"])

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def on_loop(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(30.0)

    def get(self, path: str, **headers: Any) -> httpx2.Response:
        return httpx2.get(self.url + path, headers=headers, timeout=30.0)

    def post(self, path: str, content: bytes, **headers: str) -> httpx2.Response:
        return httpx2.post(self.url + path, content=content, headers=headers, timeout=30.0)

    async def _close(self) -> None:
        await self._server.close()
        rest = asyncio.all_tasks() - {asyncio.current_task()}  # the event stream library watches on
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    def close(self) -> None:
        self.on_loop(self._close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(30.0)
        self.loop.close()


@pytest.fixture
def open_gateway(tmp_path: Path, local_line: type) -> Iterator[Callable[..., OpenGateway]]:
    """`open_gateway(max_body_bytes=2_000, ...)`: settings of `[gateway]`; `gone` actors, an `embedding` line."""
    opened: list[OpenGateway] = []

    def open_one(**options: Any) -> OpenGateway:
        opened.append(OpenGateway(tmp_path / f"gateway-{len(opened)}", local_line, **options))
        return opened[-1]

    yield open_one
    for gateway in opened:
        gateway.close()
