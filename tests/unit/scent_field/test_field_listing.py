"""Claims, waiters and refusals as rows: what each says, in which order, and how many there are at most."""

from actors.coordination.machine import Coordination
from actors.runtime.machine import Caller, Now
from actors.scent_field.limits import FieldLimits
from actors.scent_field.listing import MAX_CHARS_LISTED, MAX_TARGETS_LISTED
from actors.scent_field.messages import Claim, ListClaims, ListRefusals, ListWaiters, Release
from actors.scent_field.refusal_trail import MAX_REFUSALS, MAX_REFUSALS_LISTED, RefusalTrail
from actors.sessions.messages import Register


def at(seconds):
    return Now(seconds, 0.0)


def field(*names, kept_by="heartbeat", **limits):
    machine = Coordination(FieldLimits(**limits))
    for name in names:
        machine.perform(Caller(""), Register(name, f"the-secret-of-{name:>20}", "", kept_by, 30.0), at(0))
    return machine


def claim(machine, who, *targets, now=0.0, wait_s=0.0, mode="exclusive", intent="", space="s"):
    return machine.perform(Caller(who), Claim(space, targets, mode, wait_s, intent), at(now))


def claims(machine, now=0.0, limit=100, space="s"):
    return machine.perform(Caller(""), ListClaims(space, limit), at(now))


def waiters(machine, now=0.0, limit=100):
    return machine.perform(Caller(""), ListWaiters("s", limit), at(now))


def refusals(machine, now=0.0, space="s"):
    return machine.perform(Caller(""), ListRefusals(space), at(now)).rows


def test_a_claim_says_who_holds_what_for_how_long_and_what_keeps_it():
    machine = field("ann", "bob")
    claim(machine, "ann#1", "a", "b", intent="tidy up")
    claim(machine, "bob#2", "c", mode="shared", now=4.0)
    newer, older = claims(machine, now=10.0).rows
    assert (older.targets, older.holder, older.generation, older.intent) == (("a", "b"), "ann#1", 1, "tidy up")
    assert (older.mode, older.kept_by, older.age_s, older.idle_s, older.expires_in_s) == (
        "exclusive",
        "heartbeat",
        10.0,
        10.0,
        20.0,
    )
    assert (newer.targets, newer.mode, newer.age_s) == (("c",), "shared", 6.0)


def test_a_claim_that_has_ended_is_not_listed_even_while_its_lock_delay_runs():
    machine = field("ann")
    claim(machine, "ann#1", "a")
    machine.expire(at(31.0))
    assert claims(machine, now=31.0) == ((), 0)


def test_a_claim_whose_signal_has_faded_is_still_listed():
    machine = field("ann", kept_by="connection")
    claim(machine, "ann#1", "a")
    (row,) = claims(machine, now=29.0).rows
    assert row.idle_s == 29.0


def test_claims_and_their_targets_are_cut_and_what_was_left_out_is_counted():
    machine = field("ann")
    claim(machine, "ann#1", *[f"many/{n:02}" for n in range(20)])
    for n in range(3):
        claim(machine, "ann#1", f"one/{n}")
    listed = claims(machine, limit=2)
    assert ([row.targets for row in listed.rows], listed.n_left_out) == ([("one/2",), ("one/1",)], 2)
    (*_, many) = claims(machine).rows
    assert (len(many.targets), many.n_more_targets) == (MAX_TARGETS_LISTED, 12)
    assert len(claims(machine, limit=-1).rows) == 0


def test_no_more_rows_are_listed_than_the_limit_of_the_field():
    machine = field("ann", max_rows=2)
    for n in range(3):
        claim(machine, "ann#1", f"one/{n}")
    assert (len(claims(machine).rows), claims(machine).n_left_out) == (2, 1)


