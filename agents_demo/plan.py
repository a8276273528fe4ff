"""What the demo's stories ask of a plan alike: agents, tasks, how long those think, and rounds."""

from __future__ import annotations

from actors.runtime.errors import Misuse
from agents_demo.crew import MAX_AGENTS


def require(is_right: bool, wrong: str) -> None:
    """Raise `Misuse` that says what is wrong, unless all is right."""
    if not is_right:
        raise Misuse(wrong)


def check_crew(n_agents: int, n_tasks: int, think_s: float) -> None:
    """Raise `Misuse` for a crew or for work that cannot be."""
    require(1 <= n_agents <= MAX_AGENTS, f"{n_agents} agents: ask for 1 to {MAX_AGENTS}")
    require(n_tasks >= 1, f"{n_tasks} tasks: ask for 1 at least")
    require(0 <= think_s <= 60, f"thinking for {think_s} s: ask for 0 to 60,000 ms")


def check_rounds(n_rounds: int, n_most: int) -> None:
    """Raise `Misuse` for no rounds, and for more than `n_most`."""
    require(1 <= n_rounds <= n_most, f"{n_rounds} rounds: ask for 1 to {n_most}")


def crew_names(n_agents: int) -> list[str]:
    """The agents."""
    return [f"agent-{number + 1}" for number in range(n_agents)]
