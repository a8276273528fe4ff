"""One agent of the demo, as a process of its own.

    python -m agents_demo.agent

reads assignments from standard input, one JSON line each, says `ready`, and begins at the line `go`. It tells what it
does by JSON lines on standard output: `holds` (a claim was granted), `turn` (a task's outcome), `kept` (its playbook at
the last checkpoint), `end`. It ends at once when standard input does, so it never outlives whoever started it.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

from agents_demo.assignment import Assignment, NumberedTask, Way
from agents_demo.docket import ClaimedList, Docket, Occupied, OwnList
from agents_demo.hands import CoordinatedHands, Hands, PlainHands
from agents_demo.keeper import Keeper
from agents_demo.recollection import Recollection
from agents_demo.report import Status, TaskReport
from agents_demo.turn import Recall, Turn
from coordinator.client import Coordinator
from coordinator.settings import Settings

Say = Callable[[dict[str, Any]], None]
"""Tells the starting process one event."""


class Equipment(NamedTuple):
    """What an agent works with."""

    docket: Docket
    hands: Hands


class Agent:
    """Takes up one task after the other until none is left or its time is up; says each outcome at once."""

    def __init__(
        self,
        name: str,
        equipment: Equipment,
        *,
        say: Say,
        clock: Callable[[], float],
        think: Callable[[], None],
        recall: Recall = lambda _: "",
        deadline_s: float = math.inf,
    ) -> None:
        self._name = name
        self._docket, self._hands = equipment
        self._say = say
        self._clock = clock
        self._think = think
        self._recall = recall
        self._deadline_s = deadline_s

    def work(self) -> None:
        """Do all that can be done."""
        while (left_s := self._deadline_s - self._clock()) > 0.0:
            taken = self._docket.next(left_s)
            if taken is None:
                break
            if isinstance(taken, Occupied):
                self._tell(self._held(taken.task))
                continue
            turn = Turn(taken.task, self._hands, clock=self._clock, think=self._think, recall=self._recall)
            report = turn.take(self._name)
            self._tell(report)
            self._docket.finish(taken, report)

    def _held(self, task: NumberedTask) -> TaskReport:
        now_s = self._clock()
        return TaskReport(self._name, task.task.task_id, Status.HELD, now_s, now_s)

    def _tell(self, turn: TaskReport) -> None:
        rejected = self._docket.n_claims_rejected
        self._say({"event": "turn", "turn": turn.to_json(), "n_claims_rejected": rejected})


@contextlib.contextmanager
def equipped(assignment: Assignment, say: Say) -> Iterator[Equipment]:
    """The tools for the assignment's way of working. Raises `Unavailable` where the coordinator is missing."""
    tasks = assignment.own_tasks()
    if assignment.way is not Way.WITH:
        yield Equipment(OwnList(tasks), PlainHands(Path(assignment.root), rereads=assignment.rereads))
        return
    settings = Settings(**(assignment.settings or {}))
    with Coordinator.connect(agent=assignment.name, root=assignment.root, settings=settings) as coordinator:

        def tell(task: NumberedTask) -> None:
            held = {"task_id": task.task.task_id, "label": task.label, "session": coordinator.agent_id}
            say({"event": "holds", **held, "at_s": time.monotonic()})

        if assignment.resumes is not None:
            coordinator.playbook.resume(assignment.resumes)
        docket = ClaimedList(coordinator, tasks, on_claim=tell)
        hands = CoordinatedHands(coordinator, learns=assignment.learns)
        if not assignment.checkpoints:
            yield Equipment(docket, hands)
            return
        keeper = Keeper(docket, coordinator.playbook)
        yield Equipment(keeper, hands)
        say({"event": "kept", "session": coordinator.agent_id, **keeper.keep()})


def memory_of(assignment: Assignment) -> Recall:
    """What the assignment's agent knows by heart."""
    return (lambda _: "") if assignment.remembers is None else Recollection(Path(assignment.remembers)).recall


class Orders:
    """The lines of standard input, read in the background, so that their end is noticed during work too."""

    def __init__(self, lines: Iterable[str], *, abandoned: Callable[[], object]) -> None:
        self.is_working = False
        self._lines = lines
        self._abandoned = abandoned
        self._read: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self._lines:
            self._read.put(line)
        if self.is_working:
            self._abandoned()
        self._read.put(None)

    def next(self) -> str | None:
        """The next line; None at the end."""
        return self._read.get()


def serve(orders: Orders, say: Say) -> None:
    """One assignment after the other, each begun at `go`."""
    while (line := orders.next()) is not None:
        assignment = Assignment.from_json(json.loads(line))
        with equipped(assignment, say) as equipment:
            say({"event": "ready"})
            if orders.next() is None:
                return
            orders.is_working = True
            Agent(
                assignment.name,
                equipment,
                say=say,
                clock=time.monotonic,
                think=partial(time.sleep, assignment.think_s),
                recall=memory_of(assignment),
                deadline_s=time.monotonic() + (math.inf if assignment.max_s is None else assignment.max_s),
            ).work()
            orders.is_working = False
        say({"event": "end"})


def main() -> None:
    """Serve until standard input ends."""
    channel = _own_channel()

    def say(event: dict[str, Any]) -> None:
        channel.write(json.dumps(event) + "\n")
        channel.flush()

    # Whoever started this process is gone: no goodbye, the claims end with the session.
    serve(Orders(sys.stdin, abandoned=lambda: os._exit(1)), say)


def _own_channel() -> IO[str]:
    """Standard output for events alone: whatever else this process prints goes to standard error."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return channel


if __name__ == "__main__":
    main()
