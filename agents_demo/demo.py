"""Agents at work on a real source tree: without coordination, split by number, and with Scentfield.

    python -m agents_demo.demo --agents 8 --tasks 240

Nothing is random and nothing is made up: the agents are processes, the files are real, and every number is what
happened, also where a column other than ours wins.
"""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console

from actors.runtime.errors import Misuse, ScentfieldError, Unavailable
from agents_demo.assignment import Assignment, Way
from agents_demo.column import Column
from agents_demo.crew import Crew
from agents_demo.host import coordinator_for, space_of, state_folder
from agents_demo.killing import Killing
from agents_demo.learning_demo import run_learning
from agents_demo.ledger import judge
from agents_demo.lesson_demo import run_lessons
from agents_demo.performance import perform
from agents_demo.plan import check_crew, crew_names, require
from agents_demo.report import AgentReport
from agents_demo.spawn import PACKAGES
from agents_demo.stage import Stage, set_stage
from agents_demo.table import finish_line, print_outcomes, progress_bars
from coordinator.cli.exit_code import ExitCode, exit_code_of
from coordinator.client import Coordinator
from coordinator.head import recorded_head
from coordinator.settings import Settings

DEFAULT_AGENTS: Final = 8
DEFAULT_TASKS: Final = 240
DEFAULT_THINK_MS: Final = 20.0
KILLED: Final = "killed"
ACCIDENT_TTL_S: Final = 2.0
"""How long a silent agent lives in the run with the accident: short, so that you need not wait for its claims."""

Advance = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run. `max_s` limits each column, None lets all tasks be done."""

    n_agents: int = DEFAULT_AGENTS
    n_tasks: int = DEFAULT_TASKS
    max_s: float | None = None
    think_s: float = DEFAULT_THINK_MS / 1000.0
    rereads: bool = False
    with_accident: bool = True

    def __post_init__(self) -> None:
        check_crew(self.n_agents, self.n_tasks, self.think_s)
        require(self.max_s is None or self.max_s > 0, f"{self.max_s} seconds: give the agents more than 0")

    @property
    def names(self) -> list[str]:
        """The agents."""
        return crew_names(self.n_agents)

    @property
    def columns(self) -> list[str]:
        """The columns by name, in the order in which they run."""
        accident = [KILLED] if self.with_accident and self.n_agents > 1 else []
        return [*(way.value for way in Way), *accident]


@dataclass(frozen=True, slots=True)
class Run:
    """One column that has ended: its tree, what its agents said, and rows of its own."""

    tree: Path
    reports: list[AgentReport]
    rows: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything that a column needs: the plan, the tree and its tasks, the coordinator's settings, and the agents."""

    plan: Plan
    stage: Stage
    settings: Settings
    crew: Crew

    def run(self, name: str, advance: Advance) -> Run:
        """Run one column."""
        tree = self.stage.copy(name)
        ttl = {"ttl_s": ACCIDENT_TTL_S} if name == KILLED else {}
        settings = self.settings.model_copy(update={"space": space_of(name), **ttl})
        assignments = self._assignments(name, tree, settings)
        with self._witness(name, tree, settings) as witness:
            column = Column(self.crew, assignments, progress=lambda n_done: advance(name, n_done), witness=witness)
            reports = column.run()
            return Run(tree, reports, {} if witness is None else {**witness.rows(reports), "ttl_s": settings.ttl_s})

    def _assignments(self, name: str, tree: Path, settings: Settings) -> list[Assignment]:
        plan, way = self.plan, Way.WITH if name == KILLED else Way(name)
        first = Assignment(
            "",
            0,
            plan.n_agents,
            way,
            str(tree),
            self.stage.tasks,
            plan.think_s,
            plan.max_s,
            plan.rereads,
            settings.model_dump(mode="json") if way is Way.WITH else None,
        )
        return [replace(first, name=name, number=number) for number, name in enumerate(plan.names)]

    @contextlib.contextmanager
    def _witness(self, name: str, tree: Path, settings: Settings) -> Iterator[Killing | None]:
        if name != KILLED:
            yield None
            return
        with Coordinator.connect(agent="onlooker", root=tree, settings=settings) as onlooker:
            yield Killing(onlooker, len(self.stage.tasks))


