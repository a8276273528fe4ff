"""What was seen of the state actors, turned into Prometheus metrics. Pure: asks nobody, keeps nothing.

Names and labels are bounded: no path, agent or space is ever a label. What could not be seen is left out, and
`scentfield_up` says so; a gap is better than a number that is no longer true.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from prometheus_client.core import Metric as Family
from prometheus_client.registry import Collector

from actors.memory.messages import Statistics as MemoryCounts
from actors.quality_store.messages import Statistics
from actors.scent_field.messages import FieldCounts
from actors.thresholds.messages import Statistics as LearningCounts
from coordinator.efficacy.figure import Figures
from coordinator.metrics.actor_metric import ACTOR_METRICS, actor_families
from coordinator.metrics.answer_metric import ANSWER_METRICS, answer_families
from coordinator.metrics.efficacy_metric import EFFICACY_METRICS, efficacy_families, enabled_family
from coordinator.metrics.exporter_metric import EXPORTER_METRICS, KEPT
from coordinator.metrics.field_metric import FIELD_METRICS, field_families
from coordinator.metrics.learning_metric import LEARNING_METRICS, learning_families
from coordinator.metrics.ledger_metric import LEDGER_METRICS, ledger_families
from coordinator.metrics.memory_metric import MEMORY_METRICS, memory_families
from coordinator.metrics.metric import Metric
from coordinator.metrics.model_metric import MODEL_METRICS, model_families
from coordinator.metrics.quality_metric import QUALITY_METRICS, quality_families
from coordinator.metrics.retrieval_metric import RETRIEVAL_METRICS, retrieval_families
from coordinator.retrieval.account import RetrievalAccount

METRICS: Final[tuple[Metric, ...]] = (
    *ACTOR_METRICS,
    *FIELD_METRICS,
    *QUALITY_METRICS,
    *LEDGER_METRICS,
    *ANSWER_METRICS,
    *LEARNING_METRICS,
    *MEMORY_METRICS,
    *MODEL_METRICS,
    *EFFICACY_METRICS,
    *RETRIEVAL_METRICS,
    *EXPORTER_METRICS,
)


@dataclass(frozen=True, slots=True)
class Sighting:
    """What one state actor said when it was asked: its account, its committed counts, and else why not."""

    domain: str
    account: Mapping[str, Any] | None = None
    counts: FieldCounts | Statistics | LearningCounts | MemoryCounts | None = None
    problem: str = ""

    @property
    def is_up(self) -> bool:
        """Whether it answers and serves."""
        return self.counts is not None and self.account is not None and self.account["trouble"] is None


class FieldCollector(Collector):
    """The one collector of everything that Scentfield exports.

    `model` is the embedding actor's account, if any; `figures` are those of efficacy, where the ledger answered;
    `indices` are those of the node; `is_kept` is whether the counts of processes are added up on the disk, None if they
    are not added up.
    """

    def __init__(
        self,
        sightings: Sequence[Sighting],
        model: Mapping[str, Any] | None = None,
        figures: Figures | None = None,
        indices: RetrievalAccount | None = None,
        *,
        is_kept: bool | None = None,
    ) -> None:
        self._sightings = sightings
        self._model = model
        self._figures = figures
        self._indices = indices
        self._is_kept = is_kept

    def collect(self) -> Iterator[Family]:
        """The metrics that have samples, always in the same order."""
        return (family for family in self._families() if family.samples)

    def _families(self) -> Iterator[Family]:
        accounts = [seen.account for seen in self._sightings if seen.account is not None]
        yield from actor_families({seen.domain: seen.is_up for seen in self._sightings}, accounts)
        for seen in self._sightings:
            if isinstance(seen.counts, FieldCounts):
                yield from field_families(seen.counts)
            elif isinstance(seen.counts, Statistics):
                yield from quality_families(seen.counts)
                yield from ledger_families(seen.counts)
                yield from answer_families(seen.counts.answers)
            elif isinstance(seen.counts, LearningCounts):
                yield from learning_families(seen.counts)
            elif isinstance(seen.counts, MemoryCounts):
                yield from memory_families(seen.counts)
        served = (Statistics, LearningCounts, MemoryCounts)
        yield enabled_family(
            {seen.domain: seen.counts.layers_off for seen in self._sightings if isinstance(seen.counts, served)}
        )
        if self._model is not None:
            yield from model_families(self._model)
        if self._is_kept is not None:
            yield KEPT.family([((), float(self._is_kept))])
        if self._figures is not None:
            yield from efficacy_families(self._figures)
        if self._indices is not None:
            yield from retrieval_families(self._indices)
