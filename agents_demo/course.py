"""One arm of the comparison: the rounds of a backlog, one after the other, on one tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents_demo.assignment import Assignment, Way
from agents_demo.backlog import Backlog
from agents_demo.column import Column
from agents_demo.crew import Crew
from agents_demo.evidence import Evidence, take_evidence
from agents_demo.report import AgentReport, TaskReport
from coordinator.client import Coordinator
from coordinator.settings import Settings


@dataclass(frozen=True, slots=True)
class Round:
    """One round that has ended: what its agents said, and what the coordinator had counted before and after."""

    turns: tuple[TaskReport, ...]
    before: Evidence
    after: Evidence

    def to_json(self) -> dict[str, Any]:
        """What happened in this round, and where thresholds and memories stood at its end."""
        n_read = sum(turn.n_tokens_read for turn in self.turns)
        n_retried = sum(turn.n_tokens_retried for turn in self.turns)
        return {
            "tasks": len(self.turns),
            **{name: n - self.before.counts[name] for name, n in self.after.counts.items()},
            "edits_failed": dict(sorted((self.after.edits_failed - self.before.edits_failed).items())),
            "views_by": dict(sorted((self.after.views_by - self.before.views_by).items())),
            "tokens_read": n_read,
            "tokens_read_net": n_read - n_retried,
            "deltas": {row.extension: row.delta for row in self.after.learning.deltas},
            "paths_full": self.after.statistics.paths_full,
        }


@dataclass(frozen=True, slots=True)
class Course:
    """What an arm needs: who works, at what, where, with which coordinator, and whether what is learned is used.

    Every second agent knows `original` by heart.
    """

    crew: Crew
    backlog: Backlog
    original: Path
    tree: Path
    settings: Settings
    think_s: float
    learns: bool

    def run(self, advance: Callable[[int], None]) -> list[Round]:
        """All rounds. `advance` is told how many tasks have been done. Raises `Unavailable` as `Column.run` does."""
        with Coordinator.connect(agent="onlooker", root=self.tree, settings=self.settings) as onlooker:
            return list(self._rounds(onlooker, advance))

    def _rounds(self, onlooker: Coordinator, advance: Callable[[int], None]) -> Iterator[Round]:
        before, n_done = take_evidence(onlooker), 0
        for dealt in self.backlog.rounds:
            reports = self._column(dealt, _after(n_done, advance)).run()
            n_done += sum(map(len, dealt))
            after = take_evidence(onlooker)
            yield Round(tuple(turn for report in reports for turn in report.turns), before, after)
            before = after

    def _column(self, dealt: Sequence[tuple[int, ...]], progress: Callable[[int], None]) -> Column:
        settings = self.settings.model_dump(mode="json")
        assignments = [
            Assignment(
                name,
                number,
                len(dealt),
                Way.WITH,
                str(self.tree),
                self.backlog.tasks,
                self.think_s,
                settings=settings,
                dealt=dealt[number],
                learns=self.learns,
                remembers=str(self.original) if number % 2 else None,
            )
            for number, name in enumerate(self.crew.names)
        ]
        return Column(self.crew, assignments, progress=progress)


def _after(n_done: int, advance: Callable[[int], None]) -> Callable[[int], None]:
    """Counts on from the rounds before."""
    return lambda n_more: advance(n_done + n_more)


def reports_of(rounds: Sequence[Round]) -> list[AgentReport]:
    """What each agent said in all rounds."""
    turns: dict[str, list[TaskReport]] = {}
    for one in rounds:
        for turn in one.turns:
            turns.setdefault(turn.agent_id, []).append(turn)
    return [AgentReport(name, tuple(of_agent)) for name, of_agent in turns.items()]
