"""The exposition as text, without the exporter: what `scentfield metrics` prints."""

from __future__ import annotations

import asyncio

from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, choose_encoder

from coordinator.metrics.collector import FieldCollector, Sighting
from coordinator.metrics.probe import Line, Probe
from coordinator.settings import Settings


def exposition(settings: Settings) -> str:
    """All metrics in Prometheus' text format, asked for now. Raises `Unavailable` if there is no cluster."""
    # Ray is a slow import and not needed by whoever only reads the reference.
    from coordinator.cluster import attach
    from coordinator.metrics.ray_line import RayLine

    attach(settings)
    return encoded(asyncio.run(_look(RayLine(settings.namespace))))[0].decode()


def encoded(sightings: list[Sighting], accept: str = CONTENT_TYPE_PLAIN_0_0_4) -> tuple[bytes, str]:
    """The exposition in the format that an Accept header asks for, and its content type."""
    encode, content_type = choose_encoder(accept)
    return encode(FieldCollector(sightings)), content_type


async def _look(line: Line) -> list[Sighting]:
    return await Probe(line).look()
