"""What `doctor --store` finds in a damaged store, where it would cut it, and what a cut makes of it."""

import os
import sqlite3
from contextlib import closing

import pytest

from actors.runtime.errors import Corrupt, ScentfieldError
from actors.runtime.journal import Fenced
from actors.runtime.kernel import Kernel
from actors.runtime.machine import Now
from actors.runtime.recovery import recover_into
from coordinator.cli.store_check import compared, inspect_store, state_sha256

NOW = Now(50.0, 500.0)
PATHS = ("a.py", "b.py", "c.py", "d.py")


def inspected(desk):
    place = desk.places()[0]
    return inspect_store(place.domain, place.store, place.make_machine)


def change(desk, sql, *parameters):
    desk.close()
    connection = sqlite3.connect(desk.folder / "scent_field.sqlite3")
    assert connection.execute(sql, parameters).rowcount > 0
    connection.commit()
    connection.close()


def cut(desk, after):
    with closing(desk.store()) as store:
        return store.cut_after(after, new_store_id="new")


@pytest.fixture
def full(desk):
    """Rows 1 to 5; 1 and 2 are folded into a snapshot."""
    return desk("full").fill(*PATHS, fold_at=2)


def test_a_sound_store_says_what_is_in_it(full):
    report = inspected(full)
    assert (report.state, report.last_seq, report.snapshot_seq, report.n_rows) == ("sound", 5, 2, 3)
    kernel = Kernel(full.places()[0].make_machine())
    recover_into(kernel, full.store())
    assert report.state_sha256 == state_sha256(kernel)


def test_the_same_state_has_the_same_hash_however_it_is_stored(full, desk):
    assert inspected(full).state_sha256 == inspected(desk("rows").fill(*PATHS)).state_sha256
    assert inspected(full).state_sha256 != inspected(desk("other").fill("a.py")).state_sha256


@pytest.mark.parametrize(
    ("sql", "named", "cut_at", "n_lost"),
    [
        ("UPDATE journal SET payload = x'00' WHERE seq = 4", "row 4 of 5 is damaged", 3, 2),
        ("UPDATE journal SET checksum = x'00' WHERE seq = 5", "row 5 of 5 is damaged", 4, 1),
        ("DELETE FROM journal WHERE seq = 3", "row 3 of 5 is missing", 2, 3),
        ("DELETE FROM journal WHERE seq = 5", "row 5 of 5 is missing", 4, 1),
        ("DELETE FROM journal", "row 3 of 5 is missing", 2, 3),
        ("UPDATE journal SET domain = 'x' WHERE seq = 4", "row 4 of 5 is missing", 3, 2),
        ("UPDATE snapshot SET payload = x'90'", "part 0 of 1 of the snapshot at row 2 is damaged", None, 0),
        ("DELETE FROM snapshot", "part 0 of 1 of the snapshot at row 2 is damaged", None, 0),
        ("UPDATE snapshot_head SET n_parts = 2", "part 1 of 2 of the snapshot at row 2 is damaged", None, 0),
        ("UPDATE snapshot_head SET checksum = x'00'", "the head of the snapshot at row 2 is damaged", None, 0),
        ("DELETE FROM snapshot_head", "row 1 of 5 is missing", None, 0),
        ("UPDATE journal SET payload = 'text' WHERE seq = 4", "row 4 of 5 is damaged", 3, 2),
        ("UPDATE journal SET payload = CAST(x'ff' AS TEXT) WHERE seq = 4", "row 4 of 5 is damaged", 3, 2),
        ("UPDATE snapshot SET payload = 7", "part 0 of 1 of the snapshot at row 2 is damaged", None, 0),
        ("UPDATE snapshot_head SET run = CAST(x'ff' AS TEXT)", "part 0 of 1 of the snapshot", None, 0),
        ("UPDATE head SET epoch = 'x'", "its head is damaged", 5, 0),
        ("UPDATE head SET store_id = x'00', utc_s = 'x'", "its head is damaged", 5, 0),
        ("UPDATE head SET seq = 4", "its head is damaged", 5, 0),
        ("UPDATE head SET epoch = 0", "its head is damaged", 5, 0),
        ("UPDATE head SET checksum = x'00'", "its head is damaged", 5, 0),
        ("DELETE FROM head", "its head is missing, but there are rows in journal", 5, 0),
    ],
)
def test_damage_is_named_and_where_a_cut_helps_it_makes_a_sound_store(full, sql, named, cut_at, n_lost):
    before = inspected(full).state_sha256
    change(full, sql)
    report = inspected(full)
    assert (report.state, report.cut_at, report.n_lost) == ("damaged", cut_at, n_lost)
    assert named in report.what
    assert len(report.lost) == n_lost
    if cut_at is None:
        return
    cut(full, cut_at)
    mended = inspected(full)
    assert (mended.state, mended.last_seq) == ("sound", cut_at)
    assert (mended.state_sha256 == before) is (n_lost == 0)


