"""What the scent field counts, as metrics: claims, waits, signals, sessions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from prometheus_client.core import Metric as Family

from actors.scent_field.messages import FieldCounts
from actors.scent_field.signal import SignalKind
from coordinator.metrics.metric import Metric, Sample, counter, gauge

_CLAIMS_GRANTED = counter("claims_granted", "Claims that were granted to a new holder")
_CLAIMS_RENEWED = counter("claims_renewed", "Claims that their holders asked for again and kept")
_CLAIMS_REJECTED = counter("claims_rejected", "Requests for a claim that were answered 'held', each one counted")
_DUPLICATE_WORK = counter(
    "duplicate_work_prevented",
    "Times an agent was kept from work that a live agent was doing already: once for each asking session, target and "
    "claim, unless waiting got it the target in the end",
)
_CHANGES_REFUSED = counter(
    "changes_refused",
    "Changes of targets that somebody else held, refused by the guard of git or by an agent's hook; part of the "
    "duplicate work prevented",
    "source",
)
_CLAIMS_ENDED = counter(
    "claims_ended",
    "Claims that ended: released by the holder, expired with its session, faded without heartbeats, idle while "
    "somebody waited, or forced by an operator",
    "cause",
)
_CLAIMS_TRANSFERRED = counter("claims_transferred", "Claims that their holders handed over to another agent")
_WAITS_QUEUED = counter("waits_queued", "Requests that queued up for a held target")
_WAITS_ENDED = counter(
    "waits_ended",
    "Queued requests that ended: granted, timed_out, or withdrawn because the agent gave up or died",
    "cause",
)
_SIGNALS_DEPOSITED = counter("signals_deposited", "Signals that agents and their work left on targets, without claims")
_SESSIONS_REGISTERED = counter("sessions_registered", "Agent sessions that began")
_SESSIONS_ENDED = counter(
    "sessions_ended", "Agent sessions that ended: by goodbye, expired without heartbeats, or with their parent", "cause"
)
_LEASES = gauge("leases", "Claims that block others now, those in their lock delay included")
_WAITERS = gauge("waiters", "Requests that wait for a held target now")
_WATCHERS = gauge("watchers", "Callers that wait for the field to change now")
_SPACES = gauge("spaces", "Claim spaces, one for each repository")
_SESSIONS = gauge("sessions", "Agent sessions that are alive now")
_SIGNALS = gauge("signals", "Signals that have not faded, one for each agent, kind and target", "kind")

_PLACES: Final[Mapping[str, tuple[Metric, tuple[str, ...]]]] = {
    "claims_granted": (_CLAIMS_GRANTED, ()),
    "claims_renewed": (_CLAIMS_RENEWED, ()),
    "claims_rejected": (_CLAIMS_REJECTED, ()),
    "duplicate_work_prevented": (_DUPLICATE_WORK, ()),
    **{f"duplicate_work_prevented_{source}": (_CHANGES_REFUSED, (source,)) for source in ("guard", "hook")},
    **{f"claims_{cause}": (_CLAIMS_ENDED, (cause,)) for cause in ("released", "expired", "faded", "idle", "forced")},
    "claims_transferred": (_CLAIMS_TRANSFERRED, ()),
    "waits_queued": (_WAITS_QUEUED, ()),
    **{f"waits_{cause}": (_WAITS_ENDED, (cause,)) for cause in ("granted", "timed_out", "withdrawn")},
    "signals_deposited": (_SIGNALS_DEPOSITED, ()),
    "sessions_registered": (_SESSIONS_REGISTERED, ()),
    **{f"sessions_ended_{cause}": (_SESSIONS_ENDED, (cause,)) for cause in ("expired", "goodbye", "parent")},
    "leases": (_LEASES, ()),
    "waiters": (_WAITERS, ()),
    "watchers": (_WATCHERS, ()),
    "spaces": (_SPACES, ()),
    "sessions": (_SESSIONS, ()),
    **{f"signals_{kind.lower()}": (_SIGNALS, (kind.lower(),)) for kind in SignalKind},
}
"""Where each count of the field goes: its metric and the values of the labels."""

FIELD_METRICS: Final = tuple(dict.fromkeys(metric for metric, _ in _PLACES.values()))


def field_families(counts: FieldCounts) -> Iterator[Family]:
    """The field's metrics; a count that this version does not know is left out."""
    samples: dict[Metric, list[Sample]] = {metric: [] for metric in FIELD_METRICS}
    for name, value in (*counts.counters, *counts.gauges):
        if name in _PLACES:
            metric, labels = _PLACES[name]
            samples[metric].append((labels, value))
    return (metric.family(found) for metric, found in samples.items())
