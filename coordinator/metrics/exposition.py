"""The exposition as text, without the exporter: what `scentfield metrics` prints."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, choose_encoder

from coordinator.efficacy.figure import Figures, Terms, figures_of
from coordinator.efficacy.terms import terms_of
from coordinator.metrics.collector import FieldCollector, Sighting
from coordinator.metrics.probe import Probe
from coordinator.retrieval.account import RetrievalAccount, account_of
from coordinator.settings import Settings


def exposition(settings: Settings) -> str:
    """All metrics in Prometheus' text format, asked for now. Raises `Unavailable` if there is no cluster."""
    # Ray is a slow import and not needed by whoever only reads the reference.
    from coordinator.cluster import attach
    from coordinator.metrics.ray_line import RayLine

    attach(settings)
    look = asyncio.run(look_through(Probe(RayLine(settings.namespace)), terms_of(settings), settings.state_dir))
    return encoded(look.sightings, model=look.model, figures=look.figures, indices=look.indices)[0].decode()


def encoded(
    sightings: Sequence[Sighting],
    accept: str = CONTENT_TYPE_PLAIN_0_0_4,
    *,
    model: Mapping[str, Any] | None = None,
    figures: Figures | None = None,
    indices: RetrievalAccount | None = None,
) -> tuple[bytes, str]:
    """The exposition in the format that an Accept header asks for, and its content type."""
    encode, content_type = choose_encoder(accept)
    return encode(FieldCollector(sightings, model, figures, indices)), content_type


@dataclass(frozen=True, slots=True)
class Look:
    """All that is exported, as it was seen at one moment."""

    sightings: Sequence[Sighting]
    model: Mapping[str, Any] | None
    figures: Figures | None
    indices: RetrievalAccount


def _account(state_dir: Path | None) -> RetrievalAccount:
    return RetrievalAccount() if state_dir is None else account_of(state_dir)


async def look_through(probe: Probe, terms: Terms, state_dir: Path | None) -> Look:
    """Ask the actors and the model, then the ledger, each within the probe's patience; and look at the indices."""
    sightings, model, indices = await asyncio.gather(
        probe.look(), probe.look_at_model(), asyncio.to_thread(_account, state_dir)
    )
    evidence = await probe.look_at_evidence(sightings)
    return Look(sightings, model, None if evidence is None else figures_of(evidence, terms), indices)
