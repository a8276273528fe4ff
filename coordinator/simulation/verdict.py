"""One seed, run and judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from coordinator.simulation.chance import Chance
from coordinator.simulation.checker.checker import check
from coordinator.simulation.checker.rule import Finding
from coordinator.simulation.disk import DiskRoom
from coordinator.simulation.history import History
from coordinator.simulation.line import line_of
from coordinator.simulation.plan import Plan, draw_plan
from coordinator.simulation.watchdog import TooSlow, patience_s, watched
from coordinator.simulation.world import World

MAX_LINES: Final = 12
_MAX_MESSAGE: Final = 500


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken promise of one seed, with the lines of its history that show it, each with its number from 1."""

    seed: int
    rule: str
    at_s: float
    message: str
    lines: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """The violation for programs."""
        return {
            "seed": self.seed,
            "rule": self.rule,
            "at_s": self.at_s,
            "message": self.message,
            "lines": list(self.lines),
        }

    def text(self) -> str:
        """The violation for people."""
        shown = "".join(f"\n  {line}" for line in self.lines)
        return f"seed {self.seed} breaks {self.rule!r} at {self.at_s:.6f}: {self.message}{shown}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a seed. `n_steps` that were taken while there were faults; `n_records` in the history."""

    seed: int
    n_steps: int
    n_records: int
    violations: tuple[Violation, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """A seed's whole history, the plan that it followed, and what it breaks."""

    plan: Plan
    history: History
    findings: tuple[Finding, ...]

    def lines(self) -> list[str]:
        """The history for people."""
        return [line_of(record) for record in self.history]

    def violations(self) -> tuple[Violation, ...]:
        """What it breaks, with the lines that show it."""
        return tuple(_violation(self.plan.seed, one, self.history) for one in self.findings)


def run_seed(seed: int, *, n_steps: int, n_agents: int, room: DiskRoom) -> Run:
    """Run a seed's world and check its history; a world that cannot go on is a broken promise too."""
    chance = Chance(seed)
    plan = draw_plan(chance, seed, n_steps=n_steps, n_agents=n_agents)
    world = World(plan, chance, room)
    crash: list[Finding] = []
    try:
        with watched(patience_s(n_steps)):
            world.run()
    except (Exception, TooSlow) as error:  # whatever it is, the seed shows it again
        told = f"{type(error).__name__}: {error}"[:_MAX_MESSAGE]
        last = range(len(world.history))[-1:]
        crash.append(Finding("the world goes on", world.agenda.now_s, told, tuple(last)))
        world.close()
    return Run(plan, world.history, (*check(world.history, plan.terms), *crash))


def judge_seed(seed: int, *, n_steps: int, n_agents: int, room: DiskRoom) -> Verdict:
    """The verdict on a seed, small enough to be sent between processes."""
    run = run_seed(seed, n_steps=n_steps, n_agents=n_agents, room=room)
    return Verdict(seed, n_steps, len(run.history), run.violations())


def _violation(seed: int, finding: Finding, history: Sequence[Any]) -> Violation:
    places = finding.places[-MAX_LINES:]
    lines = tuple(f"{place + 1}: {line_of(history[place])}" for place in places)
    return Violation(seed, finding.rule, finding.at_s, finding.message, lines)