def test_lists_of_long_targets_end_sooner():
    machine = field("ann")
    long = [f"{n:04}/{'/'.join(['x' * 249] * 4)}" for n in range(600)]  # 5 + 4 x 249 + 3 characters
    for target in long:
        claim(machine, "ann#1", target)
    n_fitting = MAX_CHARS_LISTED // 1_004
    listed = claims(machine, limit=1_000)
    assert (len(listed.rows), listed.n_left_out) == (n_fitting, 600 - n_fitting)


def test_waiters_stand_in_the_order_of_the_line():
    machine = field("ann", "bob", "cat")
    claim(machine, "ann#1", "a")
    claim(machine, "cat#3", "a", wait_s=60.0, now=1.0, intent="second")
    claim(machine, "bob#2", "a", wait_s=9.0, now=3.0)
    first, second = waiters(machine, now=5.0).rows
    assert (first.waiter, first.targets, first.intent, first.age_s, first.left_s) == (
        "cat#3",
        ("a",),
        "second",
        4.0,
        56,
    )
    assert (second.waiter, second.left_s) == ("bob#2", 7.0)
    assert (len(waiters(machine, limit=1).rows), waiters(machine, limit=1).n_left_out) == (1, 1)


def test_a_refusal_says_whom_it_met_and_counts_how_often():
    machine = field("ann", "bob")
    claim(machine, "ann#1", "a", intent="tidy up")
    for now in (1.0, 2.0, 3.0):
        claim(machine, "bob#2", "a", now=now)
    (row,) = refusals(machine, now=10.0)
    assert (row.asker, row.target, row.reason, row.holder, row.intent) == ("bob#2", "a", "claimed", "ann#1", "tidy up")
    assert (row.n_times, row.ago_s, row.n_more) == (3, 7.0, 0)


def test_a_wait_that_was_in_vain_is_a_refusal_too():
    machine = field("ann", "bob")
    claim(machine, "ann#1", "a")
    claim(machine, "bob#2", "a", wait_s=2.0)
    machine.expire(at(2.0))
    (row,) = refusals(machine, now=2.0)
    assert (row.reason, row.holder) == ("timeout", "ann#1")


def test_a_ring_of_waiting_names_no_holder():
    machine = field("ann", "bob")
    claim(machine, "ann#1", "a")
    claim(machine, "bob#2", "b")
    claim(machine, "ann#1", "b", wait_s=60.0)
    claim(machine, "bob#2", "a", wait_s=60.0)
    (row,) = refusals(machine)
    assert (row.asker, row.reason) == ("bob#2", "would_deadlock")


def test_refusals_of_another_space_are_not_told():
    machine = field("ann", "bob")
    claim(machine, "ann#1", "a", space="other")
    claim(machine, "bob#2", "a", space="other")
    assert refusals(machine) == ()
    assert len(refusals(machine, space="other")) == 1


def test_a_grant_is_no_refusal_and_a_refusal_is_no_state():
    machine = field("ann", "bob")
    claim(machine, "ann#1", "a")
    before = list(machine.snapshot())
    claim(machine, "bob#2", "a")
    machine.perform(Caller("ann#1"), Release("s", ("a",), 0, False), at(1))
    claim(machine, "bob#2", "a", now=2.0)
    assert len(refusals(machine)) == 1
    assert not any("refusal" in str(part[0]) for part in [*before, *machine.snapshot()])


def test_refusals_are_bounded_and_the_oldest_goes():
    machine = field("ann", "bob", max_rows=2)
    claim(machine, "ann#1", "src/")
    for n in range(MAX_REFUSALS_LISTED + 1):
        claim(machine, "bob#2", f"src/{n}")
    listed = refusals(machine)
    assert (len(listed), listed[0].target) == (MAX_REFUSALS_LISTED, f"src/{MAX_REFUSALS_LISTED}")
    trail, held = RefusalTrail(), claim(machine, "bob#2", "src/a")
    for n in range(MAX_REFUSALS + 3):
        trail.note("s", f"asker#{n}", held, float(n))
    assert len(trail) == MAX_REFUSALS
