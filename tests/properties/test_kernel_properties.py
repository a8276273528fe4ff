"""Random histories of the real coordination machine in a real mailbox: the journal replayed is the state, always.

Between any two turns the process may die, the journal may be folded into a snapshot, and requests may arrive again.
"""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from actors.coordination.machine import Coordination
from actors.coordination.messages import SCHEMA, Heartbeat
from actors.runtime.compaction import compact
from actors.runtime.journal import Journal, Store, sqlite_url
from actors.runtime.kernel import Kernel
from actors.runtime.mailbox import Mailbox
from actors.runtime.settings import MailboxLimits
from actors.runtime.wire import BusyFor, Failed, decode_reply, encode_request
from actors.scent_field.limits import FieldLimits
from actors.scent_field.messages import (
    Claim,
    ClaimAny,
    ClaimEach,
    ForceRelease,
    Granted,
    LeaveSignal,
    Progress,
    Release,
    SetStrictness,
    Transfer,
    Watch,
)
from actors.sessions.messages import Goodbye, Register

MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # a disk would be waited for thousands of times
SOAK = settings.default.max_examples > 1_000
LIMITS = FieldLimits(lock_delay_s=2.0, idle_s=20.0)
NAMES = ("ada", "bo", "cy", "dee")

agents = st.sampled_from(NAMES)
targets = st.lists(
    st.sampled_from(["a.py", "b.py", "src/", "src/c.py", "src/*.py", "task:x", "./"]), min_size=1, max_size=3
)
modes = st.sampled_from(["exclusive", "exclusive", "shared"])
waits = st.sampled_from([0.0, 0.0, 3.0, 30.0])
home = st.just("home")
small = st.integers(0, 6)
mutations = st.one_of(
    st.builds(Claim, home, targets.map(tuple), modes, waits, st.just("")),
    st.builds(
        ClaimEach,
        home,
        st.lists(st.sampled_from(["a.py", "b.py", "src/c.py", "src/d.py", "src/"]), min_size=1, max_size=6).map(tuple),
        modes,
        st.just(""),
    ),
    st.builds(ClaimAny, home, targets.map(tuple), modes, waits, st.just("")),
    st.builds(Release, home, targets.map(tuple), st.just(0), st.booleans()),
    st.builds(Release, home, st.just(()), small, st.booleans()),
    st.builds(Transfer, home, small, st.sampled_from(["ada#1", "bo#2", "cy#3", "dee#4", "dee#5"]), st.just("")),
    st.builds(ForceRelease, home, targets.map(lambda some: some[0]), st.sampled_from(["", "why"]), st.booleans()),
    st.builds(Progress, home, targets.map(lambda some: some[0]), st.sampled_from([0.0, 0.3]), st.just(0.5)),
    st.builds(
        LeaveSignal, home, st.sampled_from(["AVOID", "HOT", "CLAIMED"]), targets.map(lambda some: some[0]), st.just(1.0)
    ),
    st.builds(SetStrictness, home, st.sampled_from(["observe", "deny", "?"])),
    st.builds(Goodbye),
)
requests = st.one_of(
    st.tuples(st.just("ask"), agents, st.lists(mutations, min_size=1, max_size=3)),
    st.tuples(st.just("ask"), agents, mutations.map(lambda one: [one])),
    st.tuples(st.just("again"), agents, st.integers(0, 3)),
    st.tuples(st.just("give_up"), agents, st.integers(0, 2)),
    st.tuples(st.just("alive"), agents, st.none()),
    st.tuples(st.just("watch"), agents, st.sampled_from([0.0, 5.0])),
    st.tuples(st.just("register"), agents, st.sampled_from(["heartbeat", "connection", "decay"])),
)
turns = st.tuples(st.lists(requests, max_size=4), st.sampled_from([0.0, 0.1, 1.0, 1.9]))
steps = st.lists(st.one_of(turns, turns, turns, st.just("crash"), st.just("compact"), st.just("pause")), max_size=25)


class QuickJournal(Journal):
    """A journal that does not wait for the disk: these tests end processes, not machines."""

    def __init__(self, store, head):
        super().__init__(store, head)
        self._cursor.execute("PRAGMA synchronous=OFF")


class Client:
    """One agent's side: numbers, what it has heard, what it gave up."""

    def __init__(self, name):
        self.name = name
        self.session = ""
        self.token = ""
        self.last = 0
        self.sent = {}
        self.heard = {}
        self.given_up = set()

    def received_through(self, number):
        silent = [one for one in range(1, number) if one not in self.heard]
        return min(silent, default=number) - 1


