"""How large the indices of the exporter's node are, and what is found in them, as metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from prometheus_client.core import Metric as Family

from coordinator.metrics.metric import Metric, Sample, counter, gauge
from coordinator.retrieval.account import RetrievalAccount
from coordinator.retrieval.answer import SOURCES

Samples: TypeAlias = Callable[[RetrievalAccount], list[Sample]]


def _by_way(name: str) -> Samples:
    return lambda seen: [((way,), seen.tally.get(f"{name}_{way}", 0)) for way in SOURCES]


def _tallied(name: str) -> Samples:
    return lambda seen: [((), seen.tally.get(name, 0))]


_SAMPLES: Final[Mapping[Metric, Samples]] = {
    gauge("retrieval_trees", "Trees that have an index on the exporter's node"): lambda seen: [((), seen.n_trees)],
    gauge(
        "retrieval_unreadable", "Of these, indices that could not be looked into: damaged, or of another version"
    ): lambda seen: [((), seen.n_unreadable)],
    gauge("retrieval_files", "Files that are indexed"): lambda seen: [((), seen.n_files)],
    gauge("retrieval_sections", "Sections of these files"): lambda seen: [((), seen.n_sections)],
    gauge("retrieval_vectors", "Sections that have a vector, so that they are found by meaning"): lambda seen: [
        ((), seen.n_vectors)
    ],
    gauge("retrieval_bytes", "Bytes of the indices on disk"): lambda seen: [((), seen.n_bytes)],
    counter("retrieval_searches", "Searches, by how passages were looked for", "way"): _by_way("searches"),
    counter("retrieval_empty_searches", "Searches that found nothing"): _tallied("searches_empty"),
    counter("retrieval_passages", "Passages that searches showed, by what put them forward", "way"): _by_way(
        "passages"
    ),
    counter("retrieval_reread", "Of these, passages whose files had changed after they were indexed"): _tallied(
        "reread"
    ),
}

RETRIEVAL_METRICS: Final = tuple(_SAMPLES)


def retrieval_families(seen: RetrievalAccount) -> Iterator[Family]:
    """The metrics of the indices; none where there is no index."""
    return (metric.family(samples(seen)) for metric, samples in _SAMPLES.items() if seen.n_trees)
