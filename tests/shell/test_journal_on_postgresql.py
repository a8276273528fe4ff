"""The journal on a real PostgreSQL server, started for these tests in a folder of its own."""

import os
import pwd
import shutil
import subprocess
from pathlib import Path

import pytest
import sqlalchemy as sa

from actors.coordination.factory import make_coordination
from actors.runtime.compaction import compact
from actors.runtime.errors import Corrupt
from actors.runtime.journal import CommitFailed, Fenced, Journal, Store
from actors.runtime.kernel import Kernel
from actors.runtime.machine import Now
from actors.runtime.wire import pack

END_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND datname = current_database()
"""
NOW = Now(1.5, 1_000.25)


def server_program(name):
    """The path of one of PostgreSQL's programs; Debian keeps them out of the search path."""
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    found = [str(place) for place in places] or [shutil.which(name)]
    if found[0] is None:
        pytest.skip("missing system package: postgresql")
    return found[0]


def run(folder, *command):
    """Run as somebody who is not root, which PostgreSQL refuses to be."""
    user = {}
    if os.geteuid() == 0:
        try:
            entry = pwd.getpwnam("postgres")
        except KeyError:
            pytest.skip("missing system package: postgresql")
        user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        os.chown(folder, entry.pw_uid, entry.pw_gid)
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, timeout=60, **user)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    pytest.importorskip("psycopg", reason="missing system package: postgresql")
    folder = tmp_path_factory.mktemp("pg")
    for parent in [folder, *folder.parents][:3]:
        parent.chmod(parent.stat().st_mode | 0o055)
    run(folder, server_program("initdb"), "-D", str(folder / "data"), "-A", "trust", "-U", "ada", "--no-sync")
    options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
    control = server_program("pg_ctl")
    run(folder, control, "-D", str(folder / "data"), "-w", "-l", str(folder / "log"), "-o", options, "start")
    yield folder
    run(folder, control, "-D", str(folder / "data"), "-m", "immediate", "stop")


@pytest.fixture
def url(server):
    name = f"x{os.urandom(6).hex()}"
    admin = sa.create_engine(f"postgresql+psycopg://ada@/postgres?host={server}", isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    admin.dispose()
    yield f"postgresql+psycopg://ada@/{name}?host={server}"
    while OPEN:
        OPEN.pop().close()


OPEN = []


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
    with pytest.raises(CommitFailed, match="nothing was done"):
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
