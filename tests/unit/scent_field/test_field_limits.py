"""Everything the field keeps is bounded; each bound is tested at its edge, with small numbers if it is a setting."""

import pytest

from actors.coordination.factory import make_coordination
from actors.coordination.machine import Coordination
from actors.coordination.messages import Heartbeat
from actors.runtime.errors import Misuse
from actors.runtime.machine import Caller, Now, Ticket
from actors.runtime.wire import BusyFor, pack
from actors.scent_field.limits import FieldLimits
from actors.scent_field.loss import MAX_LOSSES, MAX_LOSSES_OF_SESSION, LossBook, LostClaim
from actors.scent_field.messages import (
    Check,
    Claim,
    Deposited,
    ForceRelease,
    Granted,
    Held,
    LeaveSignal,
    ListAudit,
    ListLosses,
    Progress,
    Release,
    Sync,
    Transfer,
    Watch,
)
from actors.sessions.messages import Register


class Field:
    """A machine and its clock, without a kernel."""

    def __init__(self, **limits):
        self.machine = Coordination(FieldLimits(**limits))
        self.now_s = 0.0
        self.facts = []

    def join(self, name, kept_by="decay"):
        return self.ask("", Register(name, f"the-secret-of-{name:>20}", "", kept_by, 30.0)).session_id

    def ask(self, session_id, command):
        answer = self.machine.perform(Caller(session_id), command, Now(self.now_s, 0.0))
        self.facts += self.machine.take_events()
        return answer

    def claim(self, session_id, *targets, mode="exclusive", wait_s=0.0, space="s", intent=""):
        return self.ask(session_id, Claim(space, targets, mode, wait_s, intent))

    def deposit(self, session_id, target, intensity=1.0):
        return self.ask(session_id, LeaveSignal("s", "HOT", target, intensity))

    def refused(self, session_id, command):
        before = self.state()
        answer = self.ask(session_id, command)
        assert self.state() == before
        return answer

    def state(self):
        self.machine.field.collect(self.now_s)
        return pack(list(self.machine.snapshot()))


def test_the_numbers_are_those_of_the_design():
    limits = FieldLimits()
    assert (limits.lock_delay_s, limits.idle_s, limits.max_wait_s, limits.max_conflicts) == (2.0, 7_200.0, 600.0, 20)
    assert limits.fade_s == pytest.approx(27 * 60 + 22, abs=0.2)


def test_a_claim_takes_so_many_targets_and_no_more():
    field = Field(max_targets=3)
    ann = field.join("ann")
    with pytest.raises(Misuse, match="1 to 3 targets, not 4: split it"):
        field.claim(ann, "a", "b", "c", "d")
    with pytest.raises(Misuse, match="1 to 3 targets, not 0"):
        field.claim(ann)
    assert isinstance(field.claim(ann, "a", "b", "c"), Granted)


def test_an_intent_has_so_many_characters_and_no_more():
    field = Field(max_intent=5)
    ann = field.join("ann")
    with pytest.raises(Misuse, match="an intent has at most 5 characters, this one 6"):
        field.claim(ann, "a", intent="123456")
    assert isinstance(field.claim(ann, "a", intent="12345"), Granted)


@pytest.mark.parametrize("wait_s", [-1.0, 600.1, float("nan")])
def test_nobody_waits_for_less_than_nothing_or_for_more_than_ten_minutes(wait_s):
    field = Field()
    with pytest.raises(Misuse, match="is not between 0 and 600 s"):
        field.claim(field.join("ann"), "a", wait_s=wait_s)


def test_a_mode_must_be_known():
    field = Field()
    with pytest.raises(Misuse, match="mode 'both' is not one of exclusive, shared"):
        field.claim(field.join("ann"), "a", mode="both")


def test_so_many_claims_are_held_and_the_next_is_told_to_come_back():
    field = Field(max_leases=2)
    ann = field.join("ann")
    field.claim(ann, "a")
    field.claim(ann, "b")
    command = Claim("s", ("c",), "exclusive", 0.0, "")
    assert field.refused(ann, command) == BusyFor(1.0, "2 claims are held, which is the limit")
    # not even the space is made for it
    assert isinstance(field.refused(ann, command._replace(space="other")), BusyFor)
    assert field.claim(ann, "a").renewed
    field.ask(ann, Release("s", ("a",), 0, False))
    assert isinstance(field.claim(ann, "c"), Granted)


