"""What the quality store reports leaves STUCK on the field: once, by whom it happened to, and never an error."""

import pytest

from actors.coordination.machine import Coordination
from actors.coordination.messages import SCHEMA
from actors.runtime.errors import Misuse
from actors.runtime.kernel import Kernel
from actors.runtime.machine import NOBODY, Now
from actors.runtime.outbox import (
    BOUNCE,
    CLEAN_COMPRESSED,
    EDIT_FAILURE,
    EDIT_SUCCESS,
    WASTED_FULL,
    Deliver,
    Delivered,
    Note,
)
from actors.runtime.received import NotesApplied
from actors.runtime.wire import pack, unpack
from actors.scent_field.event import SignalDeposited
from actors.scent_field.limits import FieldLimits
from actors.scent_field.messages import Sync
from actors.sessions.messages import Register

SOURCE = "quality_store@s1"


def at(seconds):
    return Now(seconds, 1_000.0 + seconds)


def note(topic=BOUNCE, path="src/a.py", session_id="ann#1", space="s"):
    return Note(topic, session_id, space, path, "py", "map", 10, 100, 0, 1_000.0)


def field_of(*names, **limits):
    machine = Coordination(FieldLimits(**limits))
    for name in names:
        machine.perform(NOBODY, Register(name, f"the-secret-of-{name:>20}", "", "heartbeat", 30.0), at(0))
    machine.take_events()
    return machine


def deliver(machine, number, *notes, now_s=0.0):
    answer = machine.perform(NOBODY, Deliver(SOURCE, number, notes), at(now_s))
    machine.check_invariants()
    return answer


def rows(machine, now_s=0.0, space="s"):
    view = machine.perform(NOBODY, Sync(space, 15), at(now_s))
    return [(row.kind, row.target, round(row.intensity, 3), row.agents) for row in view.rows]


def test_a_bounce_leaves_half_and_a_failed_edit_a_whole_signal_in_the_agents_name():
    machine = field_of("ann", "bob")
    assert deliver(machine, 2, note(BOUNCE), note(EDIT_FAILURE, "src/b.py", "bob#2")) == Delivered(2)
    assert rows(machine) == [("STUCK", "src/b.py", 1.0, ("bob#2",)), ("STUCK", "src/a.py", 0.5, ("ann#1",))]


def test_the_mark_and_the_signals_are_one_commit():
    machine = field_of("ann")
    deliver(machine, 1, note())
    assert machine.take_events() == [
        NotesApplied(SOURCE, 1),
        SignalDeposited("s", "STUCK", "src/a.py", "ann#1", 0.5, 0.0),
    ]
    assert machine.events.any_durable([NotesApplied(SOURCE, 1)])


def test_trouble_adds_up_to_the_cap():
    machine = field_of("ann")
    deliver(machine, 2, note(EDIT_FAILURE), note(BOUNCE))
    assert rows(machine) == [("STUCK", "src/a.py", 1.5, ("ann#1",))]
    deliver(machine, 5, note(EDIT_FAILURE), note(EDIT_FAILURE), note(EDIT_FAILURE))
    assert rows(machine) == [("STUCK", "src/a.py", 3.0, ("ann#1",))]


def test_it_fades_with_the_half_life_of_stuck():
    machine = field_of("ann")
    deliver(machine, 1, note(EDIT_FAILURE))
    assert rows(machine, 1_800.0) == [("STUCK", "src/a.py", 0.5, ("ann#1",))]


def test_what_arrives_twice_counts_once():
    machine = field_of("ann")
    for _ in range(3):
        assert deliver(machine, 1, note()) == Delivered(1)
    assert deliver(machine, 2, note(), note(EDIT_FAILURE)) == Delivered(2)
    assert rows(machine) == [("STUCK", "src/a.py", 1.5, ("ann#1",))]


@pytest.mark.parametrize("topic", [EDIT_SUCCESS, CLEAN_COMPRESSED, WASTED_FULL, "a topic of a later version"])
def test_other_topics_are_passed_over(topic):
    machine = field_of("ann")
    assert deliver(machine, 2, note(topic), note(BOUNCE)) == Delivered(2)
    assert rows(machine) == [("STUCK", "src/a.py", 0.5, ("ann#1",))]


@pytest.mark.parametrize("path", ["", "../a.py", "./a.py", "a//b.py", "/etc/passwd", "a[", "x" * 2_000])
def test_a_path_that_is_no_target_is_passed_over_and_stops_nobody(path):
    machine = field_of("ann")
    assert deliver(machine, 3, note(), note(path=path), note(EDIT_FAILURE, "src/b.py")) == Delivered(3)
    assert rows(machine) == [("STUCK", "src/b.py", 1.0, ("ann#1",)), ("STUCK", "src/a.py", 0.5, ("ann#1",))]


@pytest.mark.parametrize("space", ["", "x" * 201, "one too many"])
def test_a_space_that_cannot_be_is_passed_over(space):
    machine = field_of("ann", max_spaces=1)
    assert deliver(machine, 2, note(), note(space=space)) == Delivered(2)
    assert list(machine.field.state.spaces) == ["s"]


def test_a_session_with_too_many_signals_leaves_no_more_and_the_queue_goes_on():
    machine = field_of("ann", "bob", max_signals_of_session=1)
    notes = (note(), note(path="src/b.py"), note(path="src/c.py", session_id="bob#2"))
    assert deliver(machine, 3, *notes) == Delivered(3)
    assert [row[1] for row in rows(machine)] == ["src/a.py", "src/c.py"]


def test_trouble_of_a_session_that_has_ended_since_is_still_trouble():
    machine = field_of("ann")
    machine.expire(at(31.0))
    assert machine.take_departed() == ["ann#1"]
    deliver(machine, 1, note(), now_s=31.0)
    assert rows(machine, 31.0) == [("STUCK", "src/a.py", 0.5, ("ann#1",))]


def test_a_gap_is_refused_and_changes_nothing():
    machine = field_of("ann")
    with pytest.raises(Misuse, match="do not follow 0, the last one applied"):
        deliver(machine, 5, note())
    assert machine.take_events() == []
    assert deliver(machine, 4) == Delivered(4)
    assert deliver(machine, 5, note()) == Delivered(5)
    assert rows(machine) == [("STUCK", "src/a.py", 0.5, ("ann#1",))]


def test_how_far_a_source_is_applied_survives_replay_and_snapshots():
    machine = field_of("ann")
    deliver(machine, 2, note(), note(EDIT_FAILURE))
    replayed, restored = Kernel(Coordination()), Coordination()
    for code, fields in unpack(pack(machine.events.pack_form(machine.take_events()))):
        replayed.evolve(code, fields)
    restored.restore(unpack(pack(list(machine.snapshot()))))
    for twin in (replayed.machine, restored):
        deliver(twin, 2, note(), note(EDIT_FAILURE))
        assert rows(twin) == [("STUCK", "src/a.py", 1.5, ("ann#1",))]
    assert list(restored.snapshot()) == list(machine.snapshot())


def test_anybody_who_is_an_actor_may_deliver_and_is_answered_after_the_commit():
    kernel = Kernel(field_of("ann"))
    envelope = unpack(pack(["", "", 0, 0, [], [SCHEMA.wire_of(Deliver(SOURCE, 1, (note(),)))]]))
    turn = kernel.turn([(7, envelope)], at(0))
    assert turn.durable
    ((slot, packed),) = turn.answers
    assert (slot, SCHEMA.answer(unpack(packed)[0])) == (7, Delivered(1))
