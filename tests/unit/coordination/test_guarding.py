"""Changes before they are kept: whose claims they would go over, and what of it is counted."""

from __future__ import annotations

import pytest

from actors.coordination.machine import Coordination
from actors.runtime.errors import BadTarget, Misuse
from actors.runtime.machine import Caller, Now
from actors.runtime.wire import pack, unpack
from actors.scent_field.limits import FieldLimits
from actors.scent_field.messages import Claim, FieldStatistics, Guard, Release, SetStrictness
from actors.sessions.messages import Goodbye, Register

NOBODY = Caller("")
SEAT = "local-host-70-1"


def at(seconds):
    return Now(seconds, 0.0)


def register(machine, name, *, parent="", seat=""):
    command = Register(
        name, f"the-secret-of-{name:>20}{parent}{machine.sessions.n_registered}", parent, "decay", 30.0, seat
    )
    return machine.perform(NOBODY, command, at(0)).session_id


def claim(machine, who, *targets, now=0.0, mode="exclusive"):
    return machine.perform(Caller(who), Claim("s", targets, mode, 0.0, "to repair it"), at(now)).generation


def guard(machine, *targets, now=10.0, ages=(), names=(), seats=(), generation=0, source="guard", strictness=""):
    command = Guard("s", targets, tuple(ages), tuple(names), tuple(seats), generation, source, strictness)
    return machine.perform(NOBODY, command, at(now))


def counts(machine):
    told = dict(machine.perform(NOBODY, FieldStatistics(), at(20)).counters)
    sources = ("", "_guard", "_hook")
    return tuple(told[f"duplicate_work_prevented{source}"] for source in sources)


@pytest.fixture
def machine():
    machine = Coordination(FieldLimits())
    register(machine, "ann")
    register(machine, "bob", seat=SEAT)
    yield machine
    machine.check_invariants()
    twin = Coordination()
    twin.restore(unpack(pack(list(machine.snapshot()))))
    twin.wake(at(0))
    twin.check_invariants()
    assert list(twin.snapshot()) == list(machine.snapshot())


def test_a_change_of_what_somebody_else_holds_is_told_with_holder_and_purpose(machine):
    claim(machine, "ann#1", "src/a.py")
    told = guard(machine, "README.md", "src/a.py", names=("bob",))
    (conflict,) = told.conflicts
    assert (told.strictness, told.agents) == ("deny", ("bob#2",))
    assert (conflict.target, conflict.holder, conflict.age_s, conflict.intent) == (
        "src/a.py",
        "ann#1",
        10.0,
        "to repair it",
    )


def test_claims_of_folders_and_patterns_are_in_the_way_too(machine):
    claim(machine, "ann#1", "src/")
    claim(machine, "ann#1", "docs/*.md")
    told = guard(machine, "docs/a.md", "docs/a.txt", "src/deep/b.py")
    assert [one.target for one in told.conflicts] == ["docs/a.md", "src/deep/b.py"]


def test_own_claims_and_those_of_parents_are_in_nobodys_way(machine):
    claim(machine, "bob#2", "a")
    child = register(machine, "tester", parent="bob#2")
    claim(machine, child, "b")
    assert not guard(machine, "a", names=("bob",)).conflicts
    assert not guard(machine, "a", "b", names=(child,)).conflicts
    assert [one.holder for one in guard(machine, "a", "b", names=("bob#2",)).conflicts] == [child]


def test_an_agent_is_found_by_the_nearest_process_that_speaks_for_one(machine):
    claim(machine, "ann#1", "a")
    claim(machine, "bob#2", "b")
    outer = register(machine, "outer", seat="local-host-1-1")
    claim(machine, outer, "c")
    told = guard(machine, "a", "b", "c", seats=("local-host-99-1", SEAT, "local-host-1-1"))
    assert (told.agents, [one.target for one in told.conflicts]) == (("bob#2",), ["a", "c"])


def test_of_two_with_one_name_the_one_of_this_process_is_meant(machine):
    other = register(machine, "bob", seat="local-host-71-1")
    claim(machine, other, "a")
    assert guard(machine, "a", names=("bob",), seats=(SEAT,)).agents == ("bob#2",)
    assert guard(machine, "a", names=("bob",), seats=(SEAT,)).conflicts
    assert guard(machine, "a", names=("bob",)).agents == ("bob#2", other)


