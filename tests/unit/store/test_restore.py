"""Restoring: all is checked first, what is replaced is kept, an old writer cannot go on, and `up` takes the store."""

import shutil
import sqlite3
import stat
from contextlib import closing

import pytest

from actors.runtime.errors import Corrupt, Misuse
from actors.runtime.journal import Fenced, Journal
from actors.runtime.machine import Now
from actors.runtime.ownership import NotTheOwner, adopt, check_owner
from actors.runtime.store import CommitFailed, Store, sqlite_url
from coordinator.store import restore as module
from coordinator.store.backup import write_backup
from coordinator.store.backup_file import Backup
from coordinator.store.restore import restore

FIELD, QUALITY = "scent_field", "quality_store"
NOW = Now(9.0, 109.0)


def backed_up(desk, path):
    return Backup(write_backup(path, desk.places(), namespace="ns", version="1", now_utc_s=1.0).file)


def restored(desk, backup, aside, *, may_replace=False):
    return restore(backup, desk.places(), aside=aside, may_replace=may_replace)


@pytest.fixture
def full(desk):
    return desk("full").fill("a.py", "b.py", "c.py", fold_at=2).fill_quality()


@pytest.fixture
def backup(full, tmp_path):
    return backed_up(full, tmp_path / "x.backup")


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_a_restored_store_has_the_same_state_and_identity(full, backup, desk, tmp_path):
    new = desk("new")
    done = restored(new, backup, tmp_path / "aside")
    assert (done.store_ids, done.kept) == ({FIELD: "id-scent_field", QUALITY: "id-quality_store"}, None)
    assert new.state() == full.state()
    head = new.store().head()
    assert (head.store_id, head.epoch, head.seq, head.field_s, head.utc_s) == ("id-scent_field", 2, 4, 4.0, 103.0)
    assert [path.name for path in sorted(new.folder.iterdir())] == ["quality_store.sqlite3", "scent_field.sqlite3"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in new.folder.iterdir()} == {0o600}
    assert new.journal().append(b"x", NOW) == 5


def test_a_restored_store_is_synced_and_logged_as_others_are(backup, desk, tmp_path):
    new = desk("new")
    restored(new, backup, tmp_path / "aside")
    journal = new.journal()
    journal.append(b"x", NOW)
    assert journal._cursor.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_it_may_go_to_another_namespace(full, backup, desk, tmp_path):
    new = desk("new", namespace="other")
    restored(new, backup, tmp_path / "aside")
    assert new.store().domain == "other.scent_field"
    assert new.state() == full.state()


def test_a_backup_of_what_was_restored_holds_the_same(full, backup, desk, tmp_path):
    new = desk("new")
    restored(new, backup, tmp_path / "aside")
    again = backed_up(new, tmp_path / "y.backup")
    for one, other in zip(backup.manifest.stores, again.manifest.stores, strict=True):
        assert (one.domain, one.store_id, one.seq, one.n_rows) == (
            other.domain,
            other.store_id,
            other.seq,
            other.n_rows,
        )


def test_stores_that_are_there_are_not_replaced_unasked(full, backup, tmp_path):
    full.close()
    before = contents(full.folder)
    with pytest.raises(Misuse, match=r"there are stores already \(.*scent_field.sqlite3.*: --replace puts them aside"):
        restored(full, backup, tmp_path / "aside")
    full.close()
    assert contents(full.folder) == before
    assert not (tmp_path / "aside").exists()


def test_what_is_replaced_is_kept_and_can_be_brought_back(full, backup, desk, tmp_path):
    with closing(full.journal()) as journal:
        journal.append(b"\x93\x01\x01\x90", NOW)
    newer = full.state()
    done = restored(full, backup, tmp_path / "aside", may_replace=True)
    assert done.kept == tmp_path / "aside"
    assert stat.S_IMODE(done.kept.stat().st_mode) == 0o700
    assert [path.name for path in sorted(done.kept.iterdir())] == ["quality_store.sqlite3", "scent_field.sqlite3"]
    assert full.store().head().seq == 4
    kept = desk("kept")
    shutil.copy(done.kept / "scent_field.sqlite3", kept.folder)
    assert (kept.store().head().seq, kept.state()) == (5, newer)


def test_a_writer_of_before_cannot_go_on(full, backup, tmp_path):
    """Files: it writes to the one that was put aside, which has a newer epoch now."""
    stale = full.journal()
    restored(full, backup, tmp_path / "aside", may_replace=True)
    with pytest.raises(Fenced):
        stale.append(b"x", NOW)
    with pytest.raises(Fenced):
        Journal.open(full.store(), new_store_id="", own_epoch=stale.head.epoch)
    assert full.store().head().epoch > stale.head.epoch


def test_an_actor_of_before_stands_back_and_the_next_up_takes_the_store(full, backup, tmp_path):
    adopt(full.store(), owner="before", new_store_id="", recorded_store_id="id-scent_field")
    restored(full, backup, tmp_path / "aside", may_replace=True)
    with pytest.raises(NotTheOwner):
        check_owner(full.store(), "before")
    found = adopt(full.store(), owner="next", new_store_id="", recorded_store_id="id-scent_field")
    check_owner(full.store(), "next")
    assert found == "id-scent_field"


