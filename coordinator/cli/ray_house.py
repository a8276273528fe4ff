"""The house on Ray: what `coordinator.cluster` does, for the command line."""

from __future__ import annotations

from pathlib import Path

from coordinator import cluster
from coordinator.cluster import UpReport
from coordinator.ray_transport import RayTransport
from coordinator.settings import Settings


class RayHouse:
    """Finds, starts and stops the actors. Everything raises `Unavailable` and says what to do."""

    def connect(self, settings: Settings) -> RayTransport:
        """Connect this process."""
        cluster.attach(settings)
        return RayTransport(settings.namespace)

    def address(self, settings: Settings) -> str | None:
        """The cluster to use; None if none is known."""
        return cluster.address_of(settings)

    def up(self, settings: Settings, num_cpus: int | None, root: Path | None) -> UpReport:
        """Start what is missing; agents may work in `root` through the gateway."""
        return cluster.up(settings, num_cpus=num_cpus, root=root)

    def down(self, settings: Settings) -> tuple[list[str], bool]:
        """Stop the actors, and the head if `up` started it."""
        return cluster.down(settings)

    def actor_names(self, settings: Settings) -> list[str]:
        """The actors of this namespace."""
        cluster.attach(settings)
        return cluster.actor_names(settings)
