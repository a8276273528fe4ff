"""What a chaos run does, and how much of it: a plan and its seed say which faults come in which order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType
from typing import Final, NamedTuple

from actors.runtime.errors import Misuse
from coordinator.domain import MEMORY, QUALITY_STORE, SCENT_FIELD, THRESHOLDS
from coordinator.simulation.checker.terms import Terms

KILL_ACTOR: Final = "kill_actor"
KILL_AGENT: Final = "kill_agent"
STOP_AGENT: Final = "stop_agent"
STOP_ACTOR: Final = "stop_actor"
KILL_CLUSTER: Final = "kill_cluster"
FAULTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        KILL_ACTOR: "kill -9 of a state actor's process",
        KILL_AGENT: "kill -9 of an agent; another one takes its place",
        STOP_AGENT: "SIGSTOP of an agent for longer than its lease, then SIGCONT",
        STOP_ACTOR: "SIGSTOP of a state actor for longer than a lease, then SIGCONT",
        KILL_CLUSTER: "kill -9 of the whole Ray cluster, and a new one over the same stores",
    }
)
WEIGHTS: Final[Mapping[str, int]] = MappingProxyType(
    {KILL_ACTOR: 40, KILL_AGENT: 20, STOP_AGENT: 28, STOP_ACTOR: 9, KILL_CLUSTER: 3}
)
_ACTORS: Final[Mapping[str, int]] = MappingProxyType({SCENT_FIELD: 6, QUALITY_STORE: 3, THRESHOLDS: 1, MEMORY: 1})
_STOPS: Final = (1.3, 2.5)
"""How long a process is stopped, in TTLs."""


def weights_of(only: Sequence[str] | None) -> Mapping[str, int]:
    """How often each kind of fault comes; of some kinds alone if they are named. Raises `Misuse` for unknown ones."""
    unknown = [kind for kind in only or () if kind not in FAULTS]
    if unknown:
        raise Misuse(f"there is no fault {unknown[0]!r}: name some of {', '.join(FAULTS)}")
    return {kind: weight for kind, weight in WEIGHTS.items() if not only or kind in only}


class Fault(NamedTuple):
    """One fault: its kind, the actor or the agent's place that it meets, for how long, and the pause before it."""

    kind: str
    actor: str
    place: int
    for_s: float
    after_s: float


@dataclass(frozen=True, slots=True)
class Plan:
    """A run: `for_s` seconds of faults or `max_faults`, whichever is over first.

    The TTL is above the two seconds that field time goes on in one step after a stand-still of the actor.
    """

    seed: int
    for_s: float
    max_faults: int | None = None
    n_agents: int = 8
    weights: Mapping[str, int] = field(default_factory=lambda: WEIGHTS)
    mean_gap_s: float = 0.6
    ttl_s: float = 3.5
    lock_delay_s: float = 0.3
    call_timeout_s: float = 20.0

    @property
    def terms(self) -> Terms:
        """The promises' numbers, for the checker. Nothing rests or fades for long enough to end by that."""
        return Terms(ttl_s=self.ttl_s, lock_delay_s=self.lock_delay_s, idle_s=7_200.0, fade_s=1_600.0)

    def faults(self) -> Iterator[Fault]:
        """The faults in their order, without an end."""
        random = Random(f"{self.seed}/faults")
        kinds, weights = list(self.weights), list(self.weights.values())
        actors, shares = list(_ACTORS), list(_ACTORS.values())
        while True:
            yield Fault(
                kind=random.choices(kinds, weights)[0],
                actor=random.choices(actors, shares)[0],
                place=random.randrange(self.n_agents),
                for_s=self.ttl_s * random.uniform(*_STOPS),
                after_s=random.expovariate(1.0 / self.mean_gap_s),
            )
