"""The exporter's way to the state actors: Ray handles, without blocking its event loop."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from ray.exceptions import RayError

from coordinator.ray_transport import RayTransport


class RayLine(RayTransport):
    """A transport that can also ask for an actor's account on an event loop."""

    async def describe_async(self, domain: str, timeout_s: float) -> dict[str, Any]:
        """The actor's own account of itself. Raises `Unavailable`."""
        handle = self._handle(domain)
        try:
            return cast(dict[str, Any], await asyncio.wait_for(_awaited(handle.describe.remote()), timeout_s))
        except (RayError, TimeoutError) as error:
            raise self._unavailable(domain, error, timeout_s) from error


async def _awaited(reference: Any) -> Any:
    return await reference
