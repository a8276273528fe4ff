"""The exposition as text, without the exporter: what `scentfield metrics` prints."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, choose_encoder

from coordinator.metrics.collector import FieldCollector, Sighting
from coordinator.metrics.probe import Line, Probe
from coordinator.metrics.total_file import TotalFile
from coordinator.settings import Settings


def exposition(settings: Settings) -> str:
    """All metrics in Prometheus' text format, asked for now. Raises `Unavailable` if there is no cluster."""
    # Ray is a slow import and not needed by whoever only reads the reference.
    from coordinator.cluster import attach
    from coordinator.metrics.ray_line import RayLine

    attach(settings)
    totals = TotalFile(settings.state_dir, settings.namespace)
    sightings, model = asyncio.run(_look(RayLine(settings.namespace), totals))
    return encoded(sightings, model=model, is_kept=totals.is_kept)[0].decode()


def encoded(
    sightings: Sequence[Sighting],
    accept: str = CONTENT_TYPE_PLAIN_0_0_4,
    *,
    model: Mapping[str, Any] | None = None,
    is_kept: bool | None = None,
) -> tuple[bytes, str]:
    """The exposition in the format that an Accept header asks for, and its content type."""
    encode, content_type = choose_encoder(accept)
    return encode(FieldCollector(sightings, model, is_kept=is_kept)), content_type


async def _look(line: Line, totals: TotalFile) -> tuple[list[Sighting], Mapping[str, Any] | None]:
    probe = Probe(line)
    sightings, model = await asyncio.gather(probe.look(), probe.look_at_model())
    return await totals.carried(sightings, model)