def run_demo(
    *,
    n_agents: int = DEFAULT_AGENTS,
    n_tasks: int = DEFAULT_TASKS,
    seconds: float | None = None,
    think_ms: float = DEFAULT_THINK_MS,
    rereads: bool = False,
    with_accident: bool = True,
    as_json: bool = False,
    keep: Path | None = None,
    source: Path | None = None,
    settings: Settings | None = None,
) -> dict[str, dict[str, Any]]:
    """Run all columns, print them as a table or with `as_json` as one JSON document, and return them by name.

    `seconds` limits each column. `keep` is a folder to leave the trees in, `source` the tree to copy instead of the
    standard library. Runs on the cluster of `settings` if there is one, else on one of its own, and always with a
    coordinator of its own, which is taken away at the end. Raises `Misuse` for what cannot be run, `Unavailable` if the
    coordinator does not start or the agents do not end.
    """
    plan = Plan(n_agents, n_tasks, seconds, think_ms / 1000.0, rereads, with_accident)
    settings = settings or Settings()
    return perform(
        partial(_run, plan, settings, source), show=print_outcomes, as_json=as_json, keep=keep, settings=settings
    )


def _run(
    plan: Plan, settings: Settings, source: Path | None, folder: Path, screen: Console
) -> dict[str, dict[str, Any]]:
    with (
        state_folder() as state,
        ThreadPoolExecutor(1) as beside,
    ):
        # Starting the coordinator is mostly waiting: the tree is made ready meanwhile.
        staged = beside.submit(set_stage, folder, plan.n_tasks, source=source)
        runs, stage = _run_columns(plan, staged, settings, state, screen)
    facts = _facts(plan, stage)
    with screen.status("comparing the files with what the agents said"):
        return {name: {**_judged(stage, run), **run.rows, **facts} for name, run in runs.items()}


def _judged(stage: Stage, run: Run) -> dict[str, Any]:
    return judge(stage.original.root, run.tree, stage.tasks, run.reports).to_json()


def _run_columns(
    plan: Plan, staged: Future[Stage], settings: Settings, state: Path, screen: Console
) -> tuple[dict[str, Run], Stage]:
    with contextlib.ExitStack() as stack:
        with screen.status("starting the coordinator, copying a source tree, looking for tasks"):
            hosted = stack.enter_context(coordinator_for(settings, state))
            crew = stack.enter_context(Crew(plan.names, state))
            stage = staged.result()
        advance = stack.enter_context(progress_bars(screen, plan.columns, len(stage.tasks)))
        bench = Bench(plan, stage, hosted, crew)
        runs: dict[str, Run] = {}
        for name in plan.columns:
            with finish_line(screen, name, len(runs) + 1, len(plan.columns)):
                runs[name] = bench.run(name, advance)
        return runs, stage