def test_a_name_that_nobody_has_is_not_another_agent_of_the_same_process(machine):
    claim(machine, "bob#2", "a")
    told = guard(machine, "a", names=("nobody",), seats=(SEAT,))
    assert (told.agents, len(told.conflicts)) == ((), 1)


def test_a_process_whose_agent_has_gone_speaks_for_nobody(machine):
    machine.perform(Caller("bob#2"), Goodbye(), at(1))
    assert guard(machine, "a", seats=(SEAT,)).agents == ()


def test_what_was_changed_before_the_claim_was_granted_is_not_in_its_way(machine):
    claim(machine, "ann#1", "a", now=5.0)
    assert not guard(machine, "a", now=10.0, ages=(6.0,)).conflicts
    assert guard(machine, "a", now=10.0, ages=(5.0,)).conflicts


def test_a_claim_that_has_ended_covers_nothing_any_more(machine):
    generation = claim(machine, "bob#2", "src/")
    assert not guard(machine, "src/a.py", names=("bob",), generation=generation).overtaken
    (stray,) = guard(machine, "src/a.py", "b", names=("bob",), generation=generation).overtaken
    assert stray.target == "b"
    machine.perform(Caller("bob#2"), Release("s", ("src/",), 0, False), at(5))
    claim(machine, "ann#1", "src/a.py", now=6.0)
    told = guard(machine, "src/a.py", names=("bob",), generation=generation)
    assert told.overtaken[0].why.startswith(f"the claim with generation {generation} has ended (released); ann#1 holds")


def test_a_refusal_counts_once_for_each_agent_target_and_claim_under_its_source(machine):
    claim(machine, "ann#1", "a", "b")
    for _ in range(2):
        guard(machine, "a", "b", names=("bob",))
    assert counts(machine) == (2, 2, 0)
    guard(machine, "a", names=("bob",), source="hook")
    assert counts(machine) == (2, 2, 0), "the same refusal, on another way"
    guard(machine, "a", source="hook")
    assert counts(machine) == (3, 2, 1)


@pytest.mark.parametrize("strictness", ["observe", "warn"])
def test_what_is_not_refused_prevents_nothing(machine, strictness):
    claim(machine, "ann#1", "a")
    assert guard(machine, "a", strictness=strictness).conflicts
    machine.perform(Caller("ann#1"), SetStrictness("s", strictness), at(1))
    told = guard(machine, "a")
    assert (told.strictness, len(told.conflicts), counts(machine)) == (strictness, 1, (0, 0, 0))
    assert guard(machine, "a", strictness="deny").strictness == "deny"
    assert counts(machine) == (1, 1, 0)


def test_looking_makes_no_space_and_changes_nothing(machine):
    before = list(machine.snapshot())
    assert not guard(machine, "a").conflicts
    assert list(machine.snapshot()) == before


def test_twenty_are_shown_and_the_others_counted(machine):
    claim(machine, "ann#1", "./")
    told = guard(machine, *(f"f{number:04}" for number in range(1_024)), generation=99)
    assert (len(told.conflicts), told.n_more, len(told.overtaken), told.n_more_overtaken) == (20, 1_004, 20, 1_004)
    assert counts(machine) == (1_024, 1_024, 0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"targets": ("a",) * 1_025}, "1025 targets at once are over the limit of 1024"),
        ({"ages": (1.0, 2.0)}, "2 ages for 1 targets"),
        ({"names": ("x",) * 65}, "at most 64 names"),
        ({"seats": ("x",) * 65}, "64 processes"),
        ({"source": "claim"}, "source 'claim' is not one of guard, hook"),
        ({"strictness": "loud"}, "strictness 'loud' is not one of"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(machine, given, message):
    claim(machine, "ann#1", "a")
    before = list(machine.snapshot())
    targets = given.pop("targets", ("a",))
    with pytest.raises(Misuse, match=message):
        guard(machine, *targets, **given)
    with pytest.raises(BadTarget):
        guard(machine, "a", "./b")
    assert list(machine.snapshot()) == before


def test_a_seat_is_spelled_as_a_name_is(machine):
    with pytest.raises(Misuse, match="not usable as a seat"):
        register(machine, "cat", seat="a b")
