"""The read ledger and what reads by path and kind have taught, as metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from prometheus_client.core import Metric as Family

from actors.quality_store.messages import Statistics
from actors.quality_store.row import LedgerRow
from coordinator.metrics.metric import Metric, Sample, counter, gauge

Samples: TypeAlias = Callable[[Statistics], list[Sample]]
_ROW: Final = ("extension", "mode", "arm")


def _rows(value: Callable[[LedgerRow], int]) -> Samples:
    return lambda seen: [((row.extension, row.mode, row.arm or "treatment"), value(row)) for row in seen.ledger]


_SAMPLES: Final[Mapping[Metric, Samples]] = {
    counter("ledger_reads", "Whole-file views that showed something new", *_ROW): _rows(lambda row: row.n_reads),
    counter("ledger_read_tokens", "Tokens of all views", *_ROW): _rows(lambda row: row.n_tokens),
    gauge(
        "ledger_saved_tokens",
        "Tokens that views were shorter than their files, since ever; below 0 where they were longer",
        *_ROW,
    ): _rows(lambda row: row.n_saved_tokens),
    counter(
        "bounces", "Compressed views that were followed by the whole file within the agent's next 5 reads", *_ROW
    ): _rows(lambda row: row.n_bounces),
    counter("bounce_tokens", "Tokens of the whole files that were read after compressed views", *_ROW): _rows(
        lambda row: row.n_bounce_tokens
    ),
    counter("clean_reads", "Compressed views whose window closed without a bounce or a failed edit", *_ROW): _rows(
        lambda row: row.n_clean
    ),
    counter(
        "wasted_reads", "Large whole views of a kind that hardly bounces, without an edit in the next 10 reads", *_ROW
    ): _rows(lambda row: row.n_wasted),
    counter("retries", "Edits that failed for a view and were paid for again", *_ROW): _rows(lambda row: row.n_retries),
    counter("retry_tokens", "Tokens of failed edits, their answers, and the reads that followed", *_ROW): _rows(
        lambda row: row.n_retry_tokens
    ),
    counter(
        "read_penalties_held_out",
        "Automatic reads that kept a risky mode because their file is in the holdout",
        "extension",
        "mode",
    ): lambda seen: [((row.extension, row.mode), row.n) for row in seen.penalties_held_out],
    gauge("trial_units", "Files and sessions of today that count in the trials of learned layers"): lambda seen: [
        ((), seen.trial_units)
    ],
    gauge(
        "trial_outcomes_left_out", "Outcomes that found no place in those trials on the days that are kept"
    ): lambda seen: [((), seen.trial_outcomes_left_out)],
    gauge("path_memory_paths", "Files whose bounces are remembered"): lambda seen: [((), seen.paths_remembered)],
    gauge("path_memory_full", "Files that are shown in full because they keep bouncing"): lambda seen: [
        ((), seen.paths_full)
    ],
    counter(
        "path_memory_dropped", "Files that the path memory forgot: decayed after 30 days, or evicted", "cause"
    ): lambda seen: [(("decayed",), seen.paths_decayed), (("evicted",), seen.paths_evicted)],
    gauge("outbox_waiting", "Notes that wait to be delivered to another state actor", "receiver"): lambda seen: [
        ((row.receiver,), row.n_waiting) for row in seen.notes
    ],
    counter("outbox_sent", "Notes that another state actor has applied", "receiver"): lambda seen: [
        ((row.receiver,), row.n_sent) for row in seen.notes
    ],
    counter("outbox_dropped", "Notes that were dropped because too many waited", "receiver"): lambda seen: [
        ((row.receiver,), row.n_dropped) for row in seen.notes
    ],
}

LEDGER_METRICS: Final = tuple(_SAMPLES)


def ledger_families(seen: Statistics) -> Iterator[Family]:
    """The read ledger's metrics."""
    return (metric.family(samples(seen)) for metric, samples in _SAMPLES.items())
