"""Two agents one after the other on one tree: the second goes on twice from where the first has stopped.

Once with what the first left in its playbook, and once without; each time on its own copy of the files and of the
coordinator's stores, so that nothing else differs.
"""

from __future__ import annotations

import contextlib
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from agents_demo.assignment import Assignment, Way
from agents_demo.backlog import Backlog
from agents_demo.column import Column
from agents_demo.crew import Crew, Heard
from agents_demo.host import coordinator_for, namespace_of
from agents_demo.ledger import judge
from agents_demo.report import AgentReport, Status
from agents_demo.stage import Stage
from coordinator.client import Coordinator
from coordinator.settings import Settings

WITH: Final = "with_lessons"
WITHOUT: Final = "without_lessons"
ARMS: Final = (WITH, WITHOUT)
FIRST: Final = "first"
LEGS: Final = (FIRST, *ARMS)
BY_SIZE: Final = "by_size"
LEARNED: Final = "learned"
VIEWS: Final = (BY_SIZE, LEARNED)
"""How automatic views are chosen: by the rule from before anything was learned, or as the coordinator has learned."""
SPACE: Final = "demo-lessons"
_DONE: Final = (Status.LANDED, Status.ALREADY_DONE)

Advance = Callable[[str, int], None]
"""Told of a leg how many of its tasks have been done."""


@dataclass(slots=True)
class Heir:
    """Notes what the first agent says that it leaves."""

    kept: dict[str, Any] = field(default_factory=dict)

    def hear(self, crew: Crew, heard: Heard) -> None:  # noqa: ARG002  # the protocol's signature
        """One event."""
        if heard.event is not None and heard.event["event"] == "kept":
            self.kept = {key: value for key, value in heard.event.items() if key != "event"}

    def has_killed(self, name: str) -> bool:  # noqa: ARG002  # the same
        """Nobody."""
        return False


@dataclass(frozen=True, slots=True)
class Relay:
    """One run: which tasks there are, on which stage, with whose cluster, and in which folder the stores are.

    The halves of the backlog change places in every second run; the order of an agent's tasks follows from its name,
    which has the run's `number`. Both agents know the original tree by heart. `views` is one of `VIEWS`.
    """

    number: int
    views: str
    stage: Stage
    backlog: Backlog
    settings: Settings
    state: Path
    think_s: float

    def run(self, advance: Advance) -> dict[str, Any]:
        """The run's outcome. Raises `Unavailable` where a coordinator or an agent does not start or end."""
        halves = [dealt for (dealt,) in self.backlog.rounds]
        first, second = halves if self.number % 2 else reversed(halves)
        namespace, heir = namespace_of(self.settings.namespace), Heir()
        name = f"{self.views}-{self.number}-"
        state, tree = self.state / f"{name}{FIRST}", self.stage.copy(f"{name}{FIRST}")
        with coordinator_for(self.settings, state, namespace) as hosted:
            report = self._leg(FIRST, hosted, tree, first, heir, advance)
        outcome: dict[str, Any] = {
            "run": self.number,
            "views": self.views,
            FIRST: leg_of(report),
            "playbook": heir.kept,
        }
        for arm in ARMS:
            arm_state, arm_tree = (shutil.copytree(one, one.with_name(f"{name}{arm}")) for one in (state, tree))
            with self._arm(arm, arm_state, arm_tree, namespace) as hosted:
                other = self._leg(arm, hosted, arm_tree, second, heir, advance)
            outcome[arm] = {**leg_of(other), **self._judged(arm_tree, [report, other])}
        return outcome

    @contextlib.contextmanager
    def _arm(self, arm: str, state: Path, tree: Path, namespace: str) -> Iterator[Settings]:
        """The coordinator of an arm, which goes on where the first agent's stopped."""
        with coordinator_for(self.settings, state, namespace) as hosted:
            if arm == WITHOUT:
                with Coordinator.connect(agent="onlooker", root=tree, settings=_for_agents(hosted)) as onlooker:
                    onlooker.switch_layer("lessons", on=False, reason="the arm without lessons")
            yield hosted

    def _leg(
        self, leg: str, hosted: Settings, tree: Path, dealt: Sequence[int], heir: Heir, advance: Advance
    ) -> AgentReport:
        assignment = Assignment(
            f"{'first' if leg == FIRST else 'second'}-{self.number}",
            0,
            1,
            Way.WITH,
            str(tree),
            self.backlog.tasks,
            self.think_s,
            settings=_for_agents(hosted).model_dump(mode="json"),
            dealt=tuple(dealt),
            learns=self.views == LEARNED,
            remembers=str(self.stage.original.root),
            resumes=heir.kept["session"] if leg == WITH else None,
            checkpoints=leg == FIRST,
        )
        with Crew([assignment.name], hosted.state_dir) as crew:
            (report,) = Column(crew, [assignment], progress=lambda n_done: advance(leg, n_done), witness=heir).run()
        return report

    def _judged(self, tree: Path, reports: Sequence[AgentReport]) -> dict[str, Any]:
        judged = judge(self.stage.original.root, tree, self.stage.tasks, reports).to_json()
        return {key: judged[key] for key in ("updates_lost", "files_changed", "files_unparsable")}


def _for_agents(hosted: Settings) -> Settings:
    """What agents connect with: all in one space, which the copies of its stores know too."""
    return hosted.model_copy(update={"space": SPACE})


def leg_of(report: AgentReport) -> dict[str, Any]:
    """What one agent did: its tasks, failed edits by cause, what it read, and the lessons that stood beside that."""
    turns = report.turns
    failures = sum((Counter(turn.failures) for turn in turns), Counter[str]())
    return {
        "tasks": len(turns),
        "tasks_done": sum(turn.status in _DONE for turn in turns),
        "edits_failed": dict(sorted(failures.items())),
        "tokens_read": sum(turn.n_tokens_read for turn in turns),
        "tokens_retried": sum(turn.n_tokens_retried for turn in turns),
        "lessons_shown": sum(turn.n_lessons for turn in turns),
        "tasks_with_lessons": sum(turn.n_lessons > 0 for turn in turns),
    }