class World:
    """A mailbox on a store, four clients, and the machinery to kill and compact it."""

    def __init__(self, folder):
        self.url = sqlite_url(Path(folder) / "field.db")
        self.clients = {name: Client(name) for name in NAMES}
        self.monotonic_s = 10.0
        self.tokens = itertools.count(1)
        self.runs = itertools.count(1)
        self.slots = itertools.count(1)
        self.n_crashes = 0
        self.open()
        for name in NAMES:
            self.turn([("register", name, "heartbeat")], 0.0)

    def machine(self):
        return Coordination(LIMITS)

    def open(self):
        self.mailbox = Mailbox(open_journal=self.journal, make_machine=self.machine, limits=MailboxLimits())
        self.mailbox.open()
        assert self.mailbox.trouble is None

    def journal(self, recover):
        return QuickJournal.open(Store(self.url, "field"), new_store_id="s", recover=recover)

    def turn(self, asked, after_s):
        self.monotonic_s += after_s
        for request in asked:
            self.deliver(*request)
        wake_s = 0.0
        while wake_s == 0.0:
            wake_s = self.mailbox.turn(monotonic_s=self.monotonic_s, wall_s=5_000.0 + self.monotonic_s)
        assert self.mailbox.trouble is None
        assert self.mailbox.statistics.n_bugs == 0
        self.mailbox.kernel.check_invariants()

    def deliver(self, what, name, detail):
        client = self.clients[name]
        if what == "register":
            self.register(client, detail)
        elif what == "ask":
            client.last += 1
            client.sent[client.last] = detail
            self.request(client, client.last)
        elif what == "again" and client.last > detail:
            self.request(client, client.last - detail)
        elif what == "give_up" and client.last > detail:
            self.give_up(client, client.last - detail)
        elif what == "alive":
            self.send(client, 0, [Heartbeat(0)])
        elif what == "watch":
            self.send(client, 0, [Watch("home", 0, detail)])

    def register(self, client, kept_by):
        token = f"token-{next(self.tokens):010}"
        client.__init__(client.name)
        client.token = token

        def reply(raw):
            (answer,) = decode_reply(raw, SCHEMA)[0]
            client.session = answer.session_id

        self.mailbox.deliver(
            encode_request([("", "", 0, 0, [], [SCHEMA.wire_of(Register(client.name, token, "", kept_by, 3.0))])]),
            reply,
        )
        self.mailbox.turn(monotonic_s=self.monotonic_s, wall_s=5_000.0 + self.monotonic_s)
        assert client.session

    def give_up(self, client, number):
        client.given_up.add(number)
        self.send(client, 0, [Heartbeat(0)], abandoned=[number])

    def request(self, client, number):
        session, crashes = client.session, self.n_crashes

        def heard(answers):
            if client.session != session:
                return
            before = client.heard.get(number)
            if before is not None and before[1] == self.n_crashes and not lost(answers) and not lost(before[0]):
                assert answers == before[0], "a request has one answer"
            if not lost(answers):
                assert number not in client.given_up or number in client.heard or crashes != self.n_crashes
                client.heard.setdefault(number, (answers, self.n_crashes))

        self.send(client, number, client.sent[number], heard=heard)

    def send(self, client, number, commands, *, abandoned=(), heard=None):
        def reply(raw):
            answers = decode_reply(raw, SCHEMA)[0]
            assert len(answers) == len(commands)
            if heard is not None:
                heard(answers)

        received = client.received_through(number) if number else 0
        packed = [SCHEMA.wire_of(command) for command in commands]
        envelope = (client.session, client.token, number, received, list(abandoned), packed)
        self.mailbox.deliver(encode_request([envelope]), reply)

    def crash(self):
        self.n_crashes += 1
        self.mailbox.journal.close()
        self.open()

    def compact(self):
        store = Store(self.url, "field")
        compact(store, Kernel(self.machine()), run=f"r{next(self.runs)}")
        store.close()

    def pause(self):
        """The process stood still for an hour."""
        self.turn([], 3_600.0)

    def check_replay(self):
        """A second machine from the store has the state of the first."""
        self.mailbox.flush()
        twin = Mailbox(open_journal=self.journal, make_machine=self.machine, limits=MailboxLimits())
        twin.open()
        assert twin.trouble is None
        twin.journal.close()
        twin.kernel.check_invariants()
        assert collected(twin, self.mailbox.clock.field_s) == collected(self.mailbox, self.mailbox.clock.field_s)
        self.mailbox.journal.close()
        self.open()


def lost(answers):
    return any(type(answer) in (Failed, BusyFor) for answer in answers)


def collected(mailbox, field_s):
    mailbox.kernel.machine.field.collect(field_s)
    return list(mailbox.kernel.snapshot())


@settings(max_examples=2_000 if SOAK else 50)
@given(steps)
def test_the_journal_replayed_is_the_state(history):
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        world = World(folder)
        for step in history:
            if isinstance(step, str):
                getattr(world, step)()
            else:
                world.turn(*step)
        world.check_replay()
        world.mailbox.journal.close()


@settings(max_examples=500 if SOAK else 15)
@given(st.lists(turns, max_size=12), st.integers(1, 3))
def test_a_crash_between_any_two_turns_changes_nothing_that_was_answered(history, every):
    """Two worlds with one history, one of which dies all the time: whoever was granted a claim holds it in both."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as calm_folder, tempfile.TemporaryDirectory(dir=MEMORY) as wild_folder:
        calm, wild = World(calm_folder), World(wild_folder)
        for number, (asked, _) in enumerate(history):
            asked = [request for request in asked if request[0] in ("ask", "again", "give_up") and is_timeless(request)]
            calm.turn(asked, 0.0)
            calm.mailbox.flush()
            wild.turn(asked, 0.0)
            wild.mailbox.flush()
            if number % every == 0:
                wild.crash()
        assert holdings(calm) == holdings(wild)
        calm.mailbox.journal.close()
        wild.mailbox.journal.close()


def is_timeless(request):
    return request[0] != "ask" or all(getattr(one, "wait_s", 0.0) == 0.0 for one in request[2])


def holdings(world):
    """Every agent's grants, as it heard them."""
    return {
        name: [
            (number, answer.generation, answer.targets)
            for number, (answers, _) in sorted(client.heard.items())
            for answer in answers
            if type(answer) is Granted
        ]
        for name, client in world.clients.items()
    }
