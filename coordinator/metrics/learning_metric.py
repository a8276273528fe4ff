"""What the thresholds have learned, as metrics: deltas, placement, evidence, and what was shared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from prometheus_client.core import Metric as Family

from actors.thresholds.messages import Statistics
from coordinator.metrics.metric import Metric, Sample, counter, gauge

Samples: TypeAlias = Callable[[Statistics], list[Sample]]


def _one(value: int) -> list[Sample]:
    return [((), value)]


_SAMPLES: Final[Mapping[Metric, Samples]] = {
    gauge(
        "learned_delta",
        "How much more (below 0: less) than the base a line must say to be kept by the mode entropy; only with "
        "evidence enough",
        "extension",
    ): lambda seen: [((row.extension,), row.delta) for row in seen.deltas],
    gauge(
        "placement_begin_share",
        "Share of a wakeup's budget that goes to the beginning, calibrated from recalls; 0.7 before",
        "profile",
    ): lambda seen: [((row.profile,), row.begin_share) for row in seen.begin_shares],
    counter(
        "placements", "Items of wakeups by end and by whether they were used there or had to be asked for", "kind"
    ): lambda seen: [((row.name,), row.n) for row in seen.placements],
    counter(
        "learning_signals", "Outcomes of reads and edits that the thresholds have taken into account", "topic"
    ): lambda seen: [((row.name,), row.n) for row in seen.signals],
    counter(
        "learning_signals_ignored", "Outcomes that say nothing about thresholds, by why not", "cause"
    ): lambda seen: [((row.name,), row.n) for row in seen.ignored],
    counter("learning_evicted", "What was forgotten to keep to a limit, by what it was", "kind"): lambda seen: [
        ((row.name,), row.n) for row in seen.evicted
    ],
    gauge(
        "learning_origins", "Machines whose learning is merged here, this one included once it learned"
    ): lambda seen: _one(seen.n_origins),
    gauge("learning_extensions", "Extensions that anything was learned of"): lambda seen: _one(seen.n_extensions),
    gauge("learning_profiles", "Client profiles whose recalls were observed"): lambda seen: _one(seen.n_profiles),
    gauge("learned_costs", "Kinds of views (extension, mode, size) whose cost is learned"): lambda seen: _one(
        seen.n_costs
    ),
    counter("learning_imports", "Bundles of others that changed something"): lambda seen: _one(seen.n_imports),
    counter("learning_replays", "Replays of histories that changed what is known of them"): lambda seen: _one(
        seen.n_replays
    ),
    counter("learning_resets", "Times that learning was forgotten at somebody's word"): lambda seen: _one(
        seen.n_resets
    ),
}

LEARNING_METRICS: Final = tuple(_SAMPLES)


def learning_families(seen: Statistics) -> Iterator[Family]:
    """The thresholds' metrics."""
    return (metric.family(samples(seen)) for metric, samples in _SAMPLES.items())
