"""Several agents in every order of steps: what coordination promises, on the files."""

from __future__ import annotations

import shutil
import tempfile
from itertools import count
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents_demo.agent import Equipment
from agents_demo.assignment import NumberedTask, own_order
from agents_demo.docket import ClaimedList, Occupied, OwnList
from agents_demo.hands import CoordinatedHands, PlainHands
from agents_demo.ledger import judge
from agents_demo.report import AgentReport
from agents_demo.turn import Turn

NAMES = ("ann", "bob", "cat")


class Stepper:
    """One agent, a step at a time: take a task, do it, finish it. `is_over` when nothing was left."""

    def __init__(self, name: str, equipment: Equipment, clock) -> None:
        self.name = name
        self.turns = []
        self.is_over = False
        self._docket, self._hands = equipment
        self._clock = clock
        self._task = None
        self._turn = None

    def step(self) -> None:
        if self._turn is not None:
            self._docket.finish(self._task, self._turn)
            self._turn = None
        elif self._task is not None:
            self._turn = Turn(self._task.task, self._hands, clock=self._clock, think=lambda: None).take(self.name)
            self.turns.append(self._turn)
        if self._turn is None:
            taken = self._docket.next(0.0)
            self._task = taken if isinstance(taken, NumberedTask) else None
            self.is_over = taken is None
            assert taken is None or isinstance(taken, (NumberedTask, Occupied))


def play(agents: list[Stepper], choices: list[int]) -> None:
    """Steps in the order of the choices, then in turn until all is over."""
    for choice in choices:
        if not agents[choice].is_over:
            agents[choice].step()
    for _ in range(500):
        for agent in agents:
            if not agent.is_over:
                agent.step()
        if all(agent.is_over for agent in agents):
            return
    raise AssertionError("the agents do not come to an end")


def outcome_of(original: Path, tree: Path, tasks, agents):
    return judge(original, tree, tasks, [AgentReport(agent.name, tuple(agent.turns)) for agent in agents])


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(choices=st.lists(st.integers(0, 2), max_size=60))
def test_with_coordination_nothing_is_done_twice_and_nothing_is_lost(choices, make_field, plant_tree, tasks):
    folder = Path(tempfile.mkdtemp())
    try:
        original, tree = plant_tree(folder / "original"), plant_tree(folder / "tree")
        field, ticks = make_field(folder), count()
        numbered = [NumberedTask(number, task) for number, task in enumerate(tasks)]
        agents = []
        for name in NAMES:
            coordinator = field.join(name, tree)
            docket = ClaimedList(coordinator, own_order(numbered, name))
            agents.append(Stepper(name, Equipment(docket, CoordinatedHands(coordinator)), lambda: float(next(ticks))))
        play(agents, choices)
        outcome = outcome_of(original, tree, tasks, agents)
        assert len(outcome.done) == len(tasks)
        assert (outcome.done_twice, outcome.lost, outcome.changed) == ((), (), {})
        assert sum(outcome.landed_by.values()) == len(tasks)
    finally:
        shutil.rmtree(folder)


def test_without_coordination_two_that_look_at_the_same_time_do_the_task_twice(tmp_path, plant_tree, tasks):
    original, tree, ticks = plant_tree(tmp_path / "original"), plant_tree(tmp_path / "tree"), count()
    one = [NumberedTask(0, tasks[0])]
    slow = PlainHands(tree)
    fast = Stepper("bob", Equipment(OwnList(one), PlainHands(tree)), lambda: float(next(ticks)))

    def while_ann_thinks() -> None:
        fast.step()
        fast.step()

    anns = Turn(tasks[0], slow, clock=lambda: float(next(ticks)), think=while_ann_thinks).take("ann")
    reports = [AgentReport("ann", (anns,)), AgentReport("bob", tuple(fast.turns))]
    assert judge(original, tree, tasks, reports).done_twice == (tasks[0].task_id,)


def test_without_coordination_a_change_is_lost_under_a_later_save(tmp_path, plant_tree, tasks):
    original, tree, ticks = plant_tree(tmp_path / "original"), plant_tree(tmp_path / "tree"), count()
    bob = Stepper("bob", Equipment(OwnList([NumberedTask(1, tasks[1])]), PlainHands(tree)), lambda: float(next(ticks)))

    def while_ann_thinks() -> None:
        bob.step()
        bob.step()

    anns = Turn(tasks[0], PlainHands(tree), clock=lambda: float(next(ticks)), think=while_ann_thinks).take("ann")
    outcome = judge(original, tree, tasks, [AgentReport("ann", (anns,)), AgentReport("bob", tuple(bob.turns))])
    assert (outcome.done, outcome.lost) == ((tasks[0].task_id,), (tasks[1].task_id,))
