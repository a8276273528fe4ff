"""What the quality store counts, as metrics: edits, the views they were made from, and reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from prometheus_client.core import Metric as Family

from actors.quality_store.cause import FAILURES
from actors.quality_store.messages import Statistics
from coordinator.metrics.metric import Metric, Sample, counter, gauge

Samples: TypeAlias = Callable[[Statistics], list[Sample]]


def _one(value: int) -> list[Sample]:
    return [((), value)]


_SAMPLES: Final[Mapping[Metric, Samples]] = {
    counter(
        "edit_outcomes",
        "Edits by the extension of their file and how they ended; applied, already_applied, create, deleted, moved and "
        "undone are successes",
        "extension",
        "cause",
    ): lambda seen: [((row.extension, row.cause), row.n) for row in seen.outcomes],
    counter(
        "edit_failures",
        "Edits that were not made, by the extension of their file, the mode of the agent's last view of it (none: it "
        "had none) and the cause",
        "extension",
        "mode",
        "cause",
    ): lambda seen: [((row.extension, row.mode, row.cause), row.n) for row in seen.edits if row.cause in FAILURES],
    gauge(
        "edit_pair_failures",
        "Remembered edits whose old text was not found, by the mode of the agent's last view; forgotten 30 days after "
        "the last failure",
        "extension",
        "mode",
    ): lambda seen: [((row.extension, row.mode), row.n_fails) for row in seen.pairs],
    gauge(
        "edit_pair_successes",
        "Remembered edits that were applied, by the mode of the agent's last view; forgotten with the failures",
        "extension",
        "mode",
    ): lambda seen: [((row.extension, row.mode), row.n_successes) for row in seen.pairs],
    gauge(
        "edit_pair_risky",
        "1 while edits from views in this mode fail so often that automatic reads use full instead",
        "extension",
        "mode",
    ): lambda seen: [((row.extension, row.mode), float(row.risky)) for row in seen.pairs],
    counter(
        "edit_pairs_dropped",
        "Pairs of extension and mode that were forgotten: decayed after 30 days without failure, or evicted to keep "
        "to the limit",
        "cause",
    ): lambda seen: [(("decayed",), seen.pairs_decayed), (("evicted",), seen.pairs_evicted)],
    gauge(
        "escalations_pending",
        "Files whose next automatic read will be full, because an edit of them failed from a compressed view",
    ): lambda seen: _one(seen.escalations_pending),
    counter("escalations_armed", "Files that were marked for one full read after a failed edit"): lambda seen: _one(
        seen.escalations_armed
    ),
    counter(
        "escalations_returned", "Escalations that were marked again, because the agent they were served to had given up"
    ): lambda seen: _one(seen.escalations_returned),
    counter(
        "escalations_ended",
        "Escalations that ended: served by a full read, expired after an hour, evicted to keep to the limit, "
        "dropped because the file changed from outside, or reset at somebody's word",
        "cause",
    ): lambda seen: [
        (("served",), seen.escalations_served),
        (("expired",), seen.escalations_expired),
        (("evicted",), seen.escalations_evicted),
        (("changed",), seen.escalations_changed),
        (("reset",), seen.escalations_reset),
    ],
    counter(
        "read_penalties",
        "Automatic reads that were answered with full because the pair of extension and mode is risky",
        "extension",
        "mode",
    ): lambda seen: [((row.extension, row.mode), row.n) for row in seen.penalties],
    counter("auto_reads", "Automatic reads by what decided their mode", "source"): lambda seen: [
        ((row.source,), row.n) for row in seen.sources
    ],
    counter("reads", "Views of files that were shown to agents", "extension", "mode"): lambda seen: [
        ((row.extension, row.mode), row.n_reads) for row in seen.reads
    ],
    counter("read_tokens", "Tokens of the views that were shown to agents", "extension", "mode"): lambda seen: [
        ((row.extension, row.mode), row.n_tokens) for row in seen.reads
    ],
    counter(
        "read_file_tokens",
        "Tokens that the same reads would have shown of the whole files; what lies between the two was not sent, "
        "before bounces and retries are charged",
        "extension",
        "mode",
    ): lambda seen: [((row.extension, row.mode), row.n_total_tokens) for row in seen.reads],
    gauge("pinned_sessions", "Sessions whose token the quality store remembers"): lambda seen: _one(seen.pins),
    counter(
        "pinned_sessions_evicted", "Sessions whose token the quality store forgot to keep to its limit"
    ): lambda seen: _one(seen.pins_evicted),
}

QUALITY_METRICS: Final = tuple(_SAMPLES)


def quality_families(seen: Statistics) -> Iterator[Family]:
    """The quality store's metrics."""
    return (metric.family(samples(seen)) for metric, samples in _SAMPLES.items())
