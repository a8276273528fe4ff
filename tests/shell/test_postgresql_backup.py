"""Backups between SQLite and PostgreSQL, by the command line: how a coordinator moves from one to the other."""

import json
import sqlite3
from contextlib import closing

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from actors.coordination.factory import make_coordination
from actors.coordination.messages import SCHEMA
from actors.runtime.compaction import compact
from actors.runtime.errors import Corrupt
from actors.runtime.journal import Fenced, Journal, Store, sqlite_url
from actors.runtime.kernel import Kernel
from actors.runtime.machine import Now
from actors.runtime.ownership import NotTheOwner, adopt, check_owner
from actors.runtime.recovery import recover_into
from actors.runtime.wire import pack, unpack
from actors.scent_field.messages import Claim
from actors.sessions.messages import Register
from coordinator.cli.invocation import Invocation
from coordinator.cli.main import app

TOKEN = "a-token-that-nobody-may-see"
KEY = "scentfield.scent_field"
NOW = Now(50.0, 500.0)


class NoHouse:
    """No cluster is known, and none is started."""

    def address(self, _settings):
        return None


class Place:
    """Where a coordinator keeps its state: a data folder, and perhaps a database."""

    def __init__(self, folder, url=None):
        self.folder, self.url = folder, url
        folder.mkdir(mode=0o700)

    def store(self):
        return closing(Store(self.url or sqlite_url(self.folder / "scent_field.sqlite3"), KEY))

    def fill(self, *paths, fold_at=0):
        kernel = Kernel(make_coordination())
        commands = [("", Register("ada", TOKEN, "", "heartbeat", 30.0))]
        commands += [("ada#1", Claim("home", (path,), "exclusive", 0.0, "x" * 100)) for path in paths]
        with self.store() as store, closing(Journal.open(store, new_store_id="s1")) as journal:
            for number, (session_id, command) in enumerate(commands):
                wire = pack([session_id, TOKEN, number, max(0, number - 1), [], [SCHEMA.wire_of(command)]])
                turn = kernel.turn([(number, unpack(wire))], Now(1.0, 1.0))
                journal.append(pack([1.0, 1.0, kernel.events.pack_form(turn.events)]), Now(1.0, 1.0))
                if journal.seq == fold_at:
                    compact(store, Kernel(make_coordination()), run="fold")
        return self

    def state(self):
        kernel = Kernel(make_coordination())
        with self.store() as store:
            head = recover_into(kernel, store).head
        return head.store_id, head.seq, list(kernel.snapshot())

    def run(self, *arguments, expect=0):
        settings = {"SCENTFIELD_STORE_URL": self.url, "SCENTFIELD_AGENT": None, "RAY_ADDRESS": None}
        given = ["--data-dir", str(self.folder), *arguments, "--json"]
        result = CliRunner(env=settings).invoke(app, given, obj=Invocation(NoHouse()))
        assert result.exit_code == expect, (result.output, result.exception)
        return result.stdout if arguments[0] == "export" else json.loads(result.stdout)


@pytest.fixture
def url(postgresql):
    return postgresql.url(postgresql.database())


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Place(tmp_path / "files").fill("a.py", "b.py", "c.py", fold_at=2)


@pytest.fixture
def served(tmp_path, monkeypatch, url):
    monkeypatch.chdir(tmp_path)
    return Place(tmp_path / "served", url).fill("a.py", "b.py", "c.py", fold_at=2)


def test_a_state_goes_from_files_to_a_server_and_back(files, tmp_path, url):
    there, back = Place(tmp_path / "there", url), Place(tmp_path / "back")
    files.run("backup", "x.backup")
    there.run("restore", "x.backup")
    assert there.state() == files.state()
    there.run("backup", "y.backup")
    back.run("restore", "y.backup")
    assert back.state() == files.state()
    assert back.run("export") == there.run("export") == files.run("export")
    with back.store() as store, closing(Journal.open(store, new_store_id="")) as journal:
        assert journal.append(b"x", NOW) == 5


def test_rows_on_a_server_are_not_replaced_unasked_and_then_kept_as_files(served, tmp_path):
    served.run("backup", "x.backup")
    before = served.state()
    with served.store() as store, closing(Journal.open(store, new_store_id="")) as journal:
        journal.append(pack([2.0, 2.0, []]), NOW)
    newer = served.state()
    served.run("restore", "x.backup", expect=2)
    assert served.state() == newer
    kept = served.run("restore", "x.backup", "--replace")["replaced"]
    assert served.state() == before
    old = Place(tmp_path / "old")
    old.folder = served.folder.parent / kept
    assert old.state() == newer
    old.run("backup", "kept.backup")
    served.run("restore", "kept.backup", "--replace")
    assert served.state() == newer


