"""Two agents in sequence on a real source tree, the second with and without what the first has learned.

    python -m agents_demo.demo --lessons

Nothing is random; what an agent does hangs on what it is shown and on what the files say. Several runs, with other
halves of the tasks and other orders, show how far the difference is one. All of it twice: with views by size alone, and
with views as the coordinator has learned, which answers the same failures by showing more.
"""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from agents_demo.backlog import Backlog, deal, teaching
from agents_demo.host import coordinator_for, state_folder
from agents_demo.lesson_effect import effect_of
from agents_demo.lesson_table import print_lessons
from agents_demo.performance import perform
from agents_demo.plan import check_crew, check_rounds
from agents_demo.relay import LEGS, VIEWS, Advance, Relay
from agents_demo.stage import Stage
from agents_demo.table import finish_line, progress_bars
from agents_demo.task import collect
from agents_demo.tree import copy_tree
from coordinator.settings import Settings

DEFAULT_RUNS: Final = 3
DEFAULT_TASKS: Final = 240
TASKS_A_FILE: Final = 4
MAX_RUNS: Final = 20


@dataclass(frozen=True, slots=True)
class LessonPlan:
    """What to run: `n_runs` for each way of choosing views, each with all of `n_tasks`, half of them for each agent."""

    n_runs: int = DEFAULT_RUNS
    n_tasks: int = DEFAULT_TASKS
    think_s: float = 0.0

    def __post_init__(self) -> None:
        check_crew(1, self.n_tasks, self.think_s)
        check_rounds(self.n_runs, MAX_RUNS)


def run_lessons(
    *,
    n_rounds: int = DEFAULT_RUNS,
    n_tasks: int = DEFAULT_TASKS,
    think_ms: float = 0.0,
    as_json: bool = False,
    keep: Path | None = None,
    source: Path | None = None,
    settings: Settings | None = None,
) -> dict[str, Any]:
    """Let two agents work one after the other, `n_rounds` times, print what lessons did, and return the document.

    `keep`, `source` and `settings` are as for `run_demo`. Raises `Misuse` for what cannot be run, such as a tree with
    too little in it, `Unavailable` if a coordinator does not start or an agent does not end.
    """
    plan = LessonPlan(n_rounds, n_tasks, think_ms / 1000.0)
    settings = settings or Settings()
    return perform(
        partial(_run, plan, settings, source), show=print_lessons, as_json=as_json, keep=keep, settings=settings
    )


def _run(plan: LessonPlan, settings: Settings, source: Path | None, folder: Path, screen: Console) -> dict[str, Any]:
    # Nobody is held out by chance: the arms are to differ in nothing but the lessons.
    settings = settings.model_copy(update={"holdout_share": 0.0})
    with contextlib.ExitStack() as stack:
        state = stack.enter_context(state_folder())
        # Starting the coordinator is mostly waiting: the tree is made ready meanwhile.
        staged = stack.enter_context(ThreadPoolExecutor(1)).submit(_set_stage, plan, folder, source)
        with screen.status("starting a coordinator, copying a source tree, looking for tasks"):
            # Its cluster is that of all runs, each of which has coordinators of its own there.
            hosted = stack.enter_context(coordinator_for(settings, state / "cluster"))
            stage, backlog = staged.result()
        wanted = [(views, number) for views in VIEWS for number in range(1, plan.n_runs + 1)]
        advance = stack.enter_context(progress_bars(screen, list(LEGS), len(wanted) * len(backlog.tasks) // 2))
        runs: list[dict[str, Any]] = []
        for views, number in wanted:
            with finish_line(screen, "lessons", len(runs) + 1, len(wanted)):
                relay = Relay(number, views, stage, backlog, hosted, state, plan.think_s)
                runs.append(relay.run(_after(runs, advance)))
    return _document(plan, stage, runs)


def _after(runs: list[dict[str, Any]], advance: Advance) -> Advance:
    """Counts on from the runs before."""
    n_before = {leg: sum(run[leg]["tasks_done"] for run in runs) for leg in LEGS}
    return lambda leg, n_done: advance(leg, n_before[leg] + n_done)


def _set_stage(plan: LessonPlan, folder: Path, source: Path | None) -> tuple[Stage, Backlog]:
    original = copy_tree(folder / "original", source=source)
    # Several tasks a file: what the first agent finds out about a file can be of use to the second one there.
    max_files = max(1, plan.n_tasks // TASKS_A_FILE)
    tasks = teaching(original, collect(original.root, original.paths), plan.n_tasks, max_files=max_files)
    backlog = deal(tasks, n_rounds=2, n_agents=1)
    return Stage(original, backlog.tasks), backlog


def _document(plan: LessonPlan, stage: Stage, runs: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "tasks": len(stage.tasks),
        "files": stage.original.n_files,
        "files_with_tasks": stage.n_files_with_tasks,
        "think_ms": plan.think_s * 1000.0,
        "runs": runs,
        "effect": {views: effect_of([run for run in runs if run["views"] == views]) for views in VIEWS},
    }