def test_a_table_that_is_gone_is_damage(full):
    full.close()
    with closing(sqlite3.connect(full.folder / "scent_field.sqlite3")) as connection:
        connection.execute("DROP TABLE journal")
    assert (inspected(full).state, inspected(full).cut_at) == ("damaged", None)
    with pytest.raises(Corrupt, match="no such table: journal"):
        full.journal()


def test_a_deleted_snapshot_where_all_rows_are_left_costs_nothing(desk):
    """The start of the journal is the other way to the same state."""
    full = desk("full").fill(*PATHS)
    with closing(full.store()) as store:
        store.write_snapshot(5, iter([["nothing"]]), run="r")
    change(full, "DELETE FROM snapshot_head")
    assert inspected(full).state == "sound"


def test_a_head_that_is_made_anew_keeps_identity_and_clocks_and_fences_all_writers(full):
    stale = full.journal()
    stale.tick(Now(7.5, 200.0))
    with closing(full.store()) as store, store.writing() as connection:
        connection.exec_driver_sql("UPDATE head SET checksum = x'00'")
    cut(full, 5)
    head = full.store().head()
    assert (head.store_id, head.seq, head.field_s, head.utc_s) == ("id-scent_field", 5, 7.5, 200.0)
    with pytest.raises(Fenced):
        stale.append(b"x", NOW)
    assert full.journal().head.epoch > 2**40


@pytest.mark.parametrize("field_s", [1e300, -5.0, 5.0 + 86_401.0, 0.5])
def test_clocks_that_cannot_be_right_are_taken_from_the_last_row(full, field_s):
    change(full, "UPDATE head SET field_s = ?", field_s)
    cut(full, 5)
    assert full.store().head().field_s == 5.0


def test_a_store_without_its_head_gets_a_new_identity(full):
    change(full, "DELETE FROM head")
    assert inspected(full).needs_head
    cut(full, 5)
    assert full.store().head().store_id == "new"


def test_rows_after_the_last_committed_one_are_kept_or_cut_as_they_deserve(full):
    """A head that has fallen back, by a page that was restored from elsewhere: what follows it is good."""
    old = sqlite3.connect(full.folder / "scent_field.sqlite3").execute("SELECT * FROM head").fetchone()
    with closing(full.journal()) as journal:
        journal.append(b"\x93\x01\x01\x90", NOW)
    change(full, "DELETE FROM head")
    change(full, f"INSERT INTO head VALUES ({', '.join('?' * len(old))})", *old)
    report = inspected(full)
    assert (report.state, report.cut_at, report.n_lost, report.needs_head) == ("damaged", 6, 0, True)
    cut(full, 6)
    assert (inspected(full).state, inspected(full).last_seq) == ("sound", 6)


def test_a_row_that_cannot_be_applied_is_cut_with_all_after_it(full):
    from actors.runtime.wire import pack

    with closing(full.journal()) as journal:
        journal.append(pack([6.0, 105.0, [[101, ["nobody#9", "expired", 6.0]]]]), NOW)
        journal.append(pack([7.0, 106.0, []]), NOW)
    report = inspected(full)
    assert (report.state, report.cut_at, report.lost[0]) == ("damaged", 5, "row 6: SessionEnded(nobody#9, expired)")
    cut(full, 5)
    assert inspected(full).state == "sound"


def test_a_newer_store_is_not_damaged_and_is_not_cut(full):
    change(full, "UPDATE head SET format = 2")
    report = inspected(full)
    assert (report.state, report.cut_at) == ("newer", None)
    assert "has format 2, this version reads 1: use the version that wrote it" in report.what
    with pytest.raises(ScentfieldError, match="use the version that wrote it"):
        cut(full, 5)


def test_an_event_of_a_newer_version_is_not_damage(full):
    from actors.runtime.wire import pack

    with closing(full.journal()) as journal:
        journal.append(pack([6.0, 105.0, [[9_999, ["x"]]]]), NOW)
    report = inspected(full)
    assert (report.state, report.cut_at) == ("newer", None)
    assert "row 6 of the store" in report.what
    assert "an event 9999, which this version does not know: use the version that wrote it" in report.what


@pytest.mark.parametrize("content", [b"no database " * 1_000, b"SQLite format 3\x00" + b"\xff" * 9_000, b"x"])
def test_a_file_that_is_no_database_is_damaged_and_no_cut_helps(full, content):
    full.close()
    (full.folder / "scent_field.sqlite3").write_bytes(content)
    report = inspected(full)
    assert (report.state, report.cut_at) == ("damaged", None)
    assert (full.folder / "scent_field.sqlite3").read_bytes() == content