def test_damaged_rows_are_kept_as_they_are(served):
    served.run("backup", "x.backup")
    before = served.state()
    with served.store() as store, store.writing() as connection:
        connection.execute(sa.text("UPDATE journal SET payload = 'x' WHERE seq = 4"))
    kept = served.run("restore", "x.backup", "--replace")["replaced"]
    assert served.state() == before
    with closing(sqlite3.connect(f"{kept}/scent_field.sqlite3")) as connection:
        assert connection.execute("SELECT payload FROM journal WHERE seq = 4").fetchone() == (b"x",)
        assert connection.execute("SELECT count(*) FROM snapshot").fetchone() == (1,)


def test_a_restore_is_refused_while_somebody_writes_and_fences_who_was_missed(served, monkeypatch):
    served.run("backup", "x.backup")
    with served.store() as store, closing(Journal.open(store, new_store_id="")) as journal:
        adopt(store, owner="before", new_store_id="", recorded_store_id="s1")
        refused = served.run("restore", "x.backup", "--replace", expect=2)
        assert "is in use by server process" in refused["error"]["message"]
        monkeypatch.setattr(Store, "writers", lambda _self: [])
        served.run("restore", "x.backup", "--replace")
        with pytest.raises(Fenced):
            journal.append(b"x", NOW)
        with pytest.raises(NotTheOwner):
            check_owner(store, "before")
        assert adopt(store, owner="next", new_store_id="", recorded_store_id="s1") == "s1"
        assert store.head().epoch > journal.head.epoch


def test_a_restore_that_dies_half_way_has_done_nothing(served, postgresql, monkeypatch):
    from coordinator.store import restore

    served.run("backup", "x.backup")
    before = served.state()
    copy = restore._copy

    def dies(job, place, into):
        copy(job, place, into)
        postgresql.kill()
        postgresql.start()

    monkeypatch.setattr(restore, "_copy", dies)
    served.run("restore", "x.backup", "--replace", expect=4)
    assert served.state() == before


def test_a_backup_of_a_server_is_of_one_moment_and_does_not_stop_its_writer(served, monkeypatch):
    from coordinator.store import backup as module

    before = served.state()
    copy = module.copy_store
    with served.store() as store, closing(Journal.open(store, new_store_id="")) as journal:

        def copy_while_it_is_written(view, into, key, source, head):
            journal.append(pack([2.0, 2.0, []]), NOW)
            store.write_snapshot(5, iter([["x"]]), run="new")
            store.prune(5, run="new")
            return copy(view, into, key, source, head)

        monkeypatch.setattr(module, "copy_store", copy_while_it_is_written)
        served.run("backup", "x.backup")
    there = Place(served.folder.parent / "there")
    there.run("restore", "x.backup")
    assert there.state() == before


def test_a_store_of_a_server_is_looked_into_and_cut(served):
    with served.store() as store, store.writing() as connection:
        connection.execute(sa.text("UPDATE journal SET payload = 'x' WHERE seq = 4"))
    report = served.run("doctor", "--store", expect=5)["stores"][0]
    assert (report["state"], report["cut_at"]) == ("damaged", 3)
    served.run("doctor", "--store", "--repair", "--yes")
    assert served.state()[1] == 3


def test_a_store_on_a_server_that_is_away_is_unavailable_and_its_password_is_not_said(served, postgresql):
    served.url = f"postgresql://ada:correct-horse@127.0.0.1:{postgresql.port}/nothing"
    report = served.run("doctor", "--store", expect=4)
    assert report["stores"][0]["state"] == "unavailable"
    assert "correct-horse" not in json.dumps(report)
    assert "correct-horse" not in json.dumps(served.run("config"))
    served.url = f"postgresql://ada@127.0.0.1:{postgresql.port}/nothing?password=correct-horse"
    assert "correct-horse" not in json.dumps(served.run("doctor", "--store", expect=4))
    assert "correct-horse" not in json.dumps(served.run("config"))
    assert "correct-horse" not in json.dumps(served.run("backup", "x.backup", expect=4))


def test_what_a_compaction_frees_on_a_server_is_used_again(postgresql):
    """The server vacuums by itself, once a minute; here it is told to."""
    name = postgresql.database()
    sizes = []
    with closing(Store(postgresql.url(name), KEY)) as store, closing(Journal.open(store, new_store_id="s")) as journal:
        for _ in range(10):
            for _ in range(150):
                journal.append(pack([1.0, 1.0, []]), NOW)
            compact(store, Kernel(make_coordination()), run=f"r{journal.seq}")
            postgresql.run("VACUUM", name)
            (size,) = postgresql.run("SELECT sum(pg_total_relation_size(relid)) FROM pg_stat_user_tables", name)[0]
            sizes.append(int(size))
    assert max(sizes[3:]) <= 1.1 * max(sizes[:3]), sizes


def test_a_store_that_cannot_be_trusted_is_not_backed_up(served):
    with served.store() as store, store.writing() as connection:
        connection.execute(sa.text("DELETE FROM snapshot"))
    assert served.run("backup", "x.backup", expect=5)["error"]["code"] == Corrupt.code
