"""The exposition as text, without the exporter: what `scentfield metrics` prints."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

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
    sightings, model = asyncio.run(_look(RayLine(settings.namespace)))
    return encoded(sightings, model=model)[0].decode()


def encoded(
    sightings: Sequence[Sighting],
    accept: str = CONTENT_TYPE_PLAIN_0_0_4,
    *,
    model: Mapping[str, Any] | None = None,
) -> tuple[bytes, str]:
    """The exposition in the format that an Accept header asks for, and its content type."""
    encode, content_type = choose_encoder(accept)
    return encode(FieldCollector(sightings, model)), content_type


async def _look(line: Line) -> tuple[list[Sighting], dict[str, Any] | None]:
    probe = Probe(line)
    sightings, model = await asyncio.gather(probe.look(), probe.look_at_model())
    return sightings, model
