"""Notes between two actors' mailboxes, with real journals: what is committed arrives once, in order, whoever crashes.

The test carries the notes itself, step by step, so that each step can be the last one before a crash.
"""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from actors.runtime import outbox, received
from actors.runtime.errors import InvariantBroken
from actors.runtime.event_table import EventTable
from actors.runtime.journal import CommitFailed, Fenced, Journal, Store, sqlite_url
from actors.runtime.machine import Caller
from actors.runtime.mailbox import Mailbox
from actors.runtime.outbox import BOUNCE, MAX_DELIVERY, Deliver, Delivered, Note, Outbox, Pending
from actors.runtime.received import Received
from actors.runtime.settings import MailboxLimits
from actors.runtime.wire import Failed, Schema, decode_reply, encode_request


class Tell(NamedTuple):
    first: int
    last: int
    receiver: str


class Mention(NamedTuple):
    first: int
    last: int
    receiver: str


class Told(NamedTuple):
    name: int


class Mentioned(NamedTuple):
    name: int


class Fine(NamedTuple):
    pass


def note(name):
    return Note(BOUNCE, "ada#1", "home", str(name), "py", "map", 10, 100, 0, 5.0)


class Toy:
    """What both toys do not need."""

    def __init__(self):
        self.recorded = []

    def admit(self, session_id, _token, _now):
        return Caller(session_id)

    def record(self, event):
        self.evolve(event)
        self.recorded.append(event)

    def take_events(self):
        events, self.recorded = self.recorded, []
        return events

    def expire(self, now):
        pass

    def next_deadline_s(self):
        return None

    def take_settled(self, _now):
        return []

    def take_departed(self):
        return []

    def wake(self, now):
        pass


class Sender(Toy):
    """`Tell` is durable, `Mention` relaxed; each puts notes with the names `first` to `last`. `told` are all names."""

    schema = Schema(commands={"tell": Tell, "mention": Mention}, answers={"fine": Fine}, anonymous=["tell", "mention"])
    events = EventTable({900: Told, 901: Mentioned}, relaxed=[Mentioned]) + outbox.EVENTS
    max_queue = 10_000

    def __init__(self):
        super().__init__()
        self.told = []
        self.outbox = Outbox(self.record, max_queue=self.max_queue)

    def perform(self, _caller, command, _now):
        fact = Told if type(command) is Tell else Mentioned
        for name in range(command.first, command.last + 1):
            self.record(fact(name))
            self.outbox.put(command.receiver, note(name))
        return Fine()

    def evolve(self, event):
        if type(event) in (Told, Mentioned):
            self.told.append(event.name)
        else:
            self.outbox.evolve(event)

    def snapshot(self):
        yield ["told", self.told]
        yield from (["note", row] for row in self.outbox.rows())

    def restore(self, parts):
        for kind, part in parts:
            if kind == "told":
                self.told = part
            else:
                self.outbox.load(part)

    def check_invariants(self):
        self.outbox.check_invariants()


class Heard(NamedTuple):
    name: int


class Receiver(Toy):
    """`heard` are the names of all notes that were applied."""

    schema = received.SCHEMA
    events = EventTable({910: Heard}, relaxed=[Heard]) + received.EVENTS

    def __init__(self):
        super().__init__()
        self.heard = []
        self.received = Received(self.record)

    def perform(self, _caller, command, _now):
        for one in self.received.new_notes(command):
            self.record(Heard(int(one.path)))
        return self.received.answer(command)

    def evolve(self, event):
        if type(event) is Heard:
            self.heard.append(event.name)
        else:
            self.received.evolve(event)

    def snapshot(self):
        yield ["heard", self.heard]
        yield from (["source", row] for row in self.received.rows())

    def restore(self, parts):
        for kind, part in parts:
            if kind == "heard":
                self.heard = part
            else:
                self.received.load(part)

    def check_invariants(self):
        self.received.check_invariants()


