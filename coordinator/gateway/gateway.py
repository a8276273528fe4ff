"""The gateway: an actor of its own, so that nothing that a state actor has to do waits for HTTP."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from coordinator.domain import GATEWAY
from coordinator.gateway.address_file import GatewayAddress, write_address
from coordinator.gateway.as_started import as_started
from coordinator.gateway.site import GatewaySite, Premises
from coordinator.settings import Settings
from coordinator.web.server import Address, WebServer

ADVICE: Final = "set port under [gateway] to a free port or to 0, or enabled to false"


def gateway_site(premises: Premises) -> GatewaySite:
    """The site in a process that is connected to Ray."""
    # Ray is a slow import and not needed by whoever tests the site.
    from coordinator.embedding.ray_line import RayEmbeddingLine
    from coordinator.metrics.ray_line import RayLine

    settings = premises.settings
    embedding = RayEmbeddingLine(settings.namespace) if settings.model.is_wanted else None
    return GatewaySite(RayLine(settings.namespace), premises, embedding)


def tell_address(settings: Settings, url: str) -> GatewayAddress:
    """Write down where the gateway serves, for clients that start at once; returns what was written."""
    address = GatewayAddress(url, settings.namespace, settings.gateway.needs_token)
    write_address(settings.state_dir, address)
    return address


class Gateway:
    """Runs the site in an actor; `describe` says where, or what is wrong."""

    def __init__(self, premises: Premises) -> None:
        settings = premises.settings
        self._started_with = as_started(settings.gateway, premises.root)
        settings.log.open(GATEWAY)
        address = Address(settings.gateway.host, settings.gateway.port, GATEWAY, ADVICE)
        self._server = WebServer(
            gateway_site(premises).app,
            address,
            lifespan="on",
            tell=partial(tell_address, settings),
            head_s=settings.gateway.body_s,
        )

    async def describe(self) -> dict[str, Any]:
        """Its address, or why it has none, and what it was started with; waits for the first try."""
        return {**await self._server.describe(), "started_with": self._started_with}
