"""The journal on a real PostgreSQL server."""

import contextlib
import threading

import pytest
import sqlalchemy as sa

from actors.coordination.factory import make_coordination
from actors.runtime import postgresql as postgresql_store
from actors.runtime.compaction import compact
from actors.runtime.errors import Corrupt
from actors.runtime.journal import CommitFailed, Fenced, Journal, Store, create_store
from actors.runtime.kernel import Kernel
from actors.runtime.machine import Now
from actors.runtime.ownership import adopt
from actors.runtime.wire import pack

END_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND datname = current_database()
"""
NOW = Now(1.5, 1_000.25)
SECRET = "correct-horse"


OPEN = []


@pytest.fixture(autouse=True)
def _are_closed():
    yield
    while OPEN:
        OPEN.pop().close()


@pytest.fixture
def url(postgresql):
    return postgresql.url(postgresql.database())


def store_at(url, domain="scent_field"):
    OPEN.append(Store(url, domain))
    return OPEN[-1]


def opened(url, domain="scent_field", **rest):
    OPEN.append(Journal.open(store_at(url, domain), new_store_id="s1", **rest))
    return OPEN[-1]


def rows_of(url, after=0):
    with store_at(url).view() as view:
        return list(view.rows(after, view.head().seq))


def test_rows_and_clocks_come_back(url):
    journal = opened(url)
    assert journal.append(b"one\x00", NOW) == 1
    journal.tick(Now(2.5, 1_001.25))
    journal.close()
    again = opened(url)
    assert (again.seq, again.head.epoch, again.head.field_s, again.head.utc_s) == (1, 2, 2.5, 1_001.25)
    assert rows_of(url) == [(1, b"one\x00")]


def test_two_domains_share_a_database_and_do_not_meet(url):
    field, quality = opened(url), opened(url, domain="quality_store")
    field.append(b"field", NOW)
    assert quality.append(b"quality", NOW) == 1
    assert rows_of(url) == [(1, b"field")]


def test_a_stale_writer_is_fenced(url):
    stale, fresh = opened(url), opened(url)
    with pytest.raises(Fenced):
        stale.append(b"stale", NOW)
    assert fresh.append(b"fresh", NOW) == 1
    assert rows_of(url) == [(1, b"fresh")]


def test_a_lost_connection_is_a_failed_commit_and_the_store_opens_again(url):
    journal = opened(url)
    journal.append(b"one", NOW)
    with store_at(url).writing() as connection:
        connection.execute(sa.text(END_OTHERS))
    with pytest.raises(CommitFailed, match="it may be done or not, ask again"):
        journal.append(b"two", NOW)
    assert not journal.store.has_row(2, b"two")
    journal.close()
    again = opened(url, own_epoch=journal.head.epoch)
    assert again.append(b"two", NOW) == 2


def test_damage_is_corrupt(url):
    journal = opened(url)
    journal.append(b"one", NOW)
    with journal.store.writing() as connection:
        connection.execute(sa.text("UPDATE journal SET payload = 'x'"))
    with pytest.raises(Corrupt, match="row 1 of 1 is damaged"):
        rows_of(url)
    journal.close()


def test_a_store_that_is_not_the_one_on_record_is_corrupt(url):
    with pytest.raises(Corrupt, match="nothing is there"):
        opened(url, expected_store_id="s9")
    assert store_at(url).head() is None


def test_a_journal_is_folded_into_a_snapshot(url):
    journal = opened(url)
    for _ in range(3):
        journal.append(pack([1.0, 1.0, []]), NOW)
    assert compact(journal.store, Kernel(make_coordination()), run="r1") == 3
    with journal.store.view() as view:
        assert view.snapshot_seq() == 3
        assert list(view.rows(3, 3)) == []
    journal.close()


def test_a_row_that_others_have_locked_fails_the_commit_in_time_and_nothing_was_done(url):
    journal = opened(url + "&lock_timeout_s=0.2")
    with store_at(url).writing() as connection:
        connection.execute(sa.text("SELECT 1 FROM head FOR UPDATE"))
        with pytest.raises(CommitFailed, match=r"lock timeout.*: nothing was done"):
            journal.append(b"one", NOW)
    assert journal.append(b"one", NOW) == 1


def test_a_statement_that_takes_too_long_is_ended_by_the_server(url):
    with (
        pytest.raises(CommitFailed, match="statement timeout"),
        store_at(url + "&statement_timeout_s=0.2").writing() as connection,
    ):
        connection.execute(sa.text("SELECT pg_sleep(5)"))


@pytest.mark.parametrize(("default", "expected"), [("off", "on"), ("local", "on"), ("remote_apply", "remote_apply")])
def test_a_commit_is_on_the_disk_whatever_the_database_prefers(postgresql, default, expected):
    name = postgresql.database()
    postgresql.run(f"ALTER DATABASE {name} SET synchronous_commit = {default}")
    journal = opened(postgresql.url(name))
    assert journal._cursor.execute("SHOW synchronous_commit").fetchone() == (expected,)
    journal._driver.rollback()
    journal.append(b"one", NOW)
    assert journal._cursor.execute("SHOW synchronous_commit").fetchone() == (expected,)
    journal._driver.rollback()


def test_a_database_that_may_only_be_read_is_unavailable_and_not_corrupt(postgresql):
    name = postgresql.database()
    opened(postgresql.url(name)).close()
    postgresql.run(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    with pytest.raises(CommitFailed, match="read-only transaction"):
        opened(postgresql.url(name))


def test_a_user_who_may_not_write_is_unavailable(postgresql):
    name = postgresql.database()
    opened(postgresql.url(name)).close()
    postgresql.run("CREATE ROLE reader LOGIN")
    with pytest.raises(CommitFailed, match="permission denied"):
        opened(postgresql.url(name, user="reader"))


def test_a_table_that_is_gone_is_corrupt(postgresql):
    name = postgresql.database()
    journal = opened(postgresql.url(name))
    postgresql.run("DROP TABLE journal", name)
    with pytest.raises(Corrupt, match='"journal" does not exist'):
        journal.append(b"one", NOW)


def test_a_row_that_is_there_already_is_corrupt(url):
    journal = opened(url)
    with store_at(url).writing() as connection:
        connection.execute(sa.text("INSERT INTO journal VALUES ('scent_field', 1, 'x', 'x')"))
    with pytest.raises(Corrupt, match="duplicate key"):
        journal.append(b"one", NOW)


def test_many_who_create_a_store_at_once_all_find_the_same_one(url):
    found = []
    starting = threading.Barrier(6)

    def create(number):
        store = Store(url, f"domain{number % 2}")
        starting.wait()
        create_store(store, f"s{number}")
        found.append((number % 2, store.head().store_id))
        store.close()

    threads = [threading.Thread(target=create, args=[number]) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert len(set(found)) == 2


def test_of_many_who_adopt_a_store_at_once_one_is_its_owner(url):
    names = [f"owner{number}" for number in range(6)]
    starting = threading.Barrier(len(names))
    found = []

    def become(name):
        with contextlib.closing(Store(url, "scent_field")) as store:
            starting.wait()
            found.append(adopt(store, owner=name, new_store_id=name, recorded_store_id=None))

    threads = [threading.Thread(target=become, args=[name]) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(found), len(set(found))) == (6, 1)
    with store_at(url).view() as view:
        (owner,) = view._connection.execute(sa.text("SELECT owner FROM owner")).scalars()
    assert owner in names


def test_a_writer_that_stops_within_a_commit_is_ended_so_that_another_can_take_over(url, monkeypatch):
    monkeypatch.setattr(postgresql_store, "IDLE_WRITER_S", 0.3)
    paused = opened(url)
    paused._cursor.execute("SELECT 1 FROM head FOR UPDATE")
    fresh = opened(url)
    assert fresh.append(b"fresh", NOW) == 1
    with pytest.raises(CommitFailed, match="idle-in-transaction"):
        paused.append(b"stale", NOW)
    assert rows_of(url) == [(1, b"fresh")]


def test_a_server_shows_who_writes_and_only_them(url):
    assert store_at(url).writers() == []
    journal = opened(url)
    assert store_at(url, "quality_store").writers() == []
    (writer,) = store_at(url).writers()
    assert writer.endswith("for a client on 127.0.0.1")
    journal.close()
    assert store_at(url).writers() == []


def test_a_database_that_serializes_all_its_transactions_fails_commits_and_loses_none(postgresql):
    name = postgresql.database()
    postgresql.run(f"ALTER DATABASE {name} SET default_transaction_isolation = serializable")
    journal = opened(postgresql.url(name))
    with store_at(postgresql.url(name)).view() as view:
        assert view.head().seq == 0
        assert journal.append(b"one", NOW) == 1
        assert view.head().seq == 0
    with pytest.raises(Fenced):
        (opened(postgresql.url(name)), journal.append(b"two", NOW))


def test_a_wrong_password_is_unavailable_and_no_password_is_said(postgresql):
    name = postgresql.database()
    postgresql.run("DROP ROLE IF EXISTS locked")
    postgresql.run(f"CREATE ROLE locked SUPERUSER LOGIN PASSWORD '{SECRET}'")
    opened(postgresql.url(name, user=f"locked:{SECRET}")).close()
    opened(postgresql.url(name, user="locked", password=SECRET)).close()
    for url in (
        postgresql.url(name, user="locked:wrong-horse"),
        postgresql.url(name, user="locked", password="wrong-horse"),
    ):
        store = store_at(url)
        with pytest.raises(CommitFailed, match="password authentication failed") as refused:
            store.head()
        told = f"{refused.value} {refused.value.__cause__} {store.where} {store.engine!r}"
        assert "wrong-horse" not in told