class Actor:
    """A mailbox on a store of its own. `crash` forgets all but the store."""

    def __init__(self, folder, machine, name, **limits):
        self.folder, self.make_machine, self.name = folder, machine, name
        self.limits = MailboxLimits(**limits)
        self.monotonic_s = 100.0
        self.start()

    def start(self):
        self.epoch = None
        self.mailbox = Mailbox(open_journal=self.open_journal, make_machine=self.make_machine, limits=self.limits)
        self.mailbox.open()
        assert self.mailbox.trouble is None

    def open_journal(self, recover):
        store = Store(sqlite_url(self.folder / f"{self.name}.db"), self.name)
        journal = Journal.open(store, new_store_id="s1", own_epoch=self.epoch, recover=recover)
        self.epoch = journal.head.epoch
        return journal

    def crash(self):
        self.mailbox.journal.close()
        self.start()

    @property
    def machine(self):
        return self.mailbox.kernel.machine

    def turn(self, after_s=0.0):
        self.monotonic_s += after_s
        self.mailbox.turn(monotonic_s=self.monotonic_s, wall_s=1_000.0 + self.monotonic_s)
        self.machine.check_invariants()

    def ask(self, command):
        """Its answer, after a turn."""
        schema, replies = self.make_machine.schema, []
        self.mailbox.deliver(encode_request([("", "", 0, 0, [], [schema.wire_of(command)])]), replies.append)
        self.turn()
        ((answer,),) = decode_reply(replies[0], schema)
        return answer


class House:
    """A sender, receivers, and what is on its way between them."""

    def __init__(self, folder, receivers=("field",), sender=Sender, **limits):
        self.sender = Actor(folder, sender, "quality", **limits)
        self.receivers = {name: Actor(folder, Receiver, name) for name in receivers}

    def waiting(self, receiver="field"):
        """The names that the sender would deliver now; None while it must not."""
        held = self.sender.mailbox.outbox
        return None if held is None else [int(one.path) for one in held.pending(receiver).notes]

    def post(self, receiver="field"):
        """What a courier would take along now."""
        held = self.sender.mailbox.outbox
        return Pending(0, ()) if held is None else held.pending(receiver)

    def hand_over(self, pending, receiver="field"):
        return self.receivers[receiver].ask(Deliver("quality@s1", *pending))

    def confirm(self, pending, receiver="field"):
        self.sender.mailbox.confirm_sent(receiver, pending.number)
        self.sender.turn()

    def carry(self, receiver="field"):
        """One delivery, from the sender to its confirmation; False if there was nothing to deliver."""
        pending = self.post(receiver)
        if not pending.notes:
            return False
        assert self.hand_over(pending, receiver) == Delivered(pending.number)
        self.confirm(pending, receiver)
        return True

    def settle(self, receiver="field"):
        """Deliver until nothing is left."""
        self.sender.turn(after_s=2.0)
        while self.carry(receiver):
            self.sender.turn(after_s=2.0)

    def heard(self, receiver="field"):
        return self.receivers[receiver].machine.heard


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


def names(first, last):
    return list(range(first, last + 1))


def test_notes_arrive_in_order_and_are_confirmed(house):
    assert house.sender.ask(Tell(1, 3, "field")) == Fine()
    assert house.waiting() == [1, 2, 3]
    assert house.carry()
    assert house.heard() == [1, 2, 3]
    assert house.waiting() is None, "the confirmation rides along with the next commit"
    house.sender.turn(after_s=1.0)
    assert house.waiting() == []


def test_nothing_leaves_before_it_is_committed(house):
    house.sender.ask(Mention(1, 2, "field"))
    assert house.waiting() is None
    assert house.sender.machine.outbox.pending("field").notes, "it is there, but not in the store"
    house.sender.turn(after_s=1.0)
    assert house.waiting() == [1, 2]


def test_what_was_never_committed_is_lost_with_its_cause_and_heard_by_nobody(house):
    house.sender.ask(Tell(1, 1, "field"))
    house.sender.ask(Mention(2, 3, "field"))
    house.sender.crash()
    assert house.sender.machine.told == [1]
    house.settle()
    assert house.heard() == [1]


def test_a_crash_between_delivery_and_confirmation_applies_the_notes_once(house):
    house.sender.ask(Tell(1, 3, "field"))
    house.hand_over(house.post())
    house.sender.crash()
    assert house.waiting() == [1, 2, 3], "it does not know that they have arrived"
    house.sender.ask(Tell(4, 4, "field"))
    house.settle()
    assert house.heard() == [1, 2, 3, 4]


def test_a_crash_after_the_confirmation_before_its_commit_delivers_again_and_applies_nothing(house):
    house.sender.ask(Tell(1, 3, "field"))
    house.carry()
    house.sender.crash()
    assert house.waiting() == [1, 2, 3]
    house.settle()
    assert house.heard() == [1, 2, 3]


def test_a_receiver_that_has_committed_and_not_answered_applies_nothing_again(house):
    house.sender.ask(Tell(1, 2, "field"))
    pending = house.post()
    house.hand_over(pending)
    house.receivers["field"].crash()
    assert house.heard() == [1, 2]
    assert house.hand_over(pending) == Delivered(2)
    assert house.heard() == [1, 2]