def test_a_waiter_whose_turn_comes_while_no_claim_may_be_added_is_told_to_come_back():
    field = Field(max_leases=2)
    ann, bob = field.join("ann"), field.join("bob")
    field.claim(ann, "a", "b")
    field.claim(ann, "c")
    assert isinstance(field.claim(bob, "a", wait_s=60.0), Ticket)
    field.ask(ann, Release("s", ("a",), 0, False))
    ((_, answer),) = field.machine.take_settled(Now(0.0, 0.0))
    assert answer == BusyFor(1.0, "2 claims are held, which is the limit")
    field.machine.check_invariants()


def test_so_many_requests_wait_and_so_many_of_one_session():
    field = Field(max_waiters=3, max_waiters_of_session=2)
    ann, bob, cat = field.join("ann"), field.join("bob"), field.join("cat")
    field.claim(ann, "a")
    assert isinstance(field.claim(bob, "a", wait_s=60.0), Ticket)
    assert isinstance(field.claim(bob, "./", wait_s=60.0), Ticket)
    command = Claim("s", ("a/",), "exclusive", 60.0, "")
    assert field.refused(bob, command).what == f"2 requests of {bob} wait, which is the limit for one session"
    assert isinstance(field.claim(cat, "a", wait_s=60.0), Ticket)
    assert field.refused(cat, command).what == "3 requests wait, which is the limit"
    field.machine.withdraw(Ticket(1), Now(0.0, 0.0))
    assert isinstance(field.ask(cat, command), Ticket)


def test_so_many_spaces_exist_and_no_more():
    field = Field(max_spaces=2)
    ann = field.join("ann")
    field.claim(ann, "a", space="one")
    field.claim(ann, "a", space="two")
    for command in (Claim("three", ("a",), "exclusive", 0.0, ""), Sync("three", 15), Watch("three", 0, 0.0)):
        with pytest.raises(Misuse, match="2 spaces exist, which is the limit: use one of them"):
            field.ask(ann, command)
    assert isinstance(field.claim(ann, "b", space="two"), Granted)


@pytest.mark.parametrize("name", ["", "x" * 201, "a\nb", "\x00"])
def test_a_space_has_a_printable_name_of_bounded_length(name):
    field = Field()
    with pytest.raises(Misuse, match="a space's name has 1 to 200 printable characters"):
        field.claim(field.join("ann"), "a", space=name)


def test_asking_about_a_space_that_is_not_there_does_not_make_it():
    field = Field()
    ann = field.join("ann")
    for command in (
        Sync("x", 15),
        Check("x", "a", 1, ann),
        Watch("x", 0, 0.0),
        ListAudit("x"),
        Release("x", ("a",), 0, True),
        Release("x", ("a",), 3, True),
        ForceRelease("x", "a", "why", True),
        Progress("x", "a", 0.0, 0.0),
    ):
        field.refused(ann, command)
    assert field.machine.field.state.spaces == {}


def test_so_many_signals_of_one_session_live_and_faded_ones_make_room():
    field = Field(max_signals_of_session=2)
    ann, bob = field.join("ann"), field.join("bob")
    field.deposit(ann, "a", 0.1)
    field.deposit(ann, "b")
    answer = field.refused(ann, LeaveSignal("s", "HOT", "c", 1.0))
    assert answer == BusyFor(60.0, f"{ann} has 2 live signals, which is the limit")
    # what work leaves by the way is dropped then, and the work goes on
    field.refused(ann, Progress("s", "c", 0.3, 0.5))
    assert isinstance(field.deposit(bob, "c"), Deposited)
    # 0.1 of HOT is dead after ten minutes
    field.now_s = 601.0
    assert isinstance(field.deposit(ann, "c"), Deposited)


def test_so_many_signals_live_in_all():
    field = Field(max_signals=2)
    ann, bob = field.join("ann"), field.join("bob")
    field.claim(ann, "a")
    field.deposit(ann, "b")
    assert isinstance(field.refused(bob, LeaveSignal("s", "HOT", "c", 1.0)), BusyFor)
    # a claim is never refused for it
    assert isinstance(field.claim(bob, "c"), Granted)


