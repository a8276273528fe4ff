"""What a chaos run came to: faults, recoveries, how long callers stood still, and which promises were broken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from coordinator.bench.crew import quantile
from coordinator.chaos.judge import NOT_APPLIED, RULES, Violation
from coordinator.chaos.nemesis import Deed
from coordinator.chaos.plan import KILL_ACTOR, KILL_CLUSTER, STOP_ACTOR, STOP_AGENT
from coordinator.domain import DOMAINS
from coordinator.simulation.checker.holding import OneHolder
from coordinator.simulation.checker.request import Acknowledged
from coordinator.simulation.checker.truth import Guarded
from coordinator.simulation.history import Committed, Heard, History, Message, Sent, Wrote

LOST: Final = "acknowledged is kept"
_WAITS: Final = ("claim", "claim_any", "watch")


@dataclass(frozen=True, slots=True)
class Report:
    """One run. The figures are seconds; `calls_s` are in order, of calls that were neither waiting nor stopped."""

    seed: int
    store: str
    for_s: float
    n_agents: int
    deeds: tuple[Deed, ...]
    n_calls: int
    n_rows: int
    n_writes: int
    n_stale_refused: int
    calls_s: tuple[float, ...]
    violations: tuple[Violation, ...]

    def times_s(self, kind: str) -> list[float]:
        """How long those that met a fault were not there."""
        return [deed.until_s - deed.at_s for deed in self.deeds if deed.kind == kind]

    def n_broken(self, *rules: str) -> int:
        """How often one of these rules was broken."""
        return sum(violation.rule in rules for violation in self.violations)

    def counts(self) -> dict[str, int]:
        """How many faults of each kind there were; the end of a cluster is one."""
        counts = Counter(deed.kind for deed in self.deeds)
        counts[KILL_CLUSTER] //= len(DOMAINS)
        return {kind: number for kind, number in sorted(counts.items()) if number}

    def document(self) -> dict[str, Any]:
        """The run for programs."""
        counts = self.counts()
        return {
            "seed": self.seed,
            "store": self.store,
            "minutes": round(self.for_s / 60.0, 2),
            "agents": self.n_agents,
            "kills": sum(number for kind, number in counts.items() if kind not in (STOP_ACTOR, STOP_AGENT)),
            "stops": counts.get(STOP_ACTOR, 0) + counts.get(STOP_AGENT, 0),
            "faults": counts,
            "recoveries": len(self.times_s(KILL_ACTOR)) + len(self.times_s(KILL_CLUSTER)),
            "recovery_s": {kind: spread(self.times_s(kind)) for kind in (KILL_ACTOR, KILL_CLUSTER)},
            "acknowledged_lost": self.n_broken(Acknowledged.name, LOST),
            "double_holders": self.n_broken(OneHolder.name),
            "stale_writes_accepted": self.n_broken(Guarded.name),
            "stale_writes_refused": self.n_stale_refused,
            "stall_s": spread(self.calls_s),
            "calls": self.n_calls,
            "rows": self.n_rows,
            "writes": self.n_writes,
            "rules": [rule.name for rule in RULES] + [LOST],
            "rules_not_applied": dict(NOT_APPLIED),
            "violations": [violation.document() for violation in self.violations],
        }


def spread(times_s: Sequence[float]) -> dict[str, float] | None:
    """The median, the 99th hundredth and the largest; None of nothing."""
    if not times_s:
        return None
    ordered = sorted(times_s)
    figures = {"median": median(ordered), "p99": quantile(ordered, 0.99), "max": ordered[-1]}
    return {name: round(value, 3) for name, value in figures.items()}


def figures_of(history: History, deeds: Sequence[Deed]) -> dict[str, Any]:
    """What is counted in a history, by the names of the report's fields."""
    writes = [record for record in history if isinstance(record, Wrote)]
    return {
        "n_calls": sum(isinstance(record, Sent) for record in history),
        "n_rows": sum(isinstance(record, Committed) for record in history),
        "n_writes": len(writes),
        "n_stale_refused": sum(not write.is_accepted for write in writes),
        "calls_s": tuple(sorted(_calls_s(history, deeds))),
    }


def _calls_s(history: History, deeds: Sequence[Deed]) -> Iterator[float]:
    """What each call took; those that may wait, or met a stand-still that was planned, are left out."""
    stops = [deed for deed in deeds if deed.kind in (STOP_ACTOR, STOP_AGENT)]
    open_calls: dict[int, Sent] = {}
    for record in history:
        if isinstance(record, Sent) and not any(_may_wait(command) for command in record.commands):
            open_calls[record.call] = record
        elif isinstance(record, Heard) and record.call in open_calls:
            sent = open_calls.pop(record.call)
            if not any(_met(stop, sent, record) for stop in stops):
                yield record.at_s - sent.at_s


def _met(stop: Deed, sent: Sent, heard: Heard) -> bool:
    overlaps = stop.at_s <= heard.at_s and sent.at_s <= stop.until_s
    return overlaps and stop.whom in (sent.who, sent.actor)


def _may_wait(command: Message) -> bool:
    return command[0] in _WAITS
