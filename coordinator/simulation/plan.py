"""What a seed decides before it begins: how many do what, and which faults there will be.

Each seed has some of the faults and not the others (swarm testing: Groce et al., ISSTA 2012): a world in which
everything breaks all the time never gets anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final

from actors.runtime.settings import MailboxLimits
from coordinator.simulation.chance import Chance
from coordinator.simulation.checker.terms import Terms

N_STEPS: Final = 2_000
N_AGENTS: Final = 8
MAX_AGENTS: Final = 20_000
_FEW: Final = 6
"""Requests that fill a short queue: a process that stands still turns others away."""
HALF_LIFE_S: Final = 6.0
"""Of CLAIMED signals: a claim that no heartbeat keeps fades after 16.4 s."""

MEAN_S: Final = {
    "kill": 9.0,
    "kill_in_commit": 6.0,
    "twin": 14.0,
    "stall": 8.0,
    "pause_agent": 3.0,
    "end_agent": 9.0,
    "wall_jump": 8.0,
    "full_disk": 18.0,
    "unconfirmed": 12.0,
    "partition": 9.0,
    "outage": 60.0,
    "compaction": 15.0,
    "storm": 15.0,
    "impostor": 3.0,
}
"""Each fault, and the mean of the virtual seconds between two of its kind."""
_DRAWN_LAST: Final = ("impostor",)
"""What was added later is drawn last: a seed without it stays the world that it was."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One seed's decisions. Shares are probabilities, spans virtual seconds."""

    seed: int
    n_steps: int
    n_agents: int
    terms: Terms
    limits: MailboxLimits
    faults: tuple[str, ...]
    loss_share: float
    repeat_share: float
    slow_share: float
    give_up_share: float
    mean_think_s: float
    has_quality_store: bool
    call_timeout_s: float = 3.0
    quiet_s: float = field(default=0.0)

    @property
    def field_options(self) -> dict[str, Any]:
        """What the factory of the scent field's machine is called with."""
        terms = self.terms
        return {
            "max_sessions": 2 * MAX_AGENTS,
            "lock_delay_s": terms.lock_delay_s,
            "idle_s": terms.idle_s,
            "half_lives_s": {"CLAIMED": HALF_LIFE_S},
        }


def draw_plan(chance: Chance, seed: int, *, n_steps: int = N_STEPS, n_agents: int = N_AGENTS) -> Plan:
    """The plan of a seed."""
    random = chance.plan
    faults = tuple(name for name in MEAN_S if name not in _DRAWN_LAST and random.random() < 0.4)
    terms = Terms(lock_delay_s=random.choice((2.0, 2.0, 4.0)), idle_s=random.choice((9.0, 25.0)))
    plan = Plan(
        seed=seed,
        n_steps=n_steps,
        n_agents=n_agents,
        terms=terms,
        limits=MailboxLimits(
            max_batch=random.choice((1, 4, 512)),
            max_unacknowledged=random.choice((4, 256)),
            relaxed_s=1.0,
        ),
        faults=faults,
        loss_share=random.choice((0.0, 0.0, 0.02, 0.1)),
        repeat_share=random.choice((0.0, 0.05, 0.2)),
        slow_share=random.choice((0.0, 0.05, 0.15)),
        give_up_share=random.choice((0.0, 0.03, 0.15)),
        mean_think_s=random.choice((0.1, 0.3, 0.8)),
        has_quality_store=random.random() < 0.3,
    )
    more = tuple(name for name in _DRAWN_LAST if random.random() < 0.4)
    limits = replace(plan.limits, max_queue=random.choice((2_000, 2_000, max(_FEW, n_agents))))
    return replace(plan, faults=faults + more, limits=limits)