@pytest.mark.parametrize("n_bytes", [1, 99, 100, 511, 512, 1_000, 4_095, 5_000])
def test_what_is_left_of_a_file_is_not_taken_for_a_new_one(full, n_bytes):
    full.close()
    os.truncate(full.folder / "scent_field.sqlite3", n_bytes)
    assert (inspected(full).state, inspected(full).cut_at) == ("damaged", None)
    with pytest.raises(Corrupt):
        full.journal()
    full.close()
    assert (full.folder / "scent_field.sqlite3").stat().st_size == n_bytes


def test_an_empty_file_beside_a_log_is_not_taken_for_a_new_one(full):
    journal = full.journal()
    journal.append(b"\x93\x01\x01\x90", NOW)
    file, log = (full.folder / f"scent_field.sqlite3{end}" for end in ("", "-wal"))
    whole = log.read_bytes()
    full.close()
    os.truncate(file, 0)
    log.write_bytes(whole)
    assert "the file was cut short" in inspected(full).what
    with pytest.raises(Corrupt, match="the file was cut short"):
        full.journal()
    assert log.read_bytes() == whole


def test_a_file_that_was_cut_short_is_damaged_or_has_nothing(full):
    full.close()
    file = full.folder / "scent_field.sqlite3"
    sound = inspected(full)
    full.close()
    n_pages = file.stat().st_size // 4_096
    for n_left in reversed(range(n_pages)):
        os.truncate(file, n_left * 4_096)
        report = inspected(full)
        full.close()
        assert report.state == ("damaged" if n_left else "empty")
    assert (sound.state, n_pages > 8) == ("sound", True)


def test_a_torn_tail_of_the_log_gives_an_earlier_state_and_never_a_wrong_one(full, tmp_path, desk):
    """SQLite's log has checksums of its own: what is torn off was never there."""
    journal = full.journal()
    states = {2: None}
    copy = desk("copy")
    for number in range(6, 12):
        journal.append(b"\x93\x01\x01\x90", Now(float(number), 100.0 + number))
        states[number] = number
    main, log = (full.folder / f"scent_field.sqlite3{end}" for end in ("", "-wal"))
    whole = log.read_bytes()
    seen = set()
    for n_bytes in range(0, len(whole) + 1, 2_063):
        (copy.folder / main.name).write_bytes(main.read_bytes())
        (copy.folder / log.name).write_bytes(whole[:n_bytes])
        report = inspected(copy)
        copy.close()
        for beside in copy.folder.glob("*-*"):
            beside.unlink()
        assert report.state == "sound", (n_bytes, report.what)
        seen.add(report.last_seq)
    assert max(seen) in (10, 11)
    assert min(seen) == 5


@pytest.mark.parametrize("table", ["head", "journal", "snapshot", "snapshot_head"])
def test_a_flipped_bit_in_each_value_of_each_table_is_found(full, table):
    full.close()
    file = full.folder / "scent_field.sqlite3"
    sound = inspected(full)
    full.close()
    connection = sqlite3.connect(file)
    (row,) = connection.execute(f"SELECT * FROM {table} ORDER BY rowid DESC LIMIT 1").fetchall()
    connection.close()
    whole = file.read_bytes()
    for value in row:
        needle = value.encode() if isinstance(value, str) else value
        if not isinstance(needle, bytes):
            continue  # numbers are too short to be found in the file; the next test meets them
        at = whole.rindex(needle) + len(needle) // 2
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert inspected(full).state == "damaged", (value, sound)
        full.close()


@pytest.mark.parametrize("stride", [997, pytest.param(17, marks=pytest.mark.soak)])
def test_a_flipped_bit_anywhere_is_found_or_changes_nothing(full, stride):
    sound = inspected(full)
    full.close()
    file = full.folder / "scent_field.sqlite3"
    whole = file.read_bytes()
    n_found = 0
    for at in range(0, len(whole), stride):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :])
        report = inspected(full)
        full.close()
        for beside in full.folder.glob("*-*"):
            beside.unlink()
        if report.state == "sound":
            assert report.state_sha256 == sound.state_sha256, at
        else:
            n_found += 1
    assert n_found >= 3


@pytest.mark.parametrize(
    ("account", "named"),
    [
        ({"store_id": "another", "epoch": 1, "seq": 5}, "its actor has store_id 'another', the store 'id-scent_field'"),
        ({"store_id": "id-scent_field", "epoch": 9, "seq": 5}, "its actor has epoch 9, the store 1"),
        ({"store_id": "id-scent_field", "epoch": 1, "seq": 6}, "its actor has committed row 6, the store ends at 5"),
    ],
)
def test_an_actor_that_stands_elsewhere_than_its_store_is_found(full, account, named):
    report = compared(inspected(full), account, full.store().head())
    assert (report.state, named in report.what) == ("damaged", True)


@pytest.mark.parametrize("account", [{"store_id": "id-scent_field", "epoch": 1, "seq": 4}, {"seq": 5}, {"seq": None}])
def test_an_actor_that_stands_where_its_store_does_is_well(full, account):
    assert compared(inspected(full), account, full.store().head()).state == "sound"
