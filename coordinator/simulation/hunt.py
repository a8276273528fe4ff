"""Looks for the first seed that shows a bug, in a process of its own: `python -P -m coordinator.simulation.hunt`.

It runs from a copy of the house in which a bug was planted, and says which copy it has judged.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import actors
from coordinator.simulation.disk import DiskRoom
from coordinator.simulation.verdict import judge_seed


def hunt(n_seeds: int, n_steps: int, n_agents: int) -> dict[str, Any]:
    """The first seed that breaks a promise, and how; None if none of them does."""
    with DiskRoom() as room:
        for seed in range(n_seeds):
            verdict = judge_seed(seed, n_steps=n_steps, n_agents=n_agents, room=room)
            if verdict.violations:
                return {"seed": seed, "violation": verdict.violations[0].document()}
    return {"seed": None, "violation": None}


def main() -> None:
    """Read what to do from the command line, print what was found as JSON."""
    n_seeds, n_steps, n_agents = map(int, sys.argv[1:4])
    found = hunt(n_seeds, n_steps, n_agents)
    document = {"house": str(Path(actors.__file__).parents[1]), **found}
    sys.stdout.write(json.dumps(document) + "\n")


if __name__ == "__main__":
    main()