def test_a_damaged_store_is_put_aside_as_it_is_with_its_log(full, backup, tmp_path, monkeypatch):
    full.close()
    file = full.folder / "scent_field.sqlite3"
    file.write_bytes(b"no database " * 1_000)
    state = backed_up_state(backup)
    make = module.private_folder

    def make_and_leave_a_log(path):  # SQLite takes away one that it can make nothing of, unless it is there too late
        file.with_name("scent_field.sqlite3-wal").write_bytes(b"nor a log of one")
        return make(path)

    monkeypatch.setattr(module, "private_folder", make_and_leave_a_log)
    restored(full, backup, tmp_path / "aside", may_replace=True)
    assert (tmp_path / "aside" / "scent_field.sqlite3").read_bytes() == b"no database " * 1_000
    assert (tmp_path / "aside" / "scent_field.sqlite3-wal").read_bytes() == b"nor a log of one"
    assert not file.with_name("scent_field.sqlite3-wal").exists()
    assert full.store().head().seq == 4
    assert full.state() == state


def backed_up_state(backup):
    from actors.coordination.factory import make_coordination
    from actors.runtime.kernel import Kernel
    from actors.runtime.recovery import recover_into

    kernel = Kernel(make_coordination())
    with closing(backup.store("ns.scent_field")) as store:
        recover_into(kernel, store)
    return list(kernel.snapshot())


def test_a_store_with_a_damaged_row_still_says_its_epoch(full, backup, tmp_path):
    for _ in range(3):
        full.journal().close()
    full.close()
    connection = sqlite3.connect(full.folder / "scent_field.sqlite3")
    connection.execute("UPDATE head SET checksum = x'00'")
    connection.commit()
    connection.close()
    restored(full, backup, tmp_path / "aside", may_replace=True)
    assert full.store().head().epoch == 5


def test_a_domain_that_the_backup_does_not_have_is_put_aside_too(desk, tmp_path):
    backup = backed_up(desk("old").fill("a.py"), tmp_path / "x.backup")
    full = desk("full").fill("b.py").fill_quality()
    done = restored(full, backup, tmp_path / "aside", may_replace=True)
    assert done.store_ids == {FIELD: "id-scent_field", QUALITY: None}
    assert full.store(QUALITY).head() is None
    assert (tmp_path / "aside" / "quality_store.sqlite3").exists()


def test_a_backup_that_cannot_be_used_changes_nothing(full, backup, tmp_path):
    connection = sqlite3.connect(backup.file)
    connection.execute("UPDATE journal SET payload = x'00' WHERE domain = 'ns.quality_store'")
    connection.commit()
    connection.close()
    full.close()
    before = contents(full.folder)
    with pytest.raises(Corrupt, match="row 1 of 1 is damaged"):
        restored(full, backup, tmp_path / "aside", may_replace=True)
    assert contents(full.folder) == before
    assert not (tmp_path / "aside").exists()


class PoweredOff(BaseException):
    pass


@pytest.mark.parametrize("n_steps", range(9))
def test_a_restore_that_is_broken_off_leaves_each_store_old_or_new_and_can_be_repeated(
    full, backup, tmp_path, monkeypatch, n_steps
):
    with closing(full.journal()) as journal:
        journal.append(b"\x93\x01\x01\x90", NOW)
    full.close()
    left = [n_steps]

    def sync(_path):
        if left[0] == 0:
            raise PoweredOff
        left[0] -= 1

    with monkeypatch.context() as patch:
        patch.setattr(module, "sync", sync)
        try:
            restored(full, backup, tmp_path / "aside", may_replace=True)
        except PoweredOff:
            pass
        else:
            assert n_steps > 4
    full.close()
    assert full.store().head().seq in (4, 5)
    assert full.store(QUALITY).head().seq == 1
    restored(full, backup, tmp_path / "again", may_replace=True)
    assert full.store().head().seq == 4
    full.state()


def test_a_full_disk_is_said_and_the_stores_are_as_they_were(full, backup, tmp_path, monkeypatch):
    full.close()
    before = contents(full.folder)

    def is_full(_path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "sync", is_full)
    with pytest.raises(CommitFailed, match=r"x.backup is not restored \(.*No space left"):
        restored(full, backup, tmp_path / "aside", may_replace=True)
    assert contents(full.folder) == before


def test_a_folder_that_is_not_there_is_made_for_this_user_only(backup, desk, tmp_path):
    new = desk("new")
    new.folder = tmp_path / "new" / "deeper" / "still"
    restored(new, backup, tmp_path / "aside")
    assert stat.S_IMODE(new.folder.stat().st_mode) == 0o700
    assert Store(sqlite_url(new.folder / "scent_field.sqlite3"), "ns.scent_field").head().seq == 4