def test_so_many_callers_watch_and_none_for_longer_than_the_limit():
    field = Field(max_watchers=1, max_watch_s=5.0)
    assert isinstance(field.ask("", Watch("s", 0, 60.0)), Ticket)
    assert field.ask("", Watch("s", 0, 60.0)) == BusyFor(1.0, "1 callers watch, which is the limit")
    assert field.machine.next_deadline_s() == 5.0
    assert field.machine.take_settled(Now(4.9, 0.0)) == []
    ((_, answer),) = field.machine.take_settled(Now(5.0, 0.0))
    assert (answer.version, answer.resync, answer.changes) == (0, False, ())
    assert isinstance(field.ask("", Watch("s", 0, 60.0)), Ticket)


def test_so_many_conflicts_are_shown_and_the_rest_is_counted():
    field = Field(max_conflicts=2)
    ann, bob, cat = field.join("ann"), field.join("bob"), field.join("cat")
    for name in ("a/1", "a/2"):
        field.claim(ann, name)
    field.claim(bob, "a/", wait_s=60.0)
    held = field.claim(cat, "a/")
    assert isinstance(held, Held)
    assert [(one.held_target, one.waiting) for one in held.conflicts] == [("a/1", False), ("a/2", False)]
    assert held.n_more == 1


def test_so_many_rows_are_shown():
    field = Field(max_rows=2)
    ann = field.join("ann")
    for name in ("a", "b", "c"):
        field.deposit(ann, name)
    view = field.ask("", Sync("s", 1_000))
    assert (len(view.rows), view.n_left_out) == (2, 1)
    assert field.ask("", Sync("s", -1)).rows == ()


def test_a_row_names_sixty_four_agents_at_most():
    field = Field()
    for number in range(70):
        field.deposit(field.join(f"x{number}"), "a")
    (row,) = field.ask("", Sync("s", 15)).rows
    assert len(row.agents) == 64
    assert row.intensity == pytest.approx(70.0)


def test_a_refusal_counts_a_thousand_and_twenty_four_prevented_targets_at_most():
    field = Field()
    ann, bob = field.join("ann"), field.join("bob")
    for number in range(1_100):
        field.claim(ann, f"a/{number}")
    assert field.claim(bob, "a/").n_more == 1_080
    counters = field.machine.field.state.counters
    assert counters["duplicate_work_prevented"] == 1_024
    assert len(field.facts[-1].prevented) == 1_024
    field.claim(bob, "a/")
    assert counters["duplicate_work_prevented"] == 1_100


def test_a_claim_remembers_a_thousand_and_twenty_four_refusals_and_counts_no_more():
    field = Field()
    ann, bob = field.join("ann"), field.join("bob")
    field.claim(ann, "a/")
    for number in range(1_030):
        field.claim(bob, f"a/{number}")
    counters = field.machine.field.state.counters
    assert (counters["claims_rejected"], counters["duplicate_work_prevented"]) == (1_030, 1_024)


def test_the_last_changes_audit_lines_and_ended_claims_of_a_space_are_kept():
    field = Field()
    ann = field.join("ann")
    for _ in range(4_100):
        field.claim(ann, "a")
        field.ask(ann, ForceRelease("s", "a", "why", True))
    space = field.machine.field.state.spaces["s"]
    assert (len(space.changes), len(space.audit), len(space.ended)) == (2_048, 1_000, 4_096)
    assert len(field.ask("", ListAudit("s")).lines) == 100
    assert "has ended" not in field.ask("", Check("s", "a", 4, ann)).why
    assert field.ask("", Check("s", "a", 5, ann)).why == "the claim with generation 5 has ended (forced)"
    watched = field.ask("", Watch("s", space.version - 2_048, 0.0))
    assert (len(watched.changes), watched.resync) == (1_000, False)
    assert field.ask("", Watch("s", space.version - 2_049, 0.0)).resync
    assert len(field.ask("", ListLosses(ann)).losses) == 64


