import pytest

from actors.coordination.machine import Coordination
from actors.runtime.errors import BadTarget, InvariantBroken, Misuse
from actors.runtime.machine import Caller, Now
from actors.runtime.wire import Failed
from actors.scent_field.event import LeaseGranted, LeasesGranted
from actors.scent_field.limits import FieldLimits
from actors.scent_field.messages import (
    AnsweredApart,
    Claim,
    ClaimEach,
    ClaimedEach,
    Granted,
    GrantedRun,
    Held,
    LeaveSignal,
    answers_of,
)
from actors.sessions.messages import Register


def joined(**limits):
    machine = Coordination(FieldLimits(**limits))
    for name in ("ann", "bob"):
        machine.perform(Caller(""), Register(name, f"the-secret-of-{name:>20}", "", "heartbeat", 30.0), Now(0.0, 0.0))
    machine.take_events()
    return machine


def ask(machine, session_id, command):
    return machine.perform(Caller(session_id), command, Now(1.0, 0.0))


def each(*targets, mode="exclusive", intent="sort imports"):
    return ClaimEach("s", targets, mode, intent)


def test_free_files_in_a_row_are_one_fact_and_one_part_of_the_answer():
    machine = joined()
    answer = ask(machine, "ann#1", each("a.py", "src/b.py", "src/c.py"))
    assert answer == ClaimedEach("s", 29.0, "heartbeat", (GrantedRun(0, 3, 1),), ())
    assert machine.take_events() == [
        LeasesGranted(1, "s", "ann#1", ("a.py", "src/b.py", "src/c.py"), 1, False, 1.0, "sort imports")
    ]


def test_each_target_has_a_claim_with_a_generation_of_its_own():
    machine = joined()
    command = each("a.py", "src/b.py")
    assert answers_of(ask(machine, "ann#1", command), command.targets) == [
        Granted(1, ("a.py",), 29.0, "heartbeat", False, (), (), "s"),
        Granted(2, ("src/b.py",), 29.0, "heartbeat", False, (), (), "s"),
    ]


def test_what_is_held_malformed_or_no_plain_file_is_answered_apart_and_stops_no_other():
    machine = joined()
    ask(machine, "bob#2", Claim("s", ("b.py",), "exclusive", 0.0, ""))
    command = each("a.py", "b.py", "c.py", "bad[", "src/", "src/d.py", "a.py")
    answer = ask(machine, "ann#1", command)
    answers = answers_of(answer, command.targets)
    assert [type(one) for one in answers] == [Granted, Held, Granted, Failed, Granted, Granted, Granted]
    assert (answers[1].conflicts[0].holder, answers[3].code) == ("bob#2", BadTarget.code)
    assert answers[6] == answers[0]._replace(renewed=True)
    assert answer.runs == (GrantedRun(0, 1, 2), GrantedRun(2, 1, 3))
    assert [one.place for one in answer.apart] == [1, 3, 4, 5, 6]


def test_marks_are_told_with_each_grant():
    machine = joined()
    ask(machine, "bob#2", LeaveSignal("s", "AVOID", "a.py", 1.0))
    command = each("a.py", "b.py")
    first, second = answers_of(ask(machine, "ann#1", command), command.targets)
    assert ([note.agent for note in first.signals], second.signals) == (["bob#2"], ())


@pytest.mark.parametrize(
    ("session_id", "left"),
    [
        ("bob#2", LeaveSignal("s", "AVOID", "src/b.py", 1.0)),
        ("bob#2", LeaveSignal("s", "DONE", "src/", 1.0)),
        ("bob#2", Claim("s", ("src/b.py",), "exclusive", 60.0, "")),
        ("ann#1", Claim("s", ("src/*.py",), "exclusive", 60.0, "")),
    ],
)
def test_what_concerns_one_target_leaves_the_others_in_their_runs(session_id, left):
    machine = joined()
    ask(machine, "ann#1", Claim("s", ("src/b.py",), "exclusive", 0.0, ""))
    ask(machine, session_id, left)
    answer = ask(machine, "ann#1", each("a.py", "b.py", "src/b.py", "c.py", "d/e.py"))
    assert [(run.place, run.n_claims) for run in answer.runs] == [(0, 2), (3, 2)]
    assert [one.place for one in answer.apart] == [2]


def test_what_was_only_read_keeps_no_target_out_of_a_run():
    machine = joined()
    ask(machine, "bob#2", LeaveSignal("s", "HOT", "a.py", 1.0))
    assert ask(machine, "ann#1", each("a.py", "b.py")).runs == (GrantedRun(0, 2, 1),)


def test_shared_claims_are_made_one_by_one():
    machine = joined()
    assert not ask(machine, "ann#1", each("a.py", "b.py", mode="shared")).runs
    assert [type(fact) for fact in machine.take_events()] == [LeaseGranted, LeaseGranted]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (each(), "takes 1 to 1024 targets, not 0"),
        (each(*["a.py"] * 1_025), "not 1025: split it"),
        (each("a.py", mode="odd"), "mode 'odd'"),
        (each("a.py", intent="x" * 201), "an intent has at most 200"),
        (ClaimEach("", ("a.py",), "exclusive", ""), "a space's name"),
    ],
)
def test_what_is_wrong_with_the_whole_batch_refuses_it_and_changes_nothing(command, why):
    machine = joined()
    before = list(machine.snapshot())
    with pytest.raises(Misuse, match=why):
        ask(machine, "ann#1", command)
    assert (list(machine.snapshot()), machine.take_events()) == (before, [])


def test_a_batch_of_the_largest_size_is_taken():
    targets = tuple(f"src/f{number}.py" for number in range(1_024))
    assert ask(joined(), "ann#1", each(*targets)).runs == (GrantedRun(0, 1_024, 1),)


def test_an_answer_that_lacks_a_target_is_our_bug():
    with pytest.raises(InvariantBroken, match="place 1 has no answer"):
        answers_of(ClaimedEach("s", 1.0, "heartbeat", (GrantedRun(0, 1, 1),), ()), ("a", "b"))
    with pytest.raises(InvariantBroken, match="place 0 has no answer"):
        answers_of(ClaimedEach("s", 1.0, "heartbeat", (), (AnsweredApart(0, None, None, None, None),)), ("a",))