def _facts(plan: Plan, stage: Stage) -> dict[str, Any]:
    return {
        "agents": plan.n_agents,
        "files": stage.original.n_files,
        "files_with_tasks": stage.n_files_with_tasks,
        "think_ms": plan.think_s * 1000.0,
        "rereads": plan.rereads,
    }


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for on a command line; None is left to the defaults.

    Raises `Misuse` for options that belong to another story.
    """

    agents: int | None = None
    tasks: int | None = None
    seconds: float | None = None
    think_ms: float | None = None
    rounds: int | None = None
    rereads: bool = False
    learns: bool = False
    lessons: bool = False

    def __post_init__(self) -> None:
        if self.learns and self.lessons:
            raise Misuse("--learn and --lessons are two stories: give one of them")
        if self.rounds is not None and not (self.learns or self.lessons):
            raise Misuse("only learning and lessons go in rounds: give --learn or --lessons with --rounds")
        if (self.learns or self.lessons) and (self.seconds is not None or self.rereads):
            flag = "--learn" if self.learns else "--lessons"
            raise Misuse(f"{flag} compares the same tasks in both runs: leave --seconds and --reread out")
        if self.lessons and self.agents is not None:
            raise Misuse("--lessons is about two agents, one after the other: leave --agents out")

    def options(self) -> dict[str, Any]:
        """The arguments of `run_demo`, `run_learning` or `run_lessons`."""
        values = {
            "n_agents": self.agents,
            "n_tasks": self.tasks,
            "seconds": self.seconds,
            "think_ms": self.think_ms,
            "n_rounds": self.rounds,
            "rereads": self.rereads or None,
        }
        return {name: value for name, value in values.items() if value is not None}

    def arguments(self) -> list[str]:
        """The same as options of a command line."""
        flags = {"--learn": self.learns, "--lessons": self.lessons, "--reread": self.rereads}
        values = {
            "--agents": self.agents,
            "--tasks": self.tasks,
            "--seconds": self.seconds,
            "--think-ms": self.think_ms,
            "--rounds": self.rounds,
        }
        given = [text for flag, value in values.items() if value is not None for text in (flag, str(value))]
        return [*(flag for flag, is_given in flags.items() if is_given), *given]


def perform_request(asked: Request, *, as_json: bool, keep: Path | None, settings: Settings) -> dict[str, Any]:
    """Give the story that was asked for."""
    run: Callable[..., dict[str, Any]] = run_lessons if asked.lessons else run_learning if asked.learns else run_demo
    return run(**asked.options(), as_json=as_json, keep=keep, settings=settings)


def job_command(settings: Settings, arguments: list[str], *, executable: str = sys.executable) -> str:
    """The command that runs the demo as a Ray job on the head that `scentfield up` started.

    Raises `Unavailable` if that is not running. The interpreter is named in full, as a job's bare `python` may be
    another one; so is the cluster, as Ray tells a job the address of the head that was started last on its machine.
    `-P` keeps a foreign `actors` in the job's folder from shadowing ours, where ours is installed.
    """
    head = recorded_head(settings.state_dir)
    if head is None:
        raise Unavailable(f"no head runs for {settings.state_dir}, and a job needs one: start it with `scentfield up`")
    ray = str(Path(executable).with_name("ray"))
    submit = [ray, "job", "submit", "--address", head.dashboard_url, "--working-dir", "."]
    named = [f"SCENTFIELD_ADDRESS={head.address}", f"SCENTFIELD_NAMESPACE={settings.namespace}"]
    safe_path = [] if Path.cwd().samefile(PACKAGES) else ["-P"]
    run = ["env", *named, executable, *safe_path, "-m", "agents_demo.demo", *arguments]
    return "RAY_AUTH_MODE=token " + shlex.join([*submit, "--", *run])


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def demo(
    agents: Annotated[int | None, typer.Option(help="How many agents, each a process.")] = None,
    tasks: Annotated[int | None, typer.Option(help="How many tasks at most.")] = None,
    seconds: Annotated[float | None, typer.Option(help="A time limit for each column.")] = None,
    think_ms: Annotated[float | None, typer.Option(help="What a decision takes, in place of a model.")] = None,
    reread: Annotated[
        bool, typer.Option("--reread", help="Agents without coordination read the file again just before they write.")
    ] = False,
    learn: Annotated[
        bool, typer.Option("--learn", help="Rounds instead of columns: what is learned, and whether it pays.")
    ] = False,
    lessons: Annotated[
        bool, typer.Option("--lessons", help="Two agents in sequence, the second with and without the first's lessons.")
    ] = False,
    rounds: Annotated[int | None, typer.Option(help="How many rounds, with --learn or --lessons.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
    keep: Annotated[Path | None, typer.Option(help="Leave the trees in this folder.", metavar="FOLDER")] = None,
    print_job_command: Annotated[
        bool, typer.Option("--print-job-command", help="Print how to run this as a Ray job, and do nothing else.")
    ] = False,
) -> None:
    """Agents at work on a real source tree: without coordination, split by number, and with Scentfield."""
    try:
        asked = Request(agents, tasks, seconds, think_ms, rounds, rereads=reread, learns=learn, lessons=lessons)
        if print_job_command:
            typer.echo(job_command(Settings(), asked.arguments()))
            return
        perform_request(asked, as_json=as_json, keep=keep, settings=Settings())
    except ScentfieldError as error:
        typer.echo(f"error: {error.message}", err=True)
        raise typer.Exit(exit_code_of(error)) from error
    except KeyboardInterrupt as interrupt:
        typer.echo("interrupted: what the demo had started was taken away", err=True)
        raise typer.Exit(ExitCode.INTERRUPTED) from interrupt


if __name__ == "__main__":
    app()
