"""One column: agents at work on one copy of the tree, and what they said about it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from actors.runtime.errors import Unavailable
from agents_demo.assignment import Assignment
from agents_demo.crew import Crew, Heard
from agents_demo.report import AgentReport, Status, TaskReport

READY_S: Final = 120.0
"""How long starting and connecting may take in all."""

MAX_COLUMN_S: Final = 900.0
"""How long a column may take where no limit is set; it ends long before on any machine that works."""

GRACE_S: Final = 60.0
"""How much longer than its limit a column may take, for the turns that have begun."""

Progress = Callable[[int], None]
"""Told how many tasks have been done so far."""


class Witness(Protocol):
    """Somebody who looks on, and may step in."""

    def hear(self, crew: Crew, heard: Heard) -> None:
        """One event."""

    def has_killed(self, name: str) -> bool:
        """Whether this agent was ended on purpose."""


class Column:
    """Runs once, on a crew that is there; `reports` are what the agents have said so far."""

    def __init__(
        self,
        crew: Crew,
        assignments: Sequence[Assignment],
        *,
        progress: Progress = lambda _: None,
        witness: Witness | None = None,
    ) -> None:
        self._crew = crew
        self._assignments = assignments
        self._progress = progress
        self._witness = witness
        self._turns: dict[str, list[TaskReport]] = {one.name: [] for one in assignments}
        self._n_rejected = dict.fromkeys(self._turns, 0)
        self._done: set[str] = set()

    @property
    def reports(self) -> list[AgentReport]:
        """One report an agent, in the agents' order."""
        return [AgentReport(name, tuple(turns), self._n_rejected[name]) for name, turns in self._turns.items()]

    def run(self) -> list[AgentReport]:
        """Hand the work out, let all begin together, and listen until all have ended.

        Raises `Unavailable` if one ends before its work does, or if it takes far too long.
        """
        for assignment in self._assignments:
            self._crew.assign(assignment)
        self._await("ready", READY_S)
        self._crew.go()
        max_s = self._assignments[0].max_s
        self._await("end", GRACE_S + (MAX_COLUMN_S if max_s is None else max_s))
        return self.reports

    def _await(self, what: str, within_s: float) -> None:
        """Listen until every agent has said this."""
        deadline_s = time.monotonic() + within_s
        missing = dict.fromkeys(self._turns)
        while missing:
            heard = self._crew.hear(deadline_s - time.monotonic())
            if heard is None:
                raise Unavailable(
                    f"{', '.join(missing)} did not get to {what!r} within {within_s:g} s: ask for fewer agents"
                )
            if heard.event is None:
                if heard.name in missing:
                    self._check_end(heard)
                missing.pop(heard.name, None)
            elif heard.event["event"] == what:
                missing.pop(heard.name, None)
            else:
                self._take(heard)

    def _check_end(self, heard: Heard) -> None:
        """Whoever was killed on purpose may be missing at the end; nobody else."""
        if self._witness is None or not self._witness.has_killed(heard.name):
            raise Unavailable(
                f"{heard.name} ended before its work did ({self._crew.last_words(heard.name)}): "
                "look whether the coordinator runs, with `scentfield status`"
            )

    def _take(self, heard: Heard) -> None:
        event: dict[str, Any] = heard.event or {}
        if event["event"] == "turn":
            turn = TaskReport.from_json(event["turn"])
            self._turns[heard.name].append(turn)
            self._n_rejected[heard.name] = event["n_claims_rejected"]
            if turn.status in (Status.LANDED, Status.ALREADY_DONE):
                self._done.add(turn.task_id)
            self._progress(len(self._done))
        if self._witness is not None:
            self._witness.hear(self._crew, heard)
