"""A gateway over real state actors in one process, without Ray.

Started again in the same folder it goes on with the same stores, as a coordinator does after a crash.
"""

from __future__ import annotations

import asyncio
import threading
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from actors.runtime.actor import ActorConfig, StateActor
from actors.runtime.errors import Unavailable
from coordinator.domain import DOMAINS, machine_options
from coordinator.gateway.gateway import tell_address
from coordinator.gateway.settings import GatewaySettings
from coordinator.gateway.site import GatewaySite, Premises
from coordinator.gateway.token import own_token
from coordinator.settings import Settings
from coordinator.web.server import Address, WebServer


class Line:
    """Actors in this process; those in `gone` cannot be reached."""

    def __init__(self, settings: Settings) -> None:
        self.gone: set[str] = set()
        folder = settings.state_dir
        self._actors = {
            name: StateActor(
                ActorConfig(name, domain.machine, f"sqlite:///{folder / name}.sqlite3", machine_options(name, settings))
            )
            for name, domain in DOMAINS.items()
        }

    async def call_async(self, domain: str, raw: bytes, timeout_s: float) -> bytes:  # noqa: ARG002  # the protocol's signature
        return await self._reached(domain).submit(raw)

    async def describe_async(self, domain: str, timeout_s: float) -> dict[str, Any]:  # noqa: ARG002  # the same
        return await self._reached(domain).describe()

    async def prove_async(self, domain: str, timeout_s: float) -> list[str] | None:  # noqa: ARG002  # the same
        return await self._reached(domain).prove()

    def _reached(self, domain: str) -> StateActor:
        if domain in self.gone or domain not in self._actors:
            raise Unavailable(f"{domain} cannot be reached")
        return self._actors[domain]


def house_settings(folder: Path, needs_token: bool = False) -> Settings:
    gateway = GatewaySettings(token="always" if needs_token else "elsewhere")
    return Settings(
        data_dir=folder / "state", space="test", ttl_s=60.0, lock_delay_s=0.2, metrics=False, gateway=gateway
    )


async def serve(folder: Path, port: int, needs_token: bool, control: Connection) -> None:
    settings = house_settings(folder, needs_token)
    settings.state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    line = Line(settings)
    site = GatewaySite(line, Premises(settings, folder / "tree", own_token(settings.state_dir)))
    server = WebServer(
        site.app, Address("127.0.0.1", port, "gateway", ""), lifespan="on", tell=lambda url: tell_address(settings, url)
    )
    control.send(await server.describe())
    threading.Thread(target=listen, args=(line, control), daemon=True).start()
    await asyncio.Event().wait()


def listen(line: Line, control: Connection) -> None:
    """Names that come make these actors unreachable, and all others reachable."""
    while True:
        line.gone = set(control.recv())


def run(folder: Path, port: int, needs_token: bool, control: Connection) -> None:
    """Say on `control` where it serves, and serve until somebody kills this process."""
    asyncio.run(serve(folder, port, needs_token, control))
