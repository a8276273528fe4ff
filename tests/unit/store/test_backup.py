"""A backup is one file with all stores, whole or not there, and it says when it is not what was written."""

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from actors.runtime.errors import Corrupt, Misuse
from actors.runtime.store import CommitFailed
from coordinator.store.backup import sha256_of, write_backup
from coordinator.store.backup_file import Backup

FIELD, QUALITY = "scent_field", "quality_store"


def backed_up(desk, path, **rest):
    return write_backup(path, desk.places(), namespace="ns", version="1.2", now_utc_s=1_000.0, **rest)


def machines(desk):
    return {place.domain: place.make_machine for place in desk.places()}


def change(file, sql, *parameters):
    connection = sqlite3.connect(file)
    assert connection.execute(sql, parameters).rowcount > 0
    connection.commit()
    connection.close()


@pytest.fixture
def full(desk):
    return desk("full").fill("a.py", "b.py", "c.py", fold_at=2).fill_quality()


def test_all_stores_of_the_namespace_are_in_one_private_file(full, tmp_path):
    report = backed_up(full, tmp_path / "x.backup")
    assert stat.S_IMODE(report.file.stat().st_mode) == 0o600
    assert (report.n_bytes, report.sha256) == (report.file.stat().st_size, sha256_of(report.file))
    manifest = Backup(report.file).manifest
    assert manifest == report.manifest
    assert (manifest.namespace, manifest.version, manifest.written_utc_s) == ("ns", "1.2", 1_000.0)
    quality, field = manifest.stores
    assert (field.domain, field.store_key, field.store_id) == (FIELD, "ns.scent_field", "id-scent_field")
    assert (field.epoch, field.seq, field.n_parts, field.n_rows) == (1, 4, 1, 2)
    assert (quality.domain, quality.seq, quality.n_parts, quality.n_rows) == (QUALITY, 1, 0, 1)


def test_a_backup_leaves_the_store_and_its_folder_as_they_were(full, tmp_path):
    before = {path: path.read_bytes() for path in full.folder.iterdir()}
    backed_up(full, tmp_path / "x.backup")
    assert {path: path.read_bytes() for path in full.folder.iterdir()} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full", "x.backup"]


def test_a_store_that_is_being_written_is_copied_as_of_one_moment(desk, tmp_path):
    full = desk("full").fill("a.py")
    journal = full.journal()
    state = full.state()
    from actors.runtime.machine import Now
    from actors.runtime.wire import pack
    from coordinator.store import backup as module

    copy = module.copy_store

    def copy_while_it_is_written(view, into, key, source, head):
        journal.append(pack([9.0, 109.0, []]), Now(9.0, 109.0))
        return copy(view, into, key, source, head)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "copy_store", copy_while_it_is_written)
        report = backed_up(full, tmp_path / "x.backup")
    assert (report.manifest.stores[0].seq, journal.seq) == (2, 3)
    assert full.state() == state
    Backup(report.file).check(machines(full))


def test_those_who_receive_are_copied_before_those_who_send(full, tmp_path, monkeypatch):
    from coordinator.store import backup as module

    order = []
    copy = module.copy_store
    monkeypatch.setattr(
        module, "copy_store", lambda view, into, key, **rest: (order.append(key), copy(view, into, key, **rest))[1]
    )
    backed_up(full, tmp_path / "x.backup")
    assert order == ["ns.scent_field", "ns.quality_store"]


def test_a_domain_that_nobody_has_written_to_is_named(desk, tmp_path):
    report = backed_up(desk("full").fill("a.py"), tmp_path / "x.backup")
    assert (report.empty, [one.domain for one in report.manifest.stores]) == ((QUALITY,), [FIELD])


def test_where_there_is_no_store_no_backup_is_written(desk, tmp_path):
    with pytest.raises(Misuse, match="there is nothing to back up: nobody has written to"):
        backed_up(desk("empty"), tmp_path / "x.backup")
    assert not (tmp_path / "x.backup").exists()


def test_a_file_of_that_name_is_kept_unless_it_may_be_replaced(full, tmp_path):
    target = tmp_path / "x.backup"
    target.write_text("mine")
    with pytest.raises(Misuse, match=r"x.backup is there already: give another name, or --replace"):
        backed_up(full, target)
    assert target.read_text() == "mine"
    backed_up(full, target, replace=True)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    Backup(target).check(machines(full))


@pytest.mark.parametrize("damaged", ["UPDATE journal SET payload = x'00' WHERE seq = 4", "DELETE FROM snapshot"])
def test_a_damaged_store_is_not_backed_up(full, tmp_path, damaged):
    full.close()
    change(full.folder / "scent_field.sqlite3", damaged)
    (tmp_path / "x.backup").write_text("the last good one")
    with pytest.raises(Corrupt, match=r"full/scent_field.sqlite3 .*is damaged"):
        backed_up(full, tmp_path / "x.backup", replace=True)
    assert (tmp_path / "x.backup").read_text() == "the last good one"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full", "x.backup"]


