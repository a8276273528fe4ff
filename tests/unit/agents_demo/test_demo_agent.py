"""An agent's loop, and the process around it."""

from __future__ import annotations

import json
import threading
from collections import deque

import pytest

from agents_demo.agent import Agent, Equipment, Orders, serve
from agents_demo.assignment import Assignment, NumberedTask, Way, own_order
from agents_demo.docket import Occupied, OwnList
from agents_demo.hands import PlainHands


def assignment(tree, tasks, **changes) -> Assignment:
    return Assignment(
        **{"name": "ann", "number": 0, "n_agents": 3, "way": Way.NONE, "root": str(tree), "tasks": tasks} | changes
    )


def test_an_assignment_survives_json(tree, tasks):
    one = assignment(tree, tasks, way=Way.WITH, max_s=2.5, settings={"namespace": "n", "space": None})
    assert Assignment.from_json(json.loads(json.dumps(one.to_json()))) == one


def test_an_assignment_with_tasks_dealt_survives_json(tree, tasks):
    one = assignment(tree, tasks, way=Way.WITH, dealt=(4, 1), learns=False, remembers="/original")
    assert Assignment.from_json(json.loads(json.dumps(one.to_json()))) == one


def test_dealt_tasks_keep_the_numbers_that_all_agents_know_them_by(tree, tasks):
    own = assignment(tree, tasks, way=Way.WITH, dealt=(4, 1)).own_tasks()
    assert sorted(own) == [NumberedTask(1, tasks[1]), NumberedTask(4, tasks[4])]
    assert assignment(tree, tasks, dealt=()).own_tasks() == []


def test_a_static_split_gives_each_task_to_one_agent_by_its_number(tree, tasks):
    parts = [assignment(tree, tasks, way=Way.SPLIT, number=number).own_tasks() for number in range(3)]
    assert [sorted(one.number for one in part) for part in parts] == [[0, 3], [1, 4], [2]]


def test_without_a_split_each_agent_has_all_tasks_in_an_order_of_its_own_that_stays(tree, tasks):
    ann, again, bob = (
        [one.number for one in assignment(tree, tasks, name=name).own_tasks()] for name in ("ann", "ann", "bob")
    )
    assert ann == again
    assert ann != bob
    assert sorted(ann) == sorted(bob) == [0, 1, 2, 3, 4]


def test_the_order_of_an_agent_is_the_same_on_every_machine(tasks):
    many = [NumberedTask(number, tasks[0]) for number in range(6)]
    assert [one.number for one in own_order(many, "agent-1")] == [2, 4, 5, 1, 3, 0]


class Docket:
    """Hands out what it was given; notes what is finished."""

    def __init__(self, *taken) -> None:
        self.taken = deque(taken)
        self.finished = []
        self.n_claims_rejected = 0

    def next(self, _left_s):
        return self.taken.popleft() if self.taken else None

    def finish(self, task, turn):
        self.finished.append((task.number, turn.status.value))


def work(docket, tree, deadline_s=1e9, clock=lambda: 5.0):
    said = []
    Agent(
        "ann",
        Equipment(docket, PlainHands(tree)),
        say=said.append,
        clock=clock,
        think=lambda: None,
        deadline_s=deadline_s,
    ).work()
    return said


def test_an_agent_tells_each_outcome_and_then_finishes_the_task(tree, tasks):
    docket = Docket(NumberedTask(0, tasks[0]), NumberedTask(0, tasks[0]))
    said = work(docket, tree)
    assert [event["turn"]["status"] for event in said] == ["landed", "already_done"]
    assert docket.finished == [(0, "landed"), (0, "already_done")]


def test_a_task_that_is_occupied_is_told_and_neither_read_nor_finished(tree, tasks):
    docket = Docket(Occupied(NumberedTask(0, tasks[0])))
    docket.n_claims_rejected = 4
    [event] = work(docket, tree)
    assert (event["turn"]["status"], event["turn"]["n_tokens_read"], event["n_claims_rejected"]) == ("held", 0, 4)
    assert docket.finished == []


def test_when_its_time_is_up_an_agent_takes_no_further_task(tree, tasks):
    docket = Docket(*(NumberedTask(number, task) for number, task in enumerate(tasks)))
    times = iter([0.0, 1.0, 2.0, 10.0])  # look at the time, begin, end, look again
    assert len(work(docket, tree, deadline_s=10.0, clock=lambda: next(times))) == 1


def test_a_process_serves_one_assignment_after_the_other(tree, tasks):
    first = assignment(tree, tasks[:1])
    second = assignment(tree, tasks, way=Way.SPLIT, number=1)
    lines = [json.dumps(first.to_json()), "go\n", json.dumps(second.to_json()), "go\n"]
    said = []
    over = threading.Event()
    serve(Orders(lines, abandoned=over.set), said.append)
    assert [event["event"] for event in said] == ["ready", "turn", "end", "ready", "turn", "turn", "end"]
    assert [event["turn"]["status"] for event in said if event["event"] == "turn"] == ["landed"] * 3


def test_a_process_that_is_not_told_to_go_does_nothing(tree, tasks):
    said = []
    serve(Orders([json.dumps(assignment(tree, tasks).to_json())], abandoned=lambda: None), said.append)
    assert said == [{"event": "ready"}]


def test_the_end_of_input_during_work_is_noticed_at_once():
    more, over = threading.Event(), threading.Event()

    def lines():
        yield "first"
        more.wait(5.0)

    orders = Orders(lines(), abandoned=over.set)
    assert orders.next() == "first"
    orders.is_working = True
    more.set()
    assert over.wait(5.0)


def test_the_end_of_input_while_idle_ends_the_process_in_order():
    orders = Orders([], abandoned=lambda: pytest.fail("nobody was at work"))
    assert orders.next() is None


def test_an_own_list_is_what_agents_without_coordination_get(tree, tasks):
    assert isinstance(OwnList(assignment(tree, tasks).own_tasks()).next(0.0), NumberedTask)