def test_notes_are_committed_before_they_are_answered(house):
    house.sender.ask(Tell(1, 2, "field"))
    assert house.hand_over(house.post()) == Delivered(2)
    house.receivers["field"].crash()
    assert house.heard() == [1, 2]


def test_a_receiver_whose_store_does_not_take_the_notes_gets_them_again(house):
    house.sender.ask(Tell(1, 2, "field"))
    pending, field = house.post(), house.receivers["field"]
    field.mailbox.journal._cursor.execute("PRAGMA query_only = ON")
    assert house.hand_over(pending).code == "unavailable"
    field.turn(after_s=1.0)
    assert house.heard() == []
    assert house.hand_over(pending) == Delivered(2)
    assert house.heard() == [1, 2]


def test_two_receivers_do_not_wait_for_each_other(tmp_path):
    house = House(tmp_path, receivers=("field", "thresholds"))
    house.sender.ask(Tell(1, 3, "field"))
    house.sender.ask(Tell(4, 5, "thresholds"))
    house.settle("thresholds")
    assert (house.heard("thresholds"), house.heard("field")) == ([4, 5], [])
    assert house.waiting("field") == [1, 2, 3]
    house.settle("field")
    assert house.heard("field") == [1, 2, 3]


def test_a_long_queue_goes_in_deliveries_of_200_without_waiting_for_the_next_second(house):
    house.sender.ask(Tell(1, 650, "field"))
    n_commits = house.sender.mailbox.statistics.n_commits
    deliveries = []
    while house.waiting():
        deliveries.append(len(house.waiting()))
        house.carry()
    assert deliveries == [200, 200, 200]
    assert house.sender.mailbox.statistics.n_commits == n_commits + 2, "two confirmations left a whole delivery waiting"
    house.sender.turn(after_s=1.0)
    assert house.waiting() == names(601, 650)
    house.carry()
    assert house.heard() == names(1, 650)


def test_a_full_queue_drops_the_oldest_that_is_not_on_its_way_and_goes_on(tmp_path):
    class Small(Sender):
        max_queue = 250

    house = House(tmp_path, sender=Small)
    house.sender.ask(Tell(1, 250, "field"))
    pending = house.post()
    house.sender.ask(Tell(251, 300, "field"))
    assert house.hand_over(pending) == Delivered(200)
    house.sender.crash()
    house.settle()
    assert house.heard() == names(1, 200) + names(251, 300)
    assert house.sender.machine.outbox.counts() == (outbox.OutboxCount("field", 300, 250, 50, 0),)


def test_a_mailbox_in_trouble_sends_nothing(house):
    house.sender.ask(Tell(1, 2, "field"))
    house.sender.mailbox.journal._cursor.execute("PRAGMA query_only = ON")
    assert isinstance(house.sender.ask(Tell(3, 3, "field")), Failed)
    assert isinstance(house.sender.mailbox.trouble, CommitFailed)
    assert house.waiting() is None
    house.sender.turn(after_s=1.0)
    assert house.waiting() == [1, 2]


def test_a_confirmation_that_comes_while_the_mailbox_is_in_trouble_is_kept(house):
    house.sender.ask(Tell(1, 2, "field"))
    pending = house.post()
    house.sender.mailbox.journal._cursor.execute("PRAGMA query_only = ON")
    house.sender.ask(Tell(3, 3, "field"))
    house.confirm(pending)
    house.sender.turn(after_s=1.0)
    house.sender.turn(after_s=1.0)
    assert house.waiting() == []


def test_a_sender_that_was_overtaken_ends_at_its_next_commit_and_its_successor_delivers(house):
    house.sender.ask(Tell(1, 2, "field"))
    pending, stale = house.post(), house.sender.mailbox
    house.sender.start()
    house.hand_over(pending)
    stale.confirm_sent("field", pending.number)
    stale.turn(monotonic_s=house.sender.monotonic_s, wall_s=1_000.0)
    assert stale.outbox is None, "its confirmation waits for a commit"
    with pytest.raises(Fenced):
        stale.turn(monotonic_s=house.sender.monotonic_s + 1.0, wall_s=1_001.0)
    house.settle()
    assert house.heard() == [1, 2]