def test_a_folder_that_cannot_be_written_leaves_nothing(full, tmp_path):
    with pytest.raises(CommitFailed, match=r"cannot be written .*No such file or directory.*: nothing was done"):
        backed_up(full, tmp_path / "no" / "x.backup")


@pytest.mark.parametrize("step", ["write_manifest", "sha256_of", "sync", "_name_anew"])
def test_what_ends_half_way_never_has_the_name(full, tmp_path, monkeypatch, step):
    from coordinator.store import backup as module

    def fail(*_arguments, **_named):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, step, fail)
    with pytest.raises(CommitFailed, match="No space left on device"):
        backed_up(full, tmp_path / "x.backup")
    assert [path.name for path in tmp_path.iterdir()] == ["full"]


def test_on_a_file_system_without_links_the_name_is_not_given_twice(full, tmp_path, monkeypatch):
    def no_links(_self, _target):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    backed_up(full, tmp_path / "x.backup")
    Backup(tmp_path / "x.backup").check(machines(full))
    with pytest.raises(Misuse, match="is there already"):
        backed_up(full, tmp_path / "x.backup")


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("UPDATE journal SET payload = x'00' WHERE domain = 'ns.scent_field' AND seq = 3", "row 3 of 4 is damaged"),
        ("DELETE FROM journal WHERE domain = 'ns.quality_store'", "row 1 of 1 is missing"),
        ("UPDATE snapshot SET payload = x'00'", "part 0 of 1 of the snapshot at row 2 is damaged"),
        ("DELETE FROM snapshot_head", "row 1 of 4 is missing"),
        ("DELETE FROM head WHERE domain = 'ns.quality_store'", "its head is missing"),
        ("UPDATE head SET seq = 3 WHERE domain = 'ns.scent_field'", "its head is damaged"),
        ("UPDATE backup SET namespace = 'other'", "its manifest is damaged"),
        ("DELETE FROM backup", "its manifest is missing"),
        ("DELETE FROM backup_content WHERE domain = 'quality_store'", "its manifest is damaged"),
        ("UPDATE backup_content SET seq = 3", "its manifest is damaged"),
    ],
)
def test_a_backup_that_is_not_what_was_written_cannot_be_used(full, tmp_path, sql, named):
    file = backed_up(full, tmp_path / "x.backup").file
    change(file, sql)
    with pytest.raises(Corrupt, match=f"x.backup .*{named}|x.backup cannot be trusted: {named}") as refused:
        Backup(file).check(machines(full))
    assert "Take another backup" in str(refused.value)
    assert "--repair" not in str(refused.value)


def test_a_truncated_backup_cannot_be_used(full, tmp_path):
    file = backed_up(full, tmp_path / "x.backup").file
    for n_bytes in range(4_096, file.stat().st_size, 4_096):
        os.truncate(file, file.stat().st_size - 4_096)
        with pytest.raises(Corrupt):
            Backup(file).check(machines(full))
        assert n_bytes
    os.truncate(file, 0)
    with pytest.raises(Misuse, match="is no backup"):
        Backup(file)


@pytest.mark.parametrize("stride", [2_003, pytest.param(31, marks=pytest.mark.soak)])
def test_a_flipped_bit_in_a_backup_is_found_or_changes_nothing(full, tmp_path, stride):
    file = backed_up(full, tmp_path / "x.backup").file
    whole = file.read_bytes()
    stores = Backup(file).manifest
    n_found = 0
    for at in range(0, len(whole), stride):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        try:
            backup = Backup(file)
            backup.check(machines(full))
        except (Corrupt, Misuse, CommitFailed):
            n_found += 1
        else:
            assert backup.manifest == stores
    assert n_found >= 3


@pytest.mark.parametrize("content", [b"", b"nothing like a database " * 100])
def test_what_is_no_backup_is_said(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(Misuse, match=r"x is no backup: name a file that `scentfield backup` wrote"):
        Backup(tmp_path / "x")


def test_a_store_is_no_backup(full):
    full.close()
    with pytest.raises(Misuse, match=r"scent_field.sqlite3 is no backup"):
        Backup(full.folder / "scent_field.sqlite3")


def test_a_folder_is_no_backup(tmp_path):
    with pytest.raises(Misuse, match="there is no file"):
        Backup(tmp_path)


def test_a_backup_of_a_newer_version_is_refused(full, tmp_path):
    file = backed_up(full, tmp_path / "x.backup").file
    change(file, "UPDATE backup SET format = 2")
    with pytest.raises(Corrupt, match=r"x.backup has format 2, this version reads 1: use the version that wrote it"):
        Backup(file)


def test_a_backup_of_a_domain_that_is_not_known_is_refused(full, tmp_path):
    backup = Backup(backed_up(full, tmp_path / "x.backup").file)
    known = machines(full)
    del known[QUALITY]
    with pytest.raises(Misuse, match=r"'quality_store', which this version does not know: use version 1\.2"):
        backup.check(known)
