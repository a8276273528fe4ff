import pytest

from actors.coordination.machine import Coordination
from actors.coordination.messages import SCHEMA, Alive, Heartbeat, Wanted
from actors.runtime.errors import Corrupt
from actors.runtime.machine import Caller, Now, Ticket
from actors.runtime.wire import Failed, pack, unpack
from actors.scent_field.limits import FieldLimits
from actors.scent_field.messages import Claim, Count, FieldStatistics, Granted, Release, Transfer
from actors.sessions.messages import Farewell, Goodbye, Register


def at(seconds):
    return Now(seconds, 0.0)


def joined(*names, lock_delay_s=2.0, kept_by="heartbeat"):
    machine = Coordination(FieldLimits(lock_delay_s=lock_delay_s))
    for name in names:
        machine.perform(Caller(""), Register(name, f"the-secret-of-{name:>20}", "", kept_by, 30.0), at(0))
    return machine


def child(machine, parent, name, kept_by="connection"):
    command = Register(name, f"the-secret-of-{name:>20}", parent, kept_by, 30.0)
    return machine.perform(Caller(""), command, at(0)).session_id


def claim(machine, who, target, *, wait_s=0.0, mode="exclusive", now=0.0):
    return machine.perform(Caller(who), Claim("s", (target,), mode, wait_s, ""), at(now))


def restored(machine):
    twin = Coordination()
    twin.restore(unpack(pack(list(machine.snapshot()))))
    twin.wake(at(0))
    twin.check_invariants()
    return twin


def test_every_command_of_both_domains_has_somebody_who_carries_it_out():
    machine = joined("ann")
    handled = set(machine._perform) | set(machine.field._perform) | set(machine.field._perform_dated)
    assert handled == set(SCHEMA.commands.values())


def test_a_snapshot_is_restored_with_all_that_it_counts():
    machine = joined("ann", "bob")
    claim(machine, "ann#1", "a")
    claim(machine, "bob#2", "a", wait_s=60.0)
    machine.perform(Caller("ann#1"), Release("s", ("a",), 0, True), at(1))
    machine.perform(Caller(""), Register("cat", "the-secret-of-cat", "", "decay", 30.0, "host-7-1"), at(1))
    twin = restored(machine)
    assert list(twin.snapshot()) == list(machine.snapshot())
    assert claim(twin, "ann#1", "b", now=2).generation == 3


def test_a_part_that_nobody_knows_is_corrupt():
    with pytest.raises(Corrupt, match="holds a part 'future' that this version does not know"):
        Coordination().restore([["future", 1]])


def test_a_goodbye_ends_a_family_and_gives_nothing_to_the_dead():
    machine = joined("ann", "bob")
    one, two = child(machine, "ann#1", "one"), child(machine, "ann#1", "two")
    claim(machine, one, "a")
    assert isinstance(claim(machine, two, "a", wait_s=60.0), Ticket)
    assert isinstance(claim(machine, "bob#2", "a", wait_s=60.0), Ticket)
    assert machine.perform(Caller("ann#1"), Goodbye(), at(1)) == Farewell(1)
    (_, to_two), (_, to_bob) = machine.take_settled(at(1))
    assert isinstance(to_two, Failed)
    assert to_two.code == "unknown_agent"
    assert isinstance(to_bob, Granted)
    assert machine.take_departed() == ["ann#1", one, two]
    assert machine.take_departed() == []
    machine.check_invariants()


def test_sessions_that_expire_together_give_nothing_to_each_other():
    machine = joined("ann", "bob", "cat", lock_delay_s=0.0)
    claim(machine, "ann#1", "a")
    claim(machine, "bob#2", "a", wait_s=60.0)
    claim(machine, "cat#3", "a", wait_s=60.0)
    machine.perform(Caller("cat#3"), Heartbeat(0), at(20))
    machine.expire(at(30))
    answers = dict(machine.take_settled(at(30)))
    assert isinstance(answers[Ticket(1)], Failed)
    assert isinstance(answers[Ticket(2)], Granted)


