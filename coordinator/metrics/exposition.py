"""The exposition as text, without the exporter: what `scentfield metrics` prints."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, choose_encoder

from coordinator.efficacy.figure import Figures, Terms, figures_of
from coordinator.efficacy.terms import terms_of
from coordinator.metrics.collector import FieldCollector, Sighting
from coordinator.metrics.probe import Probe
from coordinator.metrics.total_file import TotalFile
from coordinator.retrieval.account import RetrievalAccount, account_of
from coordinator.settings import Settings


def exposition(settings: Settings) -> str:
    """All metrics in Prometheus' text format, asked for now. Raises `Unavailable` if there is no cluster."""
    # Ray is a slow import and not needed by whoever only reads the reference.
    from coordinator.cluster import attach
    from coordinator.metrics.ray_line import RayLine

    attach(settings)
    totals = TotalFile(settings.state_dir, settings.namespace)
    look = asyncio.run(look_through(Probe(RayLine(settings.namespace)), terms_of(settings), totals))
    return look.encoded()[0].decode()


def encoded(
    sightings: Sequence[Sighting],
    accept: str = CONTENT_TYPE_PLAIN_0_0_4,
    *,
    model: Mapping[str, Any] | None = None,
    figures: Figures | None = None,
    indices: RetrievalAccount | None = None,
    is_kept: bool | None = None,
) -> tuple[bytes, str]:
    """The exposition in the format that an Accept header asks for, and its content type."""
    encode, content_type = choose_encoder(accept)
    return encode(FieldCollector(sightings, model, figures, indices, is_kept=is_kept)), content_type


@dataclass(frozen=True, slots=True)
class Look:
    """All that is exported, as it was seen at one moment."""

    sightings: Sequence[Sighting]
    model: Mapping[str, Any] | None
    figures: Figures | None
    indices: RetrievalAccount
    is_kept: bool

    def encoded(self, accept: str = CONTENT_TYPE_PLAIN_0_0_4) -> tuple[bytes, str]:
        """As the function."""
        return encoded(
            self.sightings,
            accept,
            model=self.model,
            figures=self.figures,
            indices=self.indices,
            is_kept=self.is_kept,
        )


async def look_through(probe: Probe, terms: Terms, totals: TotalFile) -> Look:
    """Ask the actors and the model, look at the indices, then ask the ledger: within 1.5 of the probe's patience.

    What their processes count is added up last, in the file of `totals`.
    """
    began_s = probe.now_s()
    seen, account, indices = await asyncio.gather(
        probe.look(), probe.look_at_model(), probe.look_at_indices(lambda: account_of(totals.state_dir))
    )
    evidence = await probe.look_at_evidence(seen, began_s)
    sightings, model, indices = await totals.carried(seen, account, indices)
    figures = None if evidence is None else figures_of(evidence, terms)
    return Look(sightings, model, figures, indices, totals.is_kept)
