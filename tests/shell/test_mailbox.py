"""The mailbox as a plain class: real journals in a temporary folder, a toy machine that can be told to break."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

import pytest

from actors.coordination.machine import Coordination
from actors.coordination.messages import SCHEMA as COORDINATION_SCHEMA
from actors.coordination.messages import Alive, Heartbeat
from actors.runtime.errors import Corrupt, UnknownAgent
from actors.runtime.event_table import EventTable
from actors.runtime.journal import CommitFailed, Fenced, Journal, Store, sqlite_url
from actors.runtime.machine import Caller, Ticket
from actors.runtime.mailbox import Mailbox
from actors.runtime.settings import MailboxLimits
from actors.runtime.wire import BusyFor, Failed, Schema, decode_reply, encode_request
from actors.scent_field.messages import Claim, Granted, Release
from actors.sessions.messages import Register

# A toy: a sum that everybody adds to. `wait` is answered by the next `add`.


class Add(NamedTuple):
    amount: int


class Hint(NamedTuple):
    amount: int


class Wait(NamedTuple):
    timeout_s: float


class Break(NamedTuple):
    pass


class Ask(NamedTuple):
    pass


class Count(NamedTuple):
    pass


class Total(NamedTuple):
    total: int
    hints: int


class Added(NamedTuple):
    amount: int


class Hinted(NamedTuple):
    amount: int


class WaitBegan(NamedTuple):
    ticket: int


class WaitEnded(NamedTuple):
    ticket: int


class Toy:
    schema = Schema(
        commands={"add": Add, "hint": Hint, "wait": Wait, "break": Break, "ask": Ask, "count": Count},
        answers={"total": Total},
        queries=["ask", "count"],
        waiting={"wait": "timeout_s"},
        committed=["count"],
    )
    events = EventTable({900: Added, 901: Hinted, 902: WaitBegan, 903: WaitEnded}, relaxed=[Hinted])

    def __init__(self):
        self.total = self.hints = self.last_ticket = 0
        self.waiting = []
        self.recorded = []
        self.settled = []
        self.deadline_s = None

    def admit(self, session_id, token, _now):
        if token != "good":
            raise UnknownAgent("no")
        return Caller(session_id)

    def record(self, event):
        self.evolve(event)
        self.recorded.append(event)

    def perform(self, _caller, command, _now):
        match command:
            case Add(amount):
                self.record(Added(amount))
                for ticket in self.waiting[:]:
                    self.record(WaitEnded(ticket))
                    self.settled.append((Ticket(ticket), Total(self.total, self.hints)))
            case Hint(amount):
                self.record(Hinted(amount))
            case Wait():
                self.record(WaitBegan(self.last_ticket + 1))
                return Ticket(self.last_ticket)
            case Break():
                self.record(Added(1_000_000))
                raise ZeroDivisionError("toy")
        return Total(self.total, self.hints)

    def evolve(self, event):
        match event:
            case Added(amount):
                self.total += amount
            case Hinted(amount):
                self.hints += amount
            case WaitBegan(ticket):
                self.last_ticket = ticket
                self.waiting.append(ticket)
            case WaitEnded(ticket):
                self.waiting.remove(ticket)

    def withdraw(self, ticket, _now):
        self.record(WaitEnded(ticket.number))

    def undo(self, caller, answer, now):
        pass

    def expire(self, now):
        pass

    def next_deadline_s(self):
        return self.deadline_s

    def take_events(self):
        events, self.recorded = self.recorded, []
        return events

    def take_settled(self, _now):
        settled, self.settled = self.settled, []
        return settled

    def take_departed(self):
        return []

    def snapshot(self):
        yield ["toy", self.total, self.hints, self.last_ticket, self.waiting]

    def restore(self, parts):
        for _, self.total, self.hints, self.last_ticket, self.waiting in parts:
            pass

    def wake(self, now):
        pass

    def check_invariants(self):
        pass


class Rig:
    """A mailbox, its clocks, and what it has replied."""

    def __init__(self, folder, machine=Toy, journal=Journal, busy_timeout_s=0.05, expected_store_id=None, **limits):
        self.folder = folder
        self.machine = machine
        self.journal = journal
        self.busy_timeout_s = busy_timeout_s
        self.expected_store_id = expected_store_id
        self.limits = MailboxLimits(**limits)
        self.schema = machine.schema
        self.monotonic_s = 100.0
        self.replies = {}
        self.n_sent = 0
        self.order = []
        self.start()

    def start(self):
        self.epoch = None
        self.mailbox = Mailbox(open_journal=self.open_journal, make_machine=self.machine, limits=self.limits)
        self.mailbox.open()

    def open_journal(self, recover):
        store = Store(sqlite_url(self.folder / "toy.db"), "toy", busy_timeout_s=self.busy_timeout_s)
        journal = self.journal.open(
            store,
            new_store_id="s1",
            expected_store_id=self.expected_store_id,
            own_epoch=self.epoch,
            recover=recover,
        )
        self.epoch = journal.head.epoch
        return journal

    def send(self, *envelopes):
        """Deliver one request of (number, *commands) envelopes; returns its name."""
        self.n_sent += 1
        name = self.n_sent
        packed = [
            ("ada#1", "good", number, 0, [], [self.schema.wire_of(command) for command in commands])
            for number, *commands in envelopes
        ]
        self.deliver(encode_request(packed), name)
        return name

    def deliver(self, raw, name):
        def reply(answer):
            assert name not in self.replies, "a request is answered once"
            self.order.append("answer")
            self.replies[name] = decode_reply(answer, self.schema)

        self.mailbox.deliver(raw, reply)

    def turn(self, after_s=0.0):
        self.monotonic_s += after_s
        return self.mailbox.turn(monotonic_s=self.monotonic_s, wall_s=1_000.0 + self.monotonic_s)

    def ask(self, number, *commands):
        """Send one envelope and run a turn; returns its answers."""
        name = self.send((number, *commands))
        self.turn()
        return self.replies[name][0] if name in self.replies else None

    def stored(self):
        """What somebody who opens the store now would have."""
        rig = object.__new__(Rig)
        rig.__dict__ |= {**self.__dict__, "epoch": None, "replies": {}}
        mailbox = Mailbox(open_journal=rig.open_journal, make_machine=self.machine, limits=self.limits)
        mailbox.open()
        assert mailbox.trouble is None
        state = list(mailbox.kernel.snapshot())
        mailbox.journal.close()
        self.epoch = None
        return state

    def state(self):
        self.mailbox.kernel.check_invariants()
        return list(self.mailbox.kernel.snapshot())


@pytest.fixture
def rig(tmp_path):
    return Rig(tmp_path)


def full_disk(rig, n_more_pages):
    cursor = rig.mailbox.journal._cursor
    (n_pages,) = cursor.execute("PRAGMA page_count").fetchone()
    cursor.execute(f"PRAGMA max_page_count = {n_pages + n_more_pages}")


# Commit, then answer


def test_what_is_durable_is_committed_before_it_is_answered(tmp_path):
    class Watched(Journal):
        def append(self, payload, now):
            rig.order.append("commit")
            return super().append(payload, now)

    rig = Rig(tmp_path, journal=Watched)
    rig.send((1, Add(1)))
    rig.send((2, Add(2)))
    assert rig.replies == {}
    rig.turn()
    assert rig.order == ["commit", "answer", "answer"]
    assert (rig.mailbox.statistics.n_commits, rig.mailbox.statistics.largest_batch) == (1, 2)


def test_a_crash_after_the_answer_loses_nothing(rig):
    rig.ask(1, Add(5))
    rig.start()
    assert rig.ask(0, Ask()) == [Total(5, 0)]
    assert rig.ask(1, Add(5)) == [Total(5, 0)], "the same request, run again"
    assert rig.ask(0, Ask()) == [Total(5, 0)]


def test_relaxed_facts_are_answered_at_once_and_committed_within_a_second(rig):
    assert rig.ask(1, Hint(3)) == [Total(0, 3)]
    assert rig.mailbox.statistics.n_commits == 0
    assert rig.turn(after_s=0.9) == pytest.approx(0.1)
    assert rig.mailbox.statistics.n_commits == 0
    assert rig.turn(after_s=0.1) is None
    assert rig.mailbox.statistics.n_commits == 1
    rig.start()
    assert rig.ask(0, Ask()) == [Total(0, 3)]


def test_a_wait_for_the_relaxed_commit_does_not_begin_anew_with_each_turn(rig):
    rig.ask(1, Hint(3))
    for _ in range(9):
        rig.monotonic_s += 0.1
        rig.ask(0, Ask())
    assert rig.turn() == pytest.approx(0.1)


def test_relaxed_facts_ride_along_with_the_next_commit(rig):
    rig.ask(1, Hint(3))
    rig.ask(2, Add(1))
    rig.start()
    assert rig.ask(0, Ask()) == [Total(1, 3)]


def test_relaxed_facts_do_not_pile_up(tmp_path):
    rig = Rig(tmp_path, max_batch=10)
    for number in range(1, 7):
        rig.ask(number, Hint(1))
    assert rig.mailbox.statistics.n_commits == 1


def test_a_crash_loses_the_relaxed_facts_and_their_requests_together(rig):
    rig.ask(1, Hint(3))
    rig.start()
    assert rig.ask(0, Ask()) == [Total(0, 0)]
    assert rig.ask(1, Hint(3)) == [Total(0, 3)]


def test_statistics_show_committed_values_only(rig):
    rig.ask(1, Hint(3))
    rig.ask(0, Ask())
    assert rig.mailbox.statistics.n_commits == 0
    assert rig.ask(0, Count()) == [Total(0, 3)]
    assert rig.mailbox.statistics.n_commits == 1
    rig.start()
    assert rig.ask(0, Count()) == [Total(0, 3)]
    assert rig.mailbox.statistics.n_commits == 0, "nothing was left to commit"


def test_an_orderly_stop_commits_what_is_relaxed(rig):
    rig.ask(1, Hint(3))
    rig.mailbox.flush()
    rig.start()
    assert rig.ask(0, Ask()) == [Total(0, 3)]


# Requests


def test_a_request_of_many_envelopes_is_answered_when_all_are(rig):
    name = rig.send((1, Wait(9.0)), (0, Ask()), (2, Hint(1), Hint(1)))
    rig.turn()
    assert name not in rig.replies
    rig.ask(3, Add(1))
    assert rig.replies[name] == [[Total(1, 2)], [Total(0, 0)], [Total(0, 1), Total(0, 2)]]
    assert rig.mailbox.n_unanswered == 0


def test_a_batch_is_bounded_and_the_rest_comes_at_once(tmp_path):
    rig = Rig(tmp_path, max_batch=2)
    names = [rig.send((number, Add(1))) for number in range(1, 6)]
    assert rig.turn() == 0.0
    assert sorted(rig.replies) == names[:2]
    assert (rig.turn(), rig.turn()) == (0.0, None)
    assert rig.ask(0, Ask()) == [Total(5, 0)]


def test_a_full_queue_is_busy_and_loses_nothing(tmp_path):
    rig = Rig(tmp_path, max_queue=3)
    names = [rig.send((number, Add(1))) for number in (1, 2)]
    busy = rig.send((3, Add(1), Add(1)), (4, Add(1)))
    assert rig.replies[busy] == [[BusyFor(0.05, "2 requests are queued")] * 2, [BusyFor(0.05, "2 requests are queued")]]
    assert rig.mailbox.n_queued == 2
    rig.turn()
    assert [rig.replies[name] for name in names] == [[[Total(1, 0)]], [[Total(2, 0)]]]
    assert rig.mailbox.statistics.n_busy == 1
    assert rig.ask(0, Ask()) == [Total(2, 0)]


def test_a_queue_is_bounded_in_bytes(tmp_path):
    rig = Rig(tmp_path, max_queue_bytes=1_000)
    for number in (1, 11, 21):
        rig.send((number, *[Add(1)] * 300))
        busy = rig.send((number + 1, Add(1)))
        assert type(rig.replies[busy][0][0]) is BusyFor
        rig.turn()
        rig.send((number + 2, Add(1)))
        rig.send((number + 3, Add(1)))
        rig.turn()
    assert rig.ask(0, Ask()) == [Total(906, 0)]


def test_a_request_that_never_fits_is_misuse(tmp_path):
    rig = Rig(tmp_path, max_queue=3)
    name = rig.send(*((number, Add(1)) for number in range(1, 5)))
    assert rig.replies[name][0][0].code == "misuse"


def test_bytes_that_are_no_request_are_answered_and_change_nothing(rig):
    before = rig.state()
    for name, raw in enumerate([b"", b"\xc1", b"\x92\x02\x90", encode_request([()]), encode_request([(1, 2)])]):
        rig.deliver(raw, name)
    rig.turn()
    assert [rig.replies[name][0][0].code for name in range(5)] == ["wire"] * 5
    rig.deliver(encode_request([]), "empty")
    assert rig.replies["empty"] == []
    assert rig.state() == before
    assert rig.mailbox.n_unanswered == 0


def test_a_refused_command_changes_nothing(rig):
    before = rig.state()
    (failed,) = rig.ask(0, Add(1))
    assert failed == Failed("misuse", "a command that changes state needs a request number from 1")
    assert rig.mailbox.statistics.n_commits == 0
    assert rig.state() == before


# Time


def test_the_clocks_are_committed_once_a_second_while_something_can_end(rig):
    rig.mailbox.kernel.machine.deadline_s = 50.0
    assert rig.turn() == 1.0
    for _ in range(3):
        rig.turn(after_s=1.0)
    assert rig.mailbox.journal.store.head().field_s == 3.0
    rig.mailbox.kernel.machine.deadline_s = None
    assert rig.turn(after_s=1.0) is None
    assert rig.mailbox.journal.store.head().field_s == 3.0


def test_the_next_deadline_wakes_the_mailbox(rig):
    rig.mailbox.kernel.machine.deadline_s = 0.25
    assert rig.turn() == 0.25
    assert rig.turn(after_s=0.25) == 0.001, "a deadline that does not go away does not spin"


def test_field_time_goes_on_after_a_restart_and_stood_still_meanwhile(rig):
    for number in range(1, 4):
        rig.monotonic_s += 1.0
        rig.ask(number, Add(1))
    assert rig.mailbox.clock.field_s == 2.0
    rig.start()
    rig.turn(after_s=3_600.0)
    assert rig.mailbox.clock.field_s == 2.0
    rig.turn(after_s=0.5)
    assert rig.mailbox.clock.field_s == 2.5


def test_a_store_that_opens_late_brings_its_own_time(tmp_path):
    rig = Rig(tmp_path)
    rig.mailbox.clock.field_s = 5_000.0
    rig.ask(1, Add(1))
    rig.mailbox.journal.close()
    locker = sqlite3.connect(tmp_path / "toy.db", isolation_level=None)
    locker.execute("BEGIN IMMEDIATE")
    rig.start()
    assert isinstance(rig.mailbox.trouble, CommitFailed)
    locker.execute("ROLLBACK")
    locker.close()
    assert rig.ask(2, Add(1)) == [Total(2, 0)]
    assert rig.mailbox.journal.store.head().field_s == 5_000.0


# A store in trouble


def test_a_full_disk_is_unavailable_and_passes(rig):
    rig.ask(1, Add(1))
    full_disk(rig, 0)
    (failed,) = rig.ask(2, *[Add(1)] * 1_000)[:1]
    assert failed.code == "unavailable"
    assert "disk is full" in failed.message
    assert "nothing was done" in failed.message
    assert rig.mailbox.statistics.n_failed_commits == 1
    assert isinstance(rig.mailbox.trouble, CommitFailed)
    assert [answer.code for answer in rig.ask(3, Add(1), Add(1))] == ["unavailable"] * 2
    assert rig.turn() == 0.5
    rig.monotonic_s += 0.5
    assert rig.ask(2, Add(7)) == [Total(8, 0)], "the same number, free to run: nothing was done"
    assert rig.state() == rig.stored()


def test_a_full_disk_keeps_refusing_until_a_probe_is_written(rig, monkeypatch):
    rig.ask(1, Add(1))
    full_disk(rig, 0)
    rig.ask(2, *[Add(1)] * 1_000)
    space = {"left": False}

    def take_over(recover):
        if not space["left"]:
            raise CommitFailed("database or disk is full")
        return rig.open_journal(recover)

    rig.mailbox._open_journal = take_over
    for number in range(3, 6):
        rig.monotonic_s += 0.5
        assert rig.ask(number, Add(1))[0].code == "unavailable"
    space["left"] = True
    assert rig.ask(6, Add(1))[0].code == "unavailable", "not before the next probe"
    rig.monotonic_s += 0.5
    assert rig.ask(7, Add(1)) == [Total(2, 0)]


def test_no_time_passes_while_it_refuses(rig):
    rig.ask(1, Add(1))
    full_disk(rig, 0)
    rig.ask(2, *[Add(1)] * 1_000)
    rig.mailbox._probe_after_s = rig.monotonic_s + 100.0
    before_s = rig.mailbox.clock.field_s
    for _ in range(20):
        rig.turn(after_s=1.0)
    assert rig.mailbox.clock.field_s == before_s


def test_a_locked_file_is_unavailable_and_passes(rig, tmp_path):
    rig.ask(1, Add(1))
    locker = sqlite3.connect(tmp_path / "toy.db", isolation_level=None)
    locker.execute("BEGIN IMMEDIATE")
    assert rig.ask(2, Add(1))[0].code == "unavailable"
    rig.monotonic_s += 0.5
    assert rig.ask(2, Add(1))[0].code == "unavailable"
    locker.execute("ROLLBACK")
    rig.monotonic_s += 0.5
    assert rig.ask(2, Add(1)) == [Total(2, 0)]


class Lossy(Journal):
    """Commits, and then says that it has not."""

    lose = 0

    def append(self, payload, now):
        seq = super().append(payload, now)
        if Lossy.lose:
            Lossy.lose -= 1
            self.seq = seq - 1
            raise CommitFailed("the connection was lost")
        return seq


def test_a_commit_that_landed_without_confirmation_is_answered_truly_and_once(tmp_path):
    rig = Rig(tmp_path, journal=Lossy)
    Lossy.lose = 1
    names = [rig.send((1, Add(1))), rig.send((2, Wait(9.0))), rig.send((0, Ask()))]
    rig.turn()
    assert rig.replies == {names[0]: [[Total(1, 0)]], names[2]: [[Total(1, 0)]]}
    assert rig.mailbox.trouble is None
    assert rig.ask(3, Add(1)) == [Total(2, 0)]
    assert rig.replies[names[1]] == [[Total(2, 0)]]
    assert rig.state() == rig.stored()


class Refusing(Journal):
    fail = False

    def append(self, payload, now):
        if Refusing.fail:
            raise CommitFailed("no: nothing was done")
        return super().append(payload, now)


def test_calls_that_wait_inside_go_on_waiting_after_a_failed_commit(tmp_path):
    rig = Rig(tmp_path, journal=Refusing)
    waiting = rig.send((1, Wait(9.0)))
    rig.turn()
    Refusing.fail = True
    fresh = rig.send((2, Wait(9.0)))
    assert rig.ask(3, Add(1))[0].code == "unavailable"
    assert rig.replies[fresh][0][0].code == "unavailable"
    Refusing.fail = False
    assert rig.ask(4, Add(1))[0].code == "unavailable"
    assert waiting not in rig.replies
    rig.monotonic_s += 0.5
    assert rig.ask(5, Add(7)) == [Total(7, 0)]
    assert rig.replies[waiting] == [[Total(7, 0)]]
    assert rig.mailbox.n_unanswered == 0


def test_a_writer_that_was_overtaken_says_so_and_commits_nothing(rig):
    rig.ask(1, Add(1))
    epoch = rig.epoch
    assert rig.stored()
    rig.epoch = epoch
    rig.send((2, Add(1)))
    with pytest.raises(Fenced):
        rig.turn()
    rig.start()
    assert rig.ask(0, Ask()) == [Total(1, 0)]


def test_a_writer_whose_commit_failed_does_not_fence_its_successor(tmp_path):
    rig = Rig(tmp_path, journal=Refusing)
    rig.ask(1, Add(1))
    Refusing.fail = True
    rig.ask(2, Add(1))
    Refusing.fail = False
    epoch = rig.epoch
    rig.stored()
    rig.epoch = epoch
    rig.monotonic_s += 0.5
    with pytest.raises(Fenced):
        rig.turn()


def test_a_proof_writes_the_clocks_and_reads_them_back(rig):
    rig.ask(1, Add(1))
    before = rig.mailbox.journal.store.head()
    rig.monotonic_s += 1.0
    assert rig.mailbox.prove(monotonic_s=rig.monotonic_s, wall_s=2_000.0) is None
    after = rig.mailbox.journal.store.head()
    assert (after.seq, after.field_s) == (before.seq, before.field_s + 1.0)
    assert rig.state() == rig.stored()


def test_a_proof_that_cannot_be_written_is_trouble_and_passes(rig, tmp_path):
    rig.ask(1, Add(1))
    locker = sqlite3.connect(tmp_path / "toy.db", isolation_level=None)
    locker.execute("BEGIN IMMEDIATE")
    trouble = rig.mailbox.prove(monotonic_s=rig.monotonic_s, wall_s=2_000.0)
    assert isinstance(trouble, CommitFailed)
    locker.execute("ROLLBACK")
    rig.monotonic_s += 0.5
    assert rig.mailbox.prove(monotonic_s=rig.monotonic_s, wall_s=2_000.0) is None
    assert rig.ask(2, Add(1)) == [Total(2, 0)]


def test_a_proof_finds_a_file_that_was_deleted_while_commits_go_on(rig, tmp_path):
    rig.ask(1, Add(1))
    for path in tmp_path.iterdir():
        path.unlink()
    assert rig.ask(2, Add(1)) == [Total(2, 0)], "the file is open, and takes commits for nobody"
    trouble = rig.mailbox.prove(monotonic_s=rig.monotonic_s, wall_s=2_000.0)
    assert isinstance(trouble, Corrupt)
    assert "nothing was found where row 2 of store s1 was committed" in str(trouble)
    assert rig.ask(3, Add(1))[0].code == "corrupt"


def test_a_proof_by_a_writer_that_was_overtaken_ends_it(rig):
    rig.ask(1, Add(1))
    epoch = rig.epoch
    rig.stored()
    rig.epoch = epoch
    with pytest.raises(Fenced):
        rig.mailbox.prove(monotonic_s=rig.monotonic_s, wall_s=2_000.0)


# A store that cannot be trusted


def damaged(tmp_path, sql="UPDATE journal SET payload = x'00'"):
    rig = Rig(tmp_path)
    rig.ask(1, Add(1))
    rig.mailbox.journal.close()
    connection = sqlite3.connect(tmp_path / "toy.db")
    connection.execute(sql)
    connection.commit()
    connection.close()
    return (tmp_path / "toy.db").read_bytes()


def test_a_corrupt_store_is_answered_so_for_ever_and_never_written(tmp_path):
    before = damaged(tmp_path)
    rig = Rig(tmp_path)
    assert isinstance(rig.mailbox.trouble, Corrupt)
    for number in range(1, 4):
        rig.monotonic_s += 10.0
        name = rig.send((number, Add(1), Add(1)), (0, Ask()))
        assert rig.turn() is None
        assert [[answer.code for answer in answers] for answers in rig.replies[name]] == [["corrupt"] * 2, ["corrupt"]]
        assert "row 1 of 1 is damaged" in rig.replies[name][0][0].message
    assert (tmp_path / "toy.db").read_bytes() == before


@pytest.mark.parametrize(
    "payload",
    ["x'9300009190'", "x'93000091920790'", "x'930000919203920102'", "x'c1'", "x'90'", "x'9300009192cd0384a161'"],
)
def test_a_row_that_this_version_cannot_apply_is_corrupt(tmp_path, payload):
    raw = bytes.fromhex(payload[2:-1])
    rig = Rig(tmp_path)
    rig.mailbox.journal.append(raw, rig.mailbox.clock.now)
    rig.start()
    assert isinstance(rig.mailbox.trouble, Corrupt)
    assert "row 1" in str(rig.mailbox.trouble)
    assert str(tmp_path / "toy.db") in str(rig.mailbox.trouble)


def test_a_snapshot_that_this_version_cannot_apply_is_corrupt(tmp_path):
    rig = Rig(tmp_path)
    rig.ask(1, Add(1))
    assert rig.mailbox.journal.store.write_snapshot(1, iter([["toy", 1]]), run="r1")
    rig.start()
    assert isinstance(rig.mailbox.trouble, Corrupt)
    assert "the snapshot at row 1" in str(rig.mailbox.trouble)


def test_a_store_that_is_gone_is_not_replaced_by_an_empty_one(tmp_path):
    rig = Rig(tmp_path, expected_store_id="s1")
    assert isinstance(rig.mailbox.trouble, Corrupt)
    assert rig.ask(1, Add(1))[0].code == "corrupt"
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_vanishes_at_work_is_not_replaced_by_an_empty_one(tmp_path):
    rig = Rig(tmp_path)
    rig.ask(1, Add(1))
    rig.expected_store_id = "s1"
    full_disk(rig, 0)
    assert rig.ask(2, *[Add(1)] * 1_000)[0].code == "unavailable"
    for path in tmp_path.iterdir():
        path.unlink()
    rig.monotonic_s += 0.5
    assert rig.ask(3, Add(1))[0].code == "corrupt"
    assert "nothing is there" in str(rig.mailbox.trouble)
    assert list(tmp_path.iterdir()) == []


def test_damage_that_shows_at_a_commit_is_corrupt_for_all_who_wait(tmp_path):
    class Damaged(Journal):
        def append(self, payload, now):
            if self.seq >= 1:
                raise self.store.damage("database disk image is malformed")
            return super().append(payload, now)

    rig = Rig(tmp_path, journal=Damaged)
    waiting = rig.send((1, Wait(9.0)))
    rig.turn()
    assert rig.ask(2, Add(1))[0].code == "corrupt"
    assert rig.replies[waiting][0][0].code == "corrupt"
    rig.monotonic_s += 10.0
    assert rig.ask(3, Add(1))[0].code == "corrupt"


# Bugs


def test_a_bug_is_answered_as_one_and_leaves_the_state_as_stored(rig):
    rig.ask(1, Add(5))
    (broken,) = rig.ask(2, Break())
    assert broken.code == "invariant_broken"
    assert "ZeroDivisionError: toy" in broken.message
    assert rig.mailbox.statistics.n_bugs == 1
    assert rig.ask(0, Ask()) == [Total(5, 0)]
    assert rig.state() == rig.stored()


def test_only_the_request_with_the_bug_suffers_from_it(rig):
    names = [rig.send((1, Add(1))), rig.send((2, Break())), rig.send((3, Add(2))), rig.send((0, Ask()))]
    while rig.turn() == 0.0:
        pass
    assert [rig.replies[name][0][0] for name in names[::2]] == [Total(1, 0), Total(3, 0)]
    assert rig.replies[names[1]][0][0].code == "invariant_broken"
    assert rig.replies[names[3]][0] == [Total(3, 0)]
    assert rig.mailbox.statistics.n_bugs == 2
    assert rig.state() == rig.stored()
    assert rig.mailbox.n_unanswered == 0


def test_calls_that_wait_inside_survive_a_bug(rig):
    waiting = rig.send((1, Wait(9.0)))
    rig.turn()
    rig.ask(2, Break())
    assert waiting not in rig.replies
    rig.ask(3, Add(4))
    assert rig.replies[waiting] == [[Total(4, 0)]]


def test_a_bug_in_the_batch_does_not_answer_its_waiting_calls_wrongly(rig):
    waiting = rig.send((1, Wait(9.0)))
    rig.send((2, Break()))
    while rig.turn() == 0.0:
        pass
    assert waiting not in rig.replies
    rig.ask(3, Add(4))
    assert rig.replies[waiting] == [[Total(4, 0)]]


def test_a_bug_that_needs_nobody_does_not_spin(rig, monkeypatch):
    rig.ask(1, Add(1))
    monkeypatch.setattr(Toy, "expire", lambda *_: 1 / 0)
    assert rig.turn() == 0.5
    assert rig.ask(2, Add(1))[0].code == "invariant_broken"
    assert rig.mailbox.statistics.n_bugs == 1
    assert rig.turn(after_s=0.5) == 0.5
    assert rig.mailbox.statistics.n_bugs == 2
    monkeypatch.undo()
    rig.monotonic_s += 0.5
    assert rig.ask(3, Add(1)) == [Total(2, 0)]


def test_bugs_one_after_the_other_wait_for_the_probe(rig):
    codes = [rig.ask(number, Break())[0].code for number in (1, 2, 3)]
    assert codes == ["invariant_broken"] * 3
    assert rig.mailbox.statistics.n_bugs == 2, "the third was refused without being run"
    rig.monotonic_s += 0.5
    assert rig.ask(4, Add(1)) == [Total(1, 0)]


# The real machine


class Field(Rig):
    """The field's mailbox, with two agents whose tokens are their first letter."""

    def __init__(self, folder, **limits):
        super().__init__(folder, machine=Coordination, **limits)

    def tell(self, session, number, command):
        """Deliver one command without a turn; returns its name."""
        self.n_sent += 1
        token = session[:1] * 16
        envelope = (session, token, number, 0, [], [COORDINATION_SCHEMA.wire_of(command)])
        self.deliver(encode_request([envelope]), self.n_sent)
        return self.n_sent

    def register(self, name, ttl_s=30.0):
        self.tell("", 0, Register(name, name[0] * 16, "", "heartbeat", ttl_s))
        self.turn()


