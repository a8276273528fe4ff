"""The accident: one agent is killed midway, while it holds a claim, and the others' way on is noted.

The agent is frozen first, so that the coordinator can be asked whether it holds its claim, and then killed (SIGKILL):
it says no goodbye. From then on this process stands in line for the claim, only to note when it comes free.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from actors.runtime.errors import ScentfieldError
from agents_demo.crew import Crew, Heard
from agents_demo.report import AgentReport, Status
from coordinator.client import Coordinator

_DONE: Final = (Status.LANDED, Status.ALREADY_DONE)
_MAX_WAIT_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Death:
    """Who was killed, when (seconds on the agents' clock), and which task it held."""

    name: str
    at_s: float
    task_id: str
    label: str


class Killing:
    """Kills the first agent that is granted a claim after half of the tasks are done."""

    def __init__(self, coordinator: Coordinator, n_tasks: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._coordinator = coordinator
        self._n_before = n_tasks // 2
        self._clock = clock
        self._n_done = 0
        self._line: threading.Thread | None = None
        self._free_after_s: float | None = None
        self.death: Death | None = None

    def has_killed(self, name: str) -> bool:
        """Whether this agent is the one."""
        return self.death is not None and self.death.name == name

    def hear(self, crew: Crew, heard: Heard) -> None:
        """Count what is done; strike when the time has come."""
        event = heard.event or {}
        if event.get("event") == "turn" and event["turn"]["status"] in _DONE:
            self._n_done += 1
        if event.get("event") == "holds" and self.death is None and self._n_done >= self._n_before:
            self._strike(crew, heard.name, event)

    def _strike(self, crew: Crew, name: str, held: dict[str, Any]) -> None:
        crew.freeze(name)
        if self._coordinator.check(held["label"]).holder != held["session"]:
            crew.thaw(name)  # it was faster
            return
        crew.kill(name)
        self.death = Death(name, self._clock(), held["task_id"], held["label"])
        self._line = threading.Thread(target=self._stand_in_line, args=(self.death,), daemon=True)
        self._line.start()

    def _stand_in_line(self, death: Death) -> None:
        try:
            claimed = self._coordinator.claim(death.label, wait_s=_MAX_WAIT_S, intent="note when it is free")
            if claimed:
                self._free_after_s = self._clock() - death.at_s
                claimed.release()
        except ScentfieldError:
            return  # not known then, which the row says

    def rows(self, reports: Sequence[AgentReport]) -> dict[str, Any]:
        """What became of the dead one's work; all None if the work ended before anybody could be killed."""
        if self._line is not None:
            self._line.join(_MAX_WAIT_S)
        death = self.death
        if death is None:
            return dict.fromkeys(
                (
                    "agent_killed",
                    "tasks_done_before",
                    "task_held",
                    "claims_free_after_s",
                    "task_finished_by",
                    "task_finished_after_s",
                    "tasks_done_by_others_after",
                )
            )
        turns = [turn for report in reports for turn in report.turns if turn.status in _DONE]
        after = [turn for turn in turns if turn.agent_id != death.name and turn.ended_at_s > death.at_s]
        heir = next((turn for turn in after if turn.task_id == death.task_id), None)
        return {
            "agent_killed": death.name,
            "tasks_done_before": sum(turn.agent_id == death.name for turn in turns),
            "task_held": death.task_id,
            "claims_free_after_s": self._free_after_s,
            "task_finished_by": None if heir is None else heir.agent_id,
            "task_finished_after_s": None if heir is None else heir.ended_at_s - death.at_s,
            "tasks_done_by_others_after": len({turn.task_id for turn in after}),
        }
