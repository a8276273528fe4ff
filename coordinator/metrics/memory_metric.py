"""What the memory keeps and what it is used for, as metrics: playbooks and how their entries last, facts, recalls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from prometheus_client.core import Metric as Family

from actors.memory.messages import Statistics
from actors.runtime.tally import Count
from coordinator.metrics.metric import Metric, Sample, counter, gauge

Samples: TypeAlias = Callable[[Statistics], list[Sample]]


def _one(value: int) -> list[Sample]:
    return [((), value)]


def _by_name(counts: Sequence[Count]) -> list[Sample]:
    return [((count.name,), count.n) for count in counts]


_SAMPLES: Final[Mapping[Metric, Samples]] = {
    gauge("playbooks", "Playbooks, those of sessions and of projects"): lambda seen: _one(seen.n_playbooks),
    gauge("playbook_entries", "Entries of all playbooks"): lambda seen: _one(seen.n_entries),
    gauge("playbook_lasting_entries", "Entries that are ten turns old or older"): lambda seen: _one(seen.n_lasting),
    gauge(
        "playbook_lasting_helpful_entries", "Of these, entries that helped more often than they harmed"
    ): lambda seen: _one(seen.n_lasting_helpful),
    counter("playbook_became_lasting", "Entries that came to be ten turns old"): lambda seen: _one(
        seen.n_became_lasting
    ),
    counter("playbook_added", "Entries that were added, by kind", "kind"): lambda seen: _by_name(seen.entries),
    counter("playbook_confirmed", "Times that an entry was found again"): lambda seen: _one(seen.n_entries_confirmed),
    counter("playbook_votes", "Votes on entries, helpful or harmful", "kind"): lambda seen: _by_name(seen.votes),
    counter("playbook_turns", "Checkpoints of playbooks"): lambda seen: _one(seen.n_turns),
    counter("memory_evicted", "Entries, playbooks and pins that went, by why or what", "cause"): lambda seen: _by_name(
        seen.evicted
    ),
    gauge("facts", "Facts that are kept, expired ones among them until something is remembered"): lambda seen: _one(
        seen.n_facts
    ),
    gauge("facts_indexed", "Facts that have a vector, so that they are found by meaning"): lambda seen: _one(
        seen.n_indexed
    ),
    counter("facts_remembered", "Facts that were new"): lambda seen: _one(seen.n_remembered),
    counter("facts_confirmed", "Times that a fact was found again"): lambda seen: _one(seen.n_facts_confirmed),
    counter("facts_forgotten", "Facts that went, by why", "cause"): lambda seen: _by_name(seen.forgotten),
    counter("recalls", "Times that facts were asked for", "way"): lambda seen: _by_name(seen.recalls),
    counter("recall_hits", "Recalls that found something", "way"): lambda seen: _by_name(seen.hits),
    counter("wakeups", "Times that a session was given facts to begin with"): lambda seen: _one(seen.n_wakeups),
    counter("wakeup_facts", "Facts that wakeups held"): lambda seen: _one(seen.n_wakeup_facts),
    counter("wakeup_tokens", "Tokens that wakeups had"): lambda seen: _one(seen.n_wakeup_tokens),
    counter("wakeup_flat_tokens", "Tokens that the same facts have as a flat list"): lambda seen: _one(
        seen.n_wakeup_flat_tokens
    ),
}

MEMORY_METRICS: Final = tuple(_SAMPLES)


def memory_families(seen: Statistics) -> Iterator[Family]:
    """The memory's metrics."""
    return (metric.family(samples(seen)) for metric, samples in _SAMPLES.items())
