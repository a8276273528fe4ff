"""How the state actors themselves are, as metrics, from their `describe()` accounts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from prometheus_client.core import Metric as Family

from coordinator.metrics.metric import Metric, Sample, counter, gauge

UP: Final = gauge(
    "up", "1 if the state actor answers and serves; its other metrics are missing while it is 0", "domain"
)

_KEYS: Final[Mapping[str, Metric]] = {
    "uptime_s": gauge("uptime_seconds", "Seconds since the state actor's process started", "domain"),
    "epoch": gauge("epoch", "How often the store was opened for writing; rises with each restart", "domain"),
    "field_s": gauge(
        "clock_seconds", "The state actor's own clock: seconds of service since the store began", "domain"
    ),
    "n_refused_jumps": counter("refused_clock_jumps", "Jumps of the wall clock that were not believed", "domain"),
    "n_queued": gauge("queue", "Requests that wait for their turn now", "domain"),
    "n_unanswered": gauge(
        "unanswered", "Requests without an answer now: those queued, and those that wait for a target", "domain"
    ),
    "n_requests": counter("requests", "Calls that arrived", "domain"),
    "n_busy": counter("busy", "Calls that were turned away because a limit was reached", "domain"),
    "n_turns": counter("turns", "Turns of the actor's loop", "domain"),
    "largest_batch": gauge("largest_batch", "Most requests that shared one turn since the process started", "domain"),
    "n_commits": counter("commits", "Commits to the store", "domain"),
    "commit_seconds": counter("commit_seconds", "Time spent in commits, in seconds", "domain"),
    "n_failed_commits": counter(
        "failed_commits", "Commits that the store did not take; nothing of them was done", "domain"
    ),
    "n_bugs": counter("bugs", "Errors in Scentfield itself that were caught by rebuilding the state", "domain"),
    "n_replayed_rows": counter("replayed_rows", "Journal rows that were replayed to rebuild the state", "domain"),
    "seq": counter("journal_rows", "Rows that were written to the journal since the store began", "domain"),
    "rows_since_snapshot": gauge("rows_since_snapshot", "Journal rows that are not folded into a snapshot", "domain"),
    "journal_bytes": gauge("bytes_since_snapshot", "Journal bytes written since the last folding began", "domain"),
    "n_compactions": counter("compactions", "Foldings of the journal into a snapshot that were started", "domain"),
    "n_failed_compactions": counter("failed_compactions", "Foldings that failed; the journal was kept", "domain"),
}
"""Where each number of an account goes."""

PROCESS_COUNTS: Final = tuple(key for key, metric in _KEYS.items() if metric.kind == "counter" and key != "seq")
"""What a process counts from its start on; the journal's rows are counted in the store."""
ACTOR_METRICS: Final = (UP, *_KEYS.values())


def actor_families(up: Mapping[str, bool], accounts: Sequence[Mapping[str, Any]]) -> Iterator[Family]:
    """All state actors' own metrics: `up` by domain, and the accounts of those that gave one."""
    yield UP.family(((domain,), float(is_up)) for domain, is_up in up.items())
    for key, metric in _KEYS.items():
        yield metric.family(_samples(key, accounts))


def _samples(key: str, accounts: Sequence[Mapping[str, Any]]) -> list[Sample]:
    return [((account["domain"],), account[key]) for account in accounts if account.get(key) is not None]
