"""A column and its accident, on a crew that is not there."""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace

import pytest

from actors.runtime.errors import Unavailable
from agents_demo.assignment import Assignment, Way
from agents_demo.column import Column
from agents_demo.crew import Heard
from agents_demo.killing import Killing
from agents_demo.report import Status, TaskReport


class Crew:
    """Plays a list of events: (name, event), None for an output's end."""

    def __init__(self, *events) -> None:
        self.events = deque(events)
        self.done = []

    def assign(self, assignment):
        self.done.append(("assign", assignment.name))

    def go(self):
        self.done.append(("go", "all"))

    def hear(self, _within_s):
        return Heard(*self.events.popleft()) if self.events else None

    def last_words(self, _name):
        return "exit code 1: it broke"

    def freeze(self, name):
        self.done.append(("freeze", name))

    def thaw(self, name):
        self.done.append(("thaw", name))

    def kill(self, name):
        self.done.append(("kill", name))


def ready(name):
    return name, {"event": "ready"}


def end(name):
    return name, {"event": "end"}


def turn(name, task_id="t", status=Status.LANDED, at_s=1.0, rejected=0):
    report = TaskReport(name, task_id, status, at_s - 1.0, at_s)
    return name, {"event": "turn", "turn": report.to_json(), "n_claims_rejected": rejected}


def holds(name, task_id):
    return name, {"event": "holds", "task_id": task_id, "label": "task:7", "session": f"{name}#1", "at_s": 1.0}


def column(crew, **more):
    assignments = [Assignment(name, 0, 2, Way.WITH, "/nowhere", ()) for name in ("ann", "bob")]
    return Column(crew, assignments, **more)


def test_all_begin_together_and_what_they_say_is_reported():
    done = []
    crew = Crew(
        ready("bob"),
        ready("ann"),
        turn("ann", "t1"),
        turn("bob", "t2", Status.HELD, rejected=1),
        turn("bob", "t3", rejected=1),
        turn("bob", "t1", Status.ALREADY_DONE, rejected=1),
        end("ann"),
        ("ann", None),
        end("bob"),
    )
    ann, bob = column(crew, progress=done.append).run()
    assert crew.done == [("assign", "ann"), ("assign", "bob"), ("go", "all")]
    assert [(one.agent_id, len(one.turns), one.n_claims_rejected) for one in (ann, bob)] == [
        ("ann", 1, 0),
        ("bob", 3, 1),
    ]
    assert done == [1, 1, 2, 2]


@pytest.mark.parametrize("events", [[("ann", None)], [ready("ann"), ready("bob"), turn("ann"), ("ann", None)]])
def test_an_agent_that_ends_before_its_work_is_an_error_with_its_last_words(events):
    with pytest.raises(Unavailable, match=r"ann ended before its work did \(exit code 1: it broke\)"):
        column(Crew(*events)).run()


def test_agents_that_never_get_ready_are_named():
    with pytest.raises(Unavailable, match="bob did not get to 'ready' within 120 s"):
        column(Crew(ready("ann"))).run()


class Onlooker:
    """A coordinator that says who holds, and grants the dead one's claim."""

    def __init__(self, holder: str) -> None:
        self.holder = holder
        self.claimed = []

    def check(self, _label):
        return SimpleNamespace(holder=self.holder)

    def claim(self, label, **_more):
        self.claimed.append(label)
        return SimpleNamespace(release=lambda: self.claimed.append("released"))


def killed(crew, onlooker, n_tasks):
    times = iter([10.0, 13.5])
    killing = Killing(onlooker, n_tasks, clock=lambda: next(times))
    return killing.rows(column(crew, witness=killing).run()), killing


def test_midway_the_holder_of_a_claim_is_killed_and_the_others_finish_its_task():
    crew = Crew(
        ready("ann"),
        ready("bob"),
        holds("ann", "t1"),
        turn("ann", "t1", at_s=5.0),
        holds("ann", "t2"),
        ("ann", None),
        turn("bob", "t2", at_s=17.0),
        turn("bob", "t3", at_s=18.0),
        end("bob"),
    )
    onlooker = Onlooker("ann#1")
    rows, _ = killed(crew, onlooker, 3)
    assert ("kill", "ann") in crew.done
    assert rows == {
        "agent_killed": "ann",
        "tasks_done_before": 1,
        "task_held": "t2",
        "claims_free_after_s": 3.5,
        "task_finished_by": "bob",
        "task_finished_after_s": 7.0,
        "tasks_done_by_others_after": 2,
    }
    assert onlooker.claimed == ["task:7", "released"]


def test_an_agent_that_was_faster_goes_on_and_the_next_one_is_tried():
    crew = Crew(ready("ann"), ready("bob"), holds("ann", "t1"), end("ann"), end("bob"))
    rows, killing = killed(crew, Onlooker(""), 1)
    assert crew.done[-2:] == [("freeze", "ann"), ("thaw", "ann")]
    assert killing.death is None
    assert set(rows.values()) == {None}


def test_nobody_is_killed_before_half_of_the_tasks_are_done():
    crew = Crew(ready("ann"), ready("bob"), holds("ann", "t1"), turn("ann", "t1"), end("ann"), end("bob"))
    rows, killing = killed(crew, Onlooker("ann#1"), 4)
    assert killing.death is None
    assert rows["agent_killed"] is None
