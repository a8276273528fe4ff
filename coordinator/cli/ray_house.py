"""The house on Ray: what `coordinator.cluster` does, for the command line. Nothing imports Ray before it is needed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from coordinator.address import address_of, known_address

if TYPE_CHECKING:
    from coordinator.cluster import UpReport
    from coordinator.ray_transport import RayTransport
    from coordinator.settings import Settings


class RayHouse:
    """Finds, starts and stops the actors. Everything raises `Unavailable` and says what to do."""

    def connect(self, settings: Settings) -> RayTransport:
        """Connect this process."""
        known_address(settings)  # before Ray is imported: where nothing runs, that is said at once
        from coordinator import cluster
        from coordinator.ray_transport import RayTransport

        cluster.attach(settings)
        return RayTransport(settings.namespace)

    def address(self, settings: Settings) -> str | None:
        """The cluster to use; None if none is known."""
        return address_of(settings)

    def up(self, settings: Settings, num_cpus: int | None, root: Path | None) -> UpReport:
        """Start what is missing; agents may work in `root` through the gateway."""
        from coordinator import cluster

        return cluster.up(settings, num_cpus=num_cpus, root=root)

    def down(self, settings: Settings) -> tuple[list[str], bool]:
        """Stop the actors, and the head if `up` started it."""
        known_address(settings)
        from coordinator import cluster

        return cluster.down(settings)

    def actor_names(self, settings: Settings) -> list[str]:
        """The actors of this namespace."""
        known_address(settings)
        from coordinator import cluster

        cluster.attach(settings)
        return cluster.actor_names(settings)