def test_losses_are_bounded_for_each_session_and_in_all():
    book = LossBook()
    for number in range(1, MAX_LOSSES_OF_SESSION + 3):
        book.add(LostClaim(number, "ann#1", "s", ("a",), number, "expired", 0.0))
    assert [lost.number for lost in book.after("ann#1", 0)][:2] == [3, 4]
    assert len(book) == MAX_LOSSES_OF_SESSION == 1_000
    for number in range(2_000, 2_000 + MAX_LOSSES):
        book.add(LostClaim(number, f"x#{number}", "s", ("a",), number, "expired", 0.0))
    assert len(book) == MAX_LOSSES == 10_000
    assert book.after("ann#1", 0) == []
    assert [lost.number for lost in book.after("x#2000", 0)] == [2_000]
    assert book.after("x#2000", 2_000) == []
    book.check_invariants()


def test_a_heartbeat_tells_of_sixty_four_waiters_and_losses_at_most():
    field = Field()
    ann, op = field.join("ann", "heartbeat"), field.join("op")
    for number in range(70):
        field.claim(ann, f"a/{number}")
        field.ask(op, ForceRelease("s", f"a/{number}", "why", True))
        field.claim(ann, f"b/{number}")
    field.claim(op, "b/", wait_s=60.0)
    told = field.ask(ann, Heartbeat(0))
    assert (len(told.losses), len(told.wanted)) == (64, 64)
    assert [one.number for one in field.ask(ann, Heartbeat(told.losses[-1].number)).losses] == [65, 66, 67, 68, 69, 70]


def test_notes_and_reasons_are_bounded():
    field = Field()
    ann, bob = field.join("ann"), field.join("bob")
    field.claim(ann, "a")
    with pytest.raises(Misuse, match="a note has at most 1000 characters, this one 1001"):
        field.ask(ann, Transfer("s", 1, bob, "x" * 1_001))
    for reason in ("", "x" * 1_001):
        with pytest.raises(Misuse, match="a reason of 1 to 1000 characters"):
            field.ask(bob, ForceRelease("s", "a", reason, True))
    assert isinstance(field.ask(ann, Transfer("s", 1, bob, "x" * 1_000)), Granted)


def test_deadlines_of_what_has_ended_do_not_pile_up():
    field = Field()
    ann, bob = field.join("ann"), field.join("bob")
    for number in range(3_000):
        field.now_s = number / 10
        field.claim(ann, f"a/{number}")
        field.claim(bob, f"a/{number}", wait_s=600.0)
        field.machine.withdraw(Ticket(number + 1), Now(field.now_s, 0.0))
        field.ask(ann, Release("s", (f"a/{number}",), 0, False))
        field.machine.expire(Now(field.now_s, 0.0))
    assert len(field.machine.field.state._due) <= 1_001
    field.machine.check_invariants()


def test_lock_delay_and_half_lives_are_settings():
    machine = make_coordination(lock_delay_s=5.0, half_lives_s={"CLAIMED": 60.0, "HOT": 30.0})
    assert machine.field.limits.lock_delay_s == 5.0
    assert machine.field.limits.half_lives_s["HOT"] == 30.0
    assert machine.field.limits.half_lives_s["STUCK"] == 1_800.0
    assert machine.field.limits.fade_s == pytest.approx(164.218, abs=1e-3)


def test_a_claim_with_too_many_globs_is_refused_and_one_with_just_as_many_is_granted():
    field = Field(max_globs=3)
    ann = field.join("ann")
    globs = [f"src{n}/*.py" for n in range(4)]
    before = field.state()
    with pytest.raises(Misuse, match="at most 3 globs, not 4"):
        field.claim(ann, *globs)
    assert field.state() == before
    assert isinstance(field.claim(ann, *globs[:3], "a.py"), Granted)


def test_sixteen_globs_are_the_most_by_default():
    assert FieldLimits().max_globs == 16


@pytest.mark.parametrize("text", ["fix\nCLAIMED b by boss#9", "\x1b[31mred", "a\u2028b", "tab\t"])
def test_what_others_are_shown_within_a_line_is_one_line(text):
    field = Field()
    ann, bob = field.join("ann"), field.join("bob")
    field.claim(ann, "a", intent="größer — 1\u00a0% \u200d ok")
    with pytest.raises(Misuse, match="an intent is one line without control characters"):
        field.claim(ann, "b", intent=text)
    with pytest.raises(Misuse, match="a note is one line"):
        field.ask(ann, Transfer("s", 1, bob, text))
    with pytest.raises(Misuse, match="a reason is one line"):
        field.ask(bob, ForceRelease("s", "a", text, True))
