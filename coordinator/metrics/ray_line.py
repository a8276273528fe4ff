"""The exporter's way to the state actors: Ray handles, without blocking its event loop."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from ray.exceptions import RayError

from coordinator.ray_transport import RayTransport


class RayLine(RayTransport):
    """A transport that can also ask for an actor's account, or for a proof that it works, on an event loop."""

    async def call_async(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        """As the transport's, also where the actor has to be looked up first."""
        await self._look_up(domain)
        return await super().call_async(domain, raw, timeout_s)

    async def _look_up(self, domain: str) -> None:
        """Find the actor in a thread unless its handle is known: a cluster that restarts some may take seconds."""
        if domain not in self._handles:
            await asyncio.to_thread(self._handle, domain)

    async def describe_async(self, domain: str, timeout_s: float) -> dict[str, Any]:
        """The actor's own account of itself. Raises `Unavailable`."""
        return cast(dict[str, Any], await self._told(domain, "describe", timeout_s))

    async def prove_async(self, domain: str, timeout_s: float) -> list[str] | None:
        """Have it write and read back: None, or [code, message] of what is wrong. Raises `Unavailable`."""
        return cast(list[str] | None, await self._told(domain, "prove", timeout_s))

    async def _told(self, domain: str, method: str, timeout_s: float) -> Any:
        await self._look_up(domain)
        handle = self._handle(domain)
        try:
            return await asyncio.wait_for(_awaited(getattr(handle, method).remote()), timeout_s)
        except (RayError, TimeoutError) as error:
            raise self._unavailable(domain, error, timeout_s) from error


async def _awaited(reference: Any) -> Any:
    return await reference