def test_a_heartbeat_tells_who_waits_and_only_of_those_whom_the_claim_keeps_out():
    machine = joined("ann", "bob", "cat")
    kid = child(machine, "ann#1", "kid", kept_by="heartbeat")
    claim(machine, "ann#1", "a/")
    claim(machine, kid, "a/k")
    other = child(machine, "ann#1", "other", kept_by="heartbeat")
    claim(machine, other, "a/k", wait_s=60.0)
    claim(machine, "bob#2", "a/b", wait_s=60.0)
    assert machine.perform(Caller("ann#1"), Heartbeat(0), at(1)) == Alive(30.0, (), (Wanted("s", "a/", "bob#2"),))
    assert machine.perform(Caller(kid), Heartbeat(0), at(1)).wanted == (Wanted("s", "a/k", other),)
    claim(machine, "cat#3", "b/", mode="shared")
    claim(machine, "bob#2", "b/", wait_s=60.0)
    claim(machine, "ann#1", "b/x", mode="shared", wait_s=60.0)
    assert machine.perform(Caller("cat#3"), Heartbeat(0), at(1)).wanted == (Wanted("s", "b/", "bob#2"),)


def test_a_set_that_was_handed_over_goes_whole_also_when_it_is_several_claims():
    machine = joined("ann", "bob")
    claim(machine, "ann#1", "a/", mode="shared")
    assert claim(machine, "ann#1", "a/x", mode="shared").generation == 1
    granted = machine.perform(Caller("ann#1"), Transfer("s", 1, "bob#2", ""), at(1))
    assert (granted.generation, granted.targets) == (2, ("a/", "a/x"))
    assert machine.field.state.spaces["s"].leases.owned("ann#1") == []
    machine.check_invariants()


def test_statistics_count_sessions_too():
    machine = joined("ann", "bob")
    machine.perform(Caller("ann#1"), Goodbye(), at(1))
    counts = machine.perform(Caller(""), FieldStatistics(), at(1))
    assert Count("sessions", 1) in counts.gauges
    assert Count("sessions_registered", 2) in counts.counters
    assert Count("sessions_ended_goodbye", 1) in counts.counters
    assert len({count.name for count in (*counts.gauges, *counts.counters)}) == len(counts.gauges) + len(
        counts.counters
    )


def test_no_token_stands_in_facts_or_snapshots():
    machine = joined("ann")
    claim(machine, "ann#1", "a")
    stored = pack([machine.take_events(), list(machine.snapshot())])
    assert b"the-secret-of" not in stored


def test_leases_of_one_session_come_oldest_first_after_a_restart_too():
    machine = joined("ann")
    for targets in (("a", "b"), ("a", "c"), ("a",)):
        machine.perform(Caller("ann#1"), Claim("s", targets, "exclusive", 0.0, ""), at(0))
    machine.perform(Caller("ann#1"), Release("s", ("b",), 0, False), at(1))
    book = machine.field.state.spaces["s"].leases
    assert [lease.lease_id for lease in book.owned_on("ann#1", "a")] == [1, 2, 3]
    twin = restored(machine)
    assert [one.lease_id for one in twin.field.state.spaces["s"].leases.owned_on("ann#1", "a")] == [1, 2, 3]


def test_a_grant_that_nobody_heard_of_is_undone_in_its_own_space():
    machine = joined("ann")
    here, there = (
        machine.perform(Caller("ann#1"), Claim(space, ("a",), "exclusive", 0.0, ""), at(0)) for space in ("s", "t")
    )
    assert (here.generation, here.targets) == (there.generation, there.targets)
    machine.undo(Caller("ann#1"), there, at(1))
    assert [len(machine.field.state.spaces[space].leases.leases) for space in ("s", "t")] == [1, 0]
