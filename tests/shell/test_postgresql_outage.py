"""A mailbox whose PostgreSQL server is killed, paused or cut off: nothing acknowledged is lost, nothing done twice."""

import contextlib
import threading
import time

import psycopg
import pytest

from actors.coordination.factory import make_coordination
from actors.coordination.messages import SCHEMA
from actors.runtime.journal import Fenced, Journal, Store
from actors.runtime.kernel import Kernel
from actors.runtime.mailbox import Mailbox
from actors.runtime.recovery import recover_into
from actors.runtime.settings import MailboxLimits
from actors.runtime.store_url import Patience
from actors.runtime.wire import Failed, decode_reply, encode_request
from actors.scent_field.messages import Claim, Granted
from actors.sessions.messages import Register, Registered

TOKEN = "a" * 16
DEADLINE_S = 60.0
PATIENCE = Patience(connect_s=2.0, statement_s=0.5, lock_s=0.3)


class Agent:
    """One agent and the mailbox it talks to; a request is sent again under its number until it has its answer."""

    def __init__(self, url):
        self.url = PATIENCE.on(url)
        self.epoch = None
        self.session, self.number = "", 0
        self.refusals = []
        self.mailbox = Mailbox(
            open_journal=self._open, make_machine=make_coordination, limits=MailboxLimits(probe_s=0.1)
        )
        self.mailbox.open()

    def _open(self, recover):
        store = Store(self.url, "scent_field")
        try:
            journal = Journal.open(store, new_store_id="s1", own_epoch=self.epoch, recover=recover)
        except BaseException:
            store.close()
            raise
        self.epoch = journal.head.epoch
        return journal

    def ask_once(self, command):
        """Its answer; a `Failed` with the code `unavailable` if the store did not take it."""
        received_through = max(0, self.number - 1)
        raw = encode_request([(self.session, TOKEN, self.number, received_through, [], [SCHEMA.wire_of(command)])])
        replies = []
        self.mailbox.deliver(raw, replies.append)
        until = time.monotonic() + DEADLINE_S
        while not replies:
            self.mailbox.turn(monotonic_s=time.monotonic(), wall_s=time.time())
            assert time.monotonic() < until
        ((answer,),) = decode_reply(replies[0], SCHEMA)
        return answer

    def ask(self, command):
        """Its answer, however often it has to be asked for."""
        self.number += bool(self.session)
        until = time.monotonic() + DEADLINE_S
        while isinstance(answer := self.ask_once(command), Failed) and answer.code == "unavailable":
            assert time.monotonic() < until, answer
            self.refusals.append(answer)
            time.sleep(0.02)  # a client waits before it asks again
        return answer

    def begin(self):
        registered = self.ask(Register("ada", TOKEN, "", "decay", 30.0))
        assert isinstance(registered, Registered)
        self.session, self.number = registered.session_id, 0
        return self

    def claim(self, path):
        return self.ask(Claim("home", (path,), "exclusive", 0.0, ""))

    def close(self):
        if self.mailbox.journal is not None:
            self.mailbox.journal.close()


@pytest.fixture
def agent(postgresql):
    with contextlib.closing(Agent(postgresql.url(postgresql.database()))) as one:
        yield one.begin()


def stored_claims(agent):
    """The paths that are claimed in the store, sorted; twice if they were claimed twice."""
    kernel = Kernel(make_coordination())
    with contextlib.closing(Store(agent.url, "scent_field")) as store:
        recover_into(kernel, store)
    kernel.check_invariants()
    return sorted(target for part in kernel.snapshot() if part[0] == "lease" for target in part[4])


def at_commit(journal, before=lambda: None, after=lambda: None):
    """Have something happen around the next commit, between what the driver sends and what it hears."""
    commit = journal._driver.commit

    def interrupted():
        journal._driver.commit = commit
        before()
        commit()
        after()

    journal._driver.commit = interrupted


def kill_and_start(postgresql, delays_s):
    for delay_s in delays_s:
        time.sleep(delay_s)  # anywhere within a commit, not a wait for something
        postgresql.kill()
        postgresql.start()