def test_a_claim_survives_and_is_not_held_twice(tmp_path):
    rig = Field(tmp_path)

    def ask(session, number, command):
        name = rig.tell(session, number, command)
        rig.turn()
        return rig.replies[name][0][0] if name in rig.replies else None

    for name in ("ada", "bo"):
        rig.register(name)
    claim = Claim("home", ("a.py",), "exclusive", 0.0, "")
    granted = ask("ada#1", 1, claim)
    assert type(granted) is Granted
    waiting = claim._replace(wait_s=60.0)
    assert ask("bo#2", 1, waiting) is None
    rig.start()
    assert ask("ada#1", 1, claim) == granted
    assert ask("bo#2", 1, waiting) is None
    parked = rig.n_sent
    ask("ada#1", 2, Release("home", ("a.py",), 0, False))
    assert rig.replies[parked][0][0].generation == 2
    assert rig.state() == rig.stored()


def test_a_heartbeat_that_stands_behind_a_full_batch_counts(tmp_path):
    rig = Field(tmp_path, max_batch=1)
    rig.register("ada", ttl_s=1.0)
    rig.register("bo")
    for number, path in enumerate(("a.py", "b.py"), 1):
        rig.tell("bo#2", number, Claim("home", (path,), "exclusive", 0.0, ""))
    beat = rig.tell("ada#1", 0, Heartbeat(0))
    assert rig.turn(after_s=1.5) == 0.0
    assert rig.replies[beat] == [[Alive(1.0, (), ())]]
    assert rig.mailbox.n_queued == 1
