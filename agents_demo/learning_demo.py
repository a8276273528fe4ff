"""Agents at work in rounds on a real source tree, so that one sees what is learned from them, and whether it paid.

    python -m agents_demo.demo --learn

The rounds are run twice, by the same agents on the same tasks: with learning, and with a coordinator of its own whose
learning is switched off. Nothing is random; what an agent does hangs on what it is shown and on what the files say.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from agents_demo.backlog import Backlog, deal, teaching
from agents_demo.course import Course, Round, reports_of
from agents_demo.crew import Crew
from agents_demo.effect import comparison, touched_paths
from agents_demo.host import coordinator_for, space_of, state_folder
from agents_demo.learning_table import ARMS, print_learning
from agents_demo.ledger import judge
from agents_demo.performance import perform
from agents_demo.plan import check_crew, check_rounds, crew_names
from agents_demo.report import TaskReport
from agents_demo.stage import Stage
from agents_demo.table import finish_line, progress_bars
from agents_demo.task import collect
from agents_demo.tree import copy_tree
from coordinator.settings import Settings

DEFAULT_AGENTS: Final = 4
DEFAULT_ROUNDS: Final = 6
DEFAULT_TASKS: Final = 400
DEFAULT_THINK_MS: Final = 20.0
MAX_ROUNDS: Final = 50


@dataclass(frozen=True, slots=True)
class LearningPlan:
    """What to run. `n_tasks` is a limit for all rounds together."""

    n_agents: int = DEFAULT_AGENTS
    n_rounds: int = DEFAULT_ROUNDS
    n_tasks: int = DEFAULT_TASKS
    think_s: float = DEFAULT_THINK_MS / 1000.0

    def __post_init__(self) -> None:
        check_crew(self.n_agents, self.n_tasks, self.think_s)
        check_rounds(self.n_rounds, MAX_ROUNDS)

    @property
    def names(self) -> list[str]:
        """The agents."""
        return crew_names(self.n_agents)


def run_learning(
    *,
    n_agents: int = DEFAULT_AGENTS,
    n_rounds: int = DEFAULT_ROUNDS,
    n_tasks: int = DEFAULT_TASKS,
    think_ms: float = DEFAULT_THINK_MS,
    as_json: bool = False,
    keep: Path | None = None,
    source: Path | None = None,
    settings: Settings | None = None,
) -> dict[str, Any]:
    """Run the rounds with learning on and off, print what was learned and what it did, and return the document.

    `keep`, `source` and `settings` are as for `run_demo`. Raises `Misuse` for what cannot be run, such as a tree with
    too little in it, `Unavailable` if the coordinator does not start or the agents do not end.
    """
    plan = LearningPlan(n_agents, n_rounds, n_tasks, think_ms / 1000.0)
    settings = settings or Settings()
    return perform(
        partial(_run, plan, settings, source),
        show=print_learning,
        as_json=as_json,
        keep=keep,
        settings=settings,
    )


def _run(plan: LearningPlan, settings: Settings, source: Path | None, folder: Path, screen: Console) -> dict[str, Any]:
    with contextlib.ExitStack() as stack:
        state, state_off = (stack.enter_context(state_folder()) for _ in range(2))
        # Starting the coordinators is mostly waiting: the tree is made ready meanwhile.
        staged = stack.enter_context(ThreadPoolExecutor(1)).submit(_set_stage, plan, folder, source)
        with screen.status("starting two coordinators, copying a source tree, looking for tasks"):
            on = stack.enter_context(coordinator_for(settings, state))
            off = stack.enter_context(coordinator_for(on, state_off))
            crew = stack.enter_context(Crew(plan.names, state))
            stage, backlog = staged.result()
        advance = stack.enter_context(progress_bars(screen, list(ARMS), len(backlog.tasks)))
        rounds: dict[str, list[Round]] = {}
        for name, hosted in zip(ARMS, (on, off), strict=True):
            with finish_line(screen, name, len(rounds) + 1, len(ARMS)):
                course = Course(
                    crew,
                    backlog,
                    stage.original.root,
                    stage.copy(name),
                    hosted.model_copy(update={"space": space_of(name)}),
                    plan.think_s,
                    learns=hosted is on,
                )
                rounds[name] = course.run(partial(advance, name))
    with screen.status("comparing the files with what the agents said"):
        return _document(plan, stage, backlog, rounds)


def _set_stage(plan: LearningPlan, folder: Path, source: Path | None) -> tuple[Stage, Backlog]:
    original = copy_tree(folder / "original", source=source)
    tasks = teaching(original, collect(original.root, original.paths), plan.n_tasks)
    backlog = deal(tasks, n_rounds=plan.n_rounds, n_agents=plan.n_agents)
    return Stage(original, backlog.tasks), backlog


def _document(plan: LearningPlan, stage: Stage, backlog: Backlog, rounds: dict[str, list[Round]]) -> dict[str, Any]:
    turns = {name: [turn for one in of_arm for turn in one.turns] for name, of_arm in rounds.items()}
    on, off = (turns[name] for name in ARMS)
    return {
        "agents": plan.n_agents,
        "agents_with_memory": plan.n_agents // 2,
        "rounds": plan.n_rounds,
        "tasks": len(backlog.tasks),
        "files": stage.original.n_files,
        "files_with_tasks": stage.n_files_with_tasks,
        "think_ms": plan.think_s * 1000.0,
        **{name: _arm(stage, name, of_arm) for name, of_arm in rounds.items()},
        "learned": {**rounds["learning_on"][-1].after.to_json(), "touched_paths": _touched(on, stage)},
        "effect": comparison(on, off),
    }


def _touched(turns: Sequence[TaskReport], stage: Stage) -> list[dict[str, Any]]:
    return [asdict(row) for row in touched_paths(turns, stage.tasks)]


def _arm(stage: Stage, name: str, rounds: Sequence[Round]) -> dict[str, Any]:
    tree = stage.original.root.parent / name
    judged = judge(stage.original.root, tree, stage.tasks, reports_of(rounds)).to_json()
    kept = ("tasks_done", "updates_lost", "edits_failed", "tokens_read", "tokens_read_net", "files_changed", "seconds")
    return {"rounds": [one.to_json() for one in rounds], **{key: judged[key] for key in kept}}