def test_a_server_that_is_killed_under_load_loses_nothing_that_was_acknowledged(agent, postgresql):
    acknowledged = []
    outages = threading.Thread(target=kill_and_start, args=[postgresql, (0.2, 0.33, 0.17)])
    outages.start()
    while outages.is_alive() or not acknowledged:
        acknowledged.append(f"{len(acknowledged)}.py")
        assert isinstance(agent.claim(acknowledged[-1]), Granted)
    outages.join()
    assert agent.refusals, "no kill was noticed"
    assert {one.code for one in agent.refusals} == {"unavailable"}
    assert stored_claims(agent) == sorted(acknowledged)
    assert isinstance(agent.claim("after.py"), Granted)
    assert agent.mailbox.trouble is None


def test_a_server_that_dies_before_the_commit_arrives_has_done_nothing(agent, postgresql):
    def die():
        postgresql.kill()
        postgresql.start()

    at_commit(agent.mailbox.journal, before=die)
    assert isinstance(agent.claim("a.py"), Granted)
    assert len(agent.refusals) == 1
    assert stored_claims(agent) == ["a.py"]


def test_a_commit_whose_confirmation_was_lost_is_found_in_the_store(agent, postgresql):
    def lose():
        postgresql.kill()
        postgresql.start()
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    at_commit(agent.mailbox.journal, after=lose)
    assert isinstance(agent.claim("a.py"), Granted)
    assert agent.refusals == [], "the store knew that it was done"
    assert isinstance(agent.claim("b.py"), Granted)
    assert stored_claims(agent) == ["a.py", "b.py"]


def test_a_connection_that_is_ended_is_made_anew(agent, postgresql):
    for path in ("a.py", "b.py"):
        postgresql.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        assert isinstance(agent.claim(path), Granted)
    assert {one.code for one in agent.refusals} == {"unavailable"}
    assert stored_claims(agent) == ["a.py", "b.py"]


def test_a_server_that_hangs_is_unavailable_within_the_stated_time(agent, postgresql):
    agent.number += 1
    with postgresql.paused():
        began = time.monotonic()
        failed = agent.ask_once(Claim("home", ("a.py",), "exclusive", 0.0, ""))
        took_s = time.monotonic() - began
        assert failed.code == "unavailable"
        assert "no answer within 1.5 s" in failed.message
        assert took_s < PATIENCE.longest_s == 5.0
        began = time.monotonic()
        agent.ask_once(Claim("home", ("a.py",), "exclusive", 0.0, ""))
        assert time.monotonic() - began < PATIENCE.longest_s
    agent.number -= 1
    assert isinstance(agent.claim("a.py"), Granted)
    assert stored_claims(agent) == ["a.py"]


def test_a_commit_that_a_hanging_server_does_later_is_done_once(agent, postgresql):
    """The server has all of the transaction but the confirmation's turn: it goes on when it wakes up."""
    number = agent.number = agent.number + 1
    command = Claim("home", ("a.py",), "exclusive", 0.0, "")
    with contextlib.ExitStack() as pause:
        at_commit(agent.mailbox.journal, before=lambda: pause.enter_context(postgresql.paused()))
        failed = agent.ask_once(command)
    assert (failed.code, "it may be done or not" in failed.message) == ("unavailable", True)
    agent.number = number - 1
    assert isinstance(agent.ask(command), Granted)
    assert stored_claims(agent) == ["a.py"]
    assert isinstance(agent.claim("a.py"), Granted)
    assert stored_claims(agent) == ["a.py"]


def test_of_two_mailboxes_over_an_outage_one_goes_on_and_the_other_is_fenced(agent, postgresql):
    twin = Agent(agent.url)
    twin.session, twin.number = agent.session, agent.number
    postgresql.kill()
    postgresql.start()
    assert isinstance(twin.claim("a.py"), Granted)
    with pytest.raises(Fenced, match="another writer has opened the store"):
        agent.claim("b.py")
    assert stored_claims(twin) == ["a.py"]
    twin.close()
