"""Checkpoints along the way, and what the next agent is shown of them."""

from __future__ import annotations

from collections import deque

from agents_demo.assignment import NumberedTask
from agents_demo.hands import CoordinatedHands
from agents_demo.keeper import TASKS_A_CHECKPOINT, Keeper
from agents_demo.report import Status, TaskReport


class Docket:
    """Hands out what it was given."""

    def __init__(self, *taken) -> None:
        self.taken = deque(taken)
        self.finished = []
        self.n_claims_rejected = 3

    def next(self, _left_s):
        return self.taken.popleft() if self.taken else None

    def finish(self, task, turn):
        self.finished.append((task, turn))


def test_a_checkpoint_comes_after_every_ten_tasks_and_at_the_end(join, tasks):
    ann = join("ann")
    docket = Docket(*(NumberedTask(number, tasks[0]) for number in range(TASKS_A_CHECKPOINT + 1)))
    keeper = Keeper(docket, ann.playbook)
    turns = []
    while (task := keeper.next(0.0)) is not None:
        ann.playbook.note("Fact", f"task {task.number} was number {task.number * 7919}")
        keeper.finish(task, TaskReport("ann", task.task.task_id, Status.LANDED, 0.0, 1.0))
        turns.append(ann.playbook.view().turn)
    assert turns == [0] * (TASKS_A_CHECKPOINT - 1) + [1, 1]
    assert (len(docket.finished), keeper.n_claims_rejected) == (TASKS_A_CHECKPOINT + 1, 3)
    keeper.keep()
    assert ann.playbook.view().turn == 2


def test_what_is_kept_is_shown_to_whoever_goes_on_and_counts_as_read(join, tree):
    ann, bob = join("ann"), join("bob")
    keeper = Keeper(Docket(), ann.playbook)
    ann.read("a.py", "map")
    assert not ann.edit("a.py", "never there", "either")
    assert ann.edit("a.py", "y == None", "y is None")
    kept = keeper.keep()
    assert (kept["entries"], kept["mended"]) == (2, 1)
    assert kept["tokens"] > 20
    before = CoordinatedHands(bob).read("pkg/b.py", "full")
    assert before.lessons == ()
    assert CoordinatedHands(ann).read("a.py", "full").lessons == ()  # fetched before the checkpoint, for five minutes
    bob.playbook.resume(ann.agent_id)
    cyd = join("cyd")
    cyd.playbook.resume(ann.agent_id)
    shown, bare = CoordinatedHands(cyd).read("a.py", "full"), CoordinatedHands(ann).read("a.py", "full")
    assert "missed (never_there)" in shown.lessons[0]
    assert shown.n_tokens > bare.n_tokens
    assert shown.text == bare.text
