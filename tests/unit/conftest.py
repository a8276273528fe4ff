"""State actors without Ray, for whatever asks them over a line."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.actor import ActorConfig, StateActor
from actors.runtime.errors import Unavailable
from coordinator.domain import DOMAINS, EMBEDDING, machine_options
from coordinator.settings import Settings


class LocalLine:
    """Real state actors in this process; those named `gone` cannot be reached, those `silent` never answer."""

    def __init__(self, folder: Path, *, gone: tuple[str, ...] = (), silent: tuple[str, ...] = ()) -> None:
        self.gone = gone
        self.silent = silent
        self.asked: list[str] = []
        self.proved: list[str] = []
        self.actors = {
            name: StateActor(
                ActorConfig(
                    name,
                    domain.machine,
                    f"sqlite:///{folder / name}.sqlite3",
                    machine_options(name, Settings(data_dir=folder)),
                )
            )
            for name, domain in DOMAINS.items()
        }

    async def call_async(self, domain: str, raw: bytes, timeout_s: float) -> bytes:  # noqa: ARG002  # the protocol's signature
        await self._reach(domain)
        return await self.actors[domain].submit(raw)

    async def describe_async(self, domain: str, timeout_s: float) -> dict[str, Any]:  # noqa: ARG002  # the same
        self.asked.append(domain)
        await self._reach(domain)
        return await self.actors[domain].describe()

    async def prove_async(self, domain: str, timeout_s: float) -> list[str] | None:  # noqa: ARG002  # the same
        self.proved.append(domain)
        await self._reach(domain)
        return await self.actors[domain].prove()

    async def _reach(self, domain: str) -> None:
        if domain in self.gone or domain == EMBEDDING:
            raise Unavailable(f"{domain} cannot be reached")
        if domain in self.silent:
            await asyncio.Event().wait()


@pytest.fixture
def local_line(usual_collector: None) -> type[LocalLine]:
    """`local_line(folder, gone=..., silent=...)`, on the event loop that asks."""
    return LocalLine
