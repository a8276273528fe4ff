"""Which task comes next, with claims and without; against the real field."""

from __future__ import annotations

import pytest

from agents_demo.assignment import NumberedTask
from agents_demo.docket import MAX_PUT_BACK, ClaimedList, Occupied, OwnList
from agents_demo.report import Status, TaskReport
from agents_demo.turn import SESSION_ENDED


@pytest.fixture
def numbered(tasks):
    return [NumberedTask(number, task) for number, task in enumerate(tasks)]


def turn(task: NumberedTask, status: Status = Status.LANDED, **failures: int) -> TaskReport:
    return TaskReport("ann", task.task.task_id, status, 0.0, 1.0, failures=failures)


def test_the_tree_has_tasks_two_in_one_file_and_three_in_the_other(numbered):
    assert [task.task.path for task in numbered] == ["a.py", "a.py", "pkg/b.py", "pkg/b.py", "pkg/b.py"]


def test_an_own_list_is_worked_off_in_order_and_asks_nobody(numbered):
    docket = OwnList(numbered[:2])
    assert docket.next(1.0) == numbered[0]
    docket.finish(numbered[0], turn(numbered[0], Status.FAILED))
    assert docket.next(1.0) == numbered[1]
    assert docket.next(1.0) is None
    assert docket.n_claims_rejected == 0


def test_a_task_is_claimed_together_with_its_file(join, numbered):
    ann, bob = join("ann"), join("bob")
    held = []
    docket = ClaimedList(ann, numbered, on_claim=held.append)
    assert docket.next(1.0) == numbered[0]
    assert held == [numbered[0]]
    for target in ("task:0", "a.py"):
        assert bob.claim(target).conflicts[0].holder == ann.agent_id
    assert bob.claim(["task:1", "pkg/b.py"])


def test_what_somebody_holds_is_put_last_and_counted(join, numbered):
    ann = ClaimedList(join("ann"), numbered)
    bob = ClaimedList(join("bob"), numbered)
    assert ann.next(1.0) == numbered[0]
    assert bob.next(1.0) == Occupied(numbered[0])
    assert bob.next(1.0) == Occupied(numbered[1])  # another task of the same file
    assert bob.next(1.0) == numbered[2]
    assert (ann.n_claims_rejected, bob.n_claims_rejected) == (0, 2)


def test_a_finished_task_and_its_file_are_free_and_marked_done(join, numbered):
    ann, bob = join("ann"), join("bob")
    docket = ClaimedList(ann, numbered[:1])
    task = docket.next(1.0)
    docket.finish(task, turn(task))
    claimed = bob.claim(["task:0", "a.py"])
    assert [(note.kind, note.target) for note in claimed.signals] == [("DONE", "task:0")]
    assert docket.next(1.0) is None


def test_a_task_that_others_have_done_is_never_claimed(join, numbered):
    ann, bob = ClaimedList(join("ann"), numbered[:2]), ClaimedList(join("bob"), numbered[:2])
    task = ann.next(1.0)
    ann.finish(task, turn(task))
    assert bob.next(1.0) == numbered[1]
    assert bob.n_claims_rejected == 0


def test_done_is_seen_with_the_grant_by_who_has_not_heard_the_news(join, numbered):
    ann, watcher = join("ann"), join("bob")
    docket = ClaimedList(ann, numbered[:1])
    task = docket.next(1.0)
    docket.finish(task, turn(task))
    late = ClaimedList(watcher, numbered[:2])  # begins after the news
    assert late.next(1.0) == numbered[1]
    assert watcher.check("task:0").holder == ""


def test_a_task_that_failed_is_left_to_others(join, numbered):
    ann, bob = ClaimedList(join("ann"), numbered[:1]), ClaimedList(join("bob"), numbered[:1])
    task = ann.next(1.0)
    ann.finish(task, turn(task, Status.FAILED))
    assert ann.next(1.0) is None
    assert bob.next(1.0) == task


def test_where_all_is_held_an_agent_stands_in_line(join, numbered):
    ann, bob = ClaimedList(join("ann"), numbered[:2]), ClaimedList(join("bob"), numbered[:2])
    assert ann.next(1.0) == numbered[0]
    refusals = [bob.next(9.0) for _ in range(2)]
    assert refusals == [Occupied(numbered[0]), Occupied(numbered[1])]
    before_s = bob._coordinator._core.transport.now_s
    assert bob.next(4.0) == Occupied(numbered[0])
    assert bob._coordinator._core.transport.now_s - before_s == pytest.approx(4.0, abs=1.0)


def test_an_agent_whose_session_has_ended_claims_as_a_new_one(join, numbered):
    ann = join("ann")
    docket = ClaimedList(ann, numbered)
    first = ann.agent_id
    ann._core.transport.pass_time(40.0)
    assert docket.next(1.0) == numbered[0]
    assert ann.agent_id != first


def test_done_is_left_also_when_the_session_ended_before_it_could_be_said(join, numbered):
    ann, bob = join("ann"), join("bob")
    docket = ClaimedList(ann, numbered[:1])
    task = docket.next(1.0)
    ann._core.transport.pass_time(40.0)
    docket.finish(task, turn(task))
    bob.register_anew()
    claimed = bob.claim("task:0")
    assert [note.kind for note in claimed.signals] == ["DONE"]


def test_a_turn_that_the_sessions_end_cut_off_is_taken_up_again_a_few_times(join, numbered):
    docket = ClaimedList(join("ann"), numbered[:1])
    n_turns = 0
    while (task := docket.next(1.0)) is not None:
        n_turns += 1
        docket.finish(task, turn(task, Status.GAVE_UP, **{SESSION_ENDED: 1}))
    assert n_turns == 1 + MAX_PUT_BACK