def test_a_confirmation_of_what_was_never_put_is_a_bug_and_leaves_no_trace(house):
    house.sender.ask(Tell(1, 2, "field"))
    house.sender.mailbox.confirm_sent("field", 3)
    house.sender.turn()
    assert isinstance(house.sender.mailbox.trouble, InvariantBroken)
    house.sender.turn(after_s=1.0)
    assert house.sender.mailbox.trouble is None
    assert house.waiting() == [1, 2]
    assert house.sender.mailbox.statistics.n_bugs == 1


def test_confirmations_for_a_machine_without_an_outbox_are_passed_over(house):
    field = house.receivers["field"]
    assert field.mailbox.outbox is None
    field.mailbox.confirm_sent("nobody", 3)
    field.turn()
    assert field.mailbox.trouble is None


def test_a_snapshot_keeps_what_waits_and_what_was_applied(house):
    house.sender.ask(Tell(1, 250, "field"))
    house.carry()
    for actor in (house.sender, *house.receivers.values()):
        actor.turn(after_s=1.0)
        twin = type(actor.machine)()
        twin.restore(actor.machine.snapshot())
        assert list(twin.snapshot()) == list(actor.machine.snapshot())
    assert house.waiting() == names(201, 250)


# Any story


class Small(Sender):
    max_queue = 203


STEPS = st.one_of(
    st.tuples(st.sampled_from(("tell", "mention")), st.sampled_from((1, 2, 3, 90))),
    st.tuples(st.sampled_from(("take", "hand over", "confirm", "wait a second"))),
    st.tuples(st.sampled_from(("take", "hand over", "confirm"))),
    st.tuples(st.sampled_from(("sender crashes", "receiver crashes", "the answer is lost"))),
)


class Story:
    """Runs steps against a house and checks after each what must hold."""

    def __init__(self, folder):
        self.house = House(folder, sender=Small)
        self.last_name = 0
        self.taken = self.arrived = Pending(0, ())

    def tell(self, kind, n_notes):
        first, self.last_name = self.last_name + 1, self.last_name + n_notes
        command = Tell if kind == "tell" else Mention
        self.house.sender.ask(command(first, self.last_name, "field"))

    def take(self, step, *rest):
        house = self.house
        match step:
            case "tell" | "mention":
                self.tell(step, *rest)
            case "take" if not self.taken.notes:
                self.taken = house.post()
            case "hand over" if self.taken.notes:
                assert house.hand_over(self.taken).number >= self.taken.number
                self.arrived = self.taken
            case "confirm" if self.arrived.notes:
                house.confirm(self.arrived)
                self.taken = self.arrived = Pending(0, ())
            case "wait a second":
                house.sender.turn(after_s=1.0)
            case "sender crashes":
                house.sender.crash()
                self.taken = self.arrived = Pending(0, ())
            case "receiver crashes":
                house.receivers["field"].crash()
            case "the answer is lost":
                self.taken = self.arrived = Pending(0, ())
        self.check()

    def check(self):
        """All that was heard was told, also as the sender knows it after a crash, once and in order."""
        heard, told = self.house.heard(), self.house.sender.machine.told
        assert all(before < after for before, after in pairwise(heard))
        assert set(heard) <= set(told)
        (count,) = self.house.sender.machine.outbox.counts() or [None]
        if count is None or not count.n_dropped:
            assert heard == told[: len(heard)]

    def end(self):
        self.house.sender.crash()
        self.house.settle()
        self.check()
        heard, told = self.house.heard(), self.house.sender.machine.told
        for count in self.house.sender.machine.outbox.counts():
            assert (count.n_put, count.n_waiting) == (len(told), 0)
            assert len(heard) == count.n_sent == count.n_put - count.n_dropped
            if not count.n_dropped:
                assert heard == told


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEPS, max_size=40))
def test_whoever_crashes_whenever_the_receiver_has_what_was_committed_once_and_in_order(steps):
    with tempfile.TemporaryDirectory() as folder:
        story = Story(Path(folder))
        for step in steps:
            story.take(*step)
        story.end()


def test_a_story_in_which_all_of_it_happens(tmp_path):
    story = Story(tmp_path)
    for _ in range(3):
        for step in (
            ("tell", 90),
            ("take",),
            ("mention", 90),
            ("hand over",),
            ("sender crashes",),
            ("tell", 90),
            ("take",),
            ("hand over",),
            ("receiver crashes",),
            ("confirm",),
            ("mention", 90),
            ("tell", 90),
            ("take",),
            ("the answer is lost",),
        ):
            story.take(*step)
    (count,) = story.house.sender.machine.outbox.counts()
    assert count.n_dropped > 0
    assert count.n_sent >= MAX_DELIVERY
    story.end()
