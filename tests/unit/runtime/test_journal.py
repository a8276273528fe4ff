import sqlite3
import stat
import subprocess
import sys

import pytest
import sqlalchemy as sa

from actors.runtime.errors import Corrupt, Misuse
from actors.runtime.journal import CommitFailed, Fenced, Journal, Store, sqlite_url
from actors.runtime.machine import Now

NOW = Now(1.5, 1_000.25)


def store_in(folder, **rest):
    return Store(sqlite_url(folder / "field.db"), "scent_field", **rest)


def opened(folder, **rest):
    return Journal.open(store_in(folder), new_store_id="s1", **rest)


def filled(folder, *payloads):
    """The file of a store with these rows, closed."""
    journal = opened(folder)
    for payload in payloads:
        journal.append(payload, NOW)
    journal.close()
    return folder / "field.db"


def rows_of(folder, after=0):
    with store_in(folder).view() as view:
        return list(view.rows(after, view.head().seq))


def change(file, sql, *parameters):
    connection = sqlite3.connect(file)
    assert connection.execute(sql, parameters).rowcount > 0
    connection.commit()
    connection.close()


def read_all(store):
    with store.view() as view:
        head = view.head()
        seq, parts = view.snapshot_parts()
        list(parts)
        list(view.rows(seq, head.seq))
    return head


def assert_corrupt_and_untouched(folder, named, **rest):
    file = folder / "field.db"
    before = file.read_bytes()
    with pytest.raises(Corrupt, match=named) as refused:
        opened(folder, recover=read_all, **rest)
    assert str(file) in str(refused.value)
    assert file.read_bytes() == before
    return str(refused.value)


def test_what_was_committed_is_there_after_reopening(tmp_path):
    journal = opened(tmp_path)
    assert journal.append(b"one", Now(1.0, 10.0)) == 1
    assert journal.append(b"two", NOW) == 2
    journal.close()
    assert rows_of(tmp_path) == [(1, b"one"), (2, b"two")]
    again = opened(tmp_path)
    assert (again.seq, again.head.field_s, again.head.utc_s) == (2, 1.5, 1_000.25)
    assert again.append(b"three", NOW) == 3
    assert rows_of(tmp_path, after=2) == [(3, b"three")]


def test_clocks_are_committed_alone(tmp_path):
    journal = opened(tmp_path)
    journal.tick(Now(7.0, 70.0))
    journal.close()
    head = store_in(tmp_path).head()
    assert (head.seq, head.field_s, head.utc_s) == (0, 7.0, 70.0)


def test_each_opening_raises_the_epoch_and_keeps_the_identity(tmp_path):
    first = opened(tmp_path)
    assert (first.head.epoch, first.head.store_id) == (1, "s1")
    first.close()
    second = Journal.open(store_in(tmp_path), new_store_id="other")
    assert (second.head.epoch, second.head.store_id) == (2, "s1")


def test_a_stale_writer_is_fenced_and_its_row_is_not_there(tmp_path):
    stale = opened(tmp_path)
    stale.append(b"mine", NOW)
    fresh = opened(tmp_path)
    with pytest.raises(Fenced, match="epoch 1 is over"):
        stale.append(b"stale", NOW)
    with pytest.raises(Fenced):
        stale.tick(Now(99.0, 99.0))
    assert fresh.append(b"fresh", NOW) == 2
    assert rows_of(tmp_path) == [(1, b"mine"), (2, b"fresh")]


def test_a_writer_that_opens_again_is_fenced_if_another_has_opened_meanwhile(tmp_path):
    first = opened(tmp_path)
    assert opened(tmp_path, own_epoch=first.head.epoch).head.epoch == 2
    with pytest.raises(Fenced, match="epoch 1 is over"):
        opened(tmp_path, own_epoch=1)


def test_the_state_is_read_again_if_somebody_commits_before_the_epoch_is_raised(tmp_path):
    other = opened(tmp_path)
    seen = []

    def recover(store):
        head = read_all(store)
        seen.append(head.seq)
        if len(seen) < 3:
            other.append(b"late", NOW)
        return head

    assert opened(tmp_path, recover=recover).seq == 2
    assert seen == [0, 1, 2]


def test_a_store_that_another_process_keeps_writing_is_not_taken(tmp_path):
    other = opened(tmp_path)

    def recover(store):
        head = read_all(store)
        other.tick(Now(head.field_s + 1.0, 0.0))
        return head

    with pytest.raises(CommitFailed, match="is being written by another process"):
        opened(tmp_path, recover=recover)
    assert other.append(b"still mine", NOW) == 1


def test_commits_are_synced_in_full(tmp_path):
    journal = opened(tmp_path)
    journal.append(b"x", NOW)
    assert journal._cursor.execute("PRAGMA synchronous").fetchone() == (2,)
    assert journal._cursor.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_files_and_folders_are_private(tmp_path):
    folder = tmp_path / "state" / "space"
    journal = opened(folder)
    journal.append(b"x", NOW)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "state").rglob("*")}
    assert modes == {"space": 0o700, "field.db": 0o600, "field.db-wal": 0o600, "field.db-shm": 0o600}
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700


def test_a_path_may_have_any_characters(tmp_path):
    folder = tmp_path / "a b?c#d%20é"
    filled(folder, b"x")
    assert rows_of(folder) == [(1, b"x")]


def test_reading_a_store_creates_nothing(tmp_path):
    assert store_in(tmp_path).head() is None
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "field.db").touch()
    assert store_in(tmp_path).head() is None
    assert (tmp_path / "field.db").read_bytes() == b""


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("UPDATE journal SET payload = x'00' WHERE seq = 1", "row 1 of 3 is damaged"),
        ("UPDATE journal SET payload = x'00' WHERE seq = 3", "row 3 of 3 is damaged"),
        ("UPDATE journal SET checksum = x'00' WHERE seq = 2", "row 2 of 3 is damaged"),
        ("DELETE FROM journal WHERE seq = 1", "row 1 of 3 is missing"),
        ("DELETE FROM journal WHERE seq = 2", "row 2 of 3 is missing"),
        ("DELETE FROM journal WHERE seq = 3", "row 3 of 3 is missing"),
        ("DELETE FROM journal", "row 1 of 3 is missing"),
        ("UPDATE head SET seq = 2", "its head is damaged"),
        ("UPDATE head SET field_s = 1e9", "its head is damaged"),
        ("UPDATE head SET epoch = 0", "its head is damaged"),
        ("UPDATE head SET store_id = 's2'", "its head is damaged"),
        ("DELETE FROM head", "its head is missing, but there are rows in journal"),
        ("UPDATE journal SET seq = 4 WHERE seq = 3", "there is a row 4 after the last committed one, 3"),
    ],
)
def test_damage_is_corrupt_and_stays_as_it_is(tmp_path, sql, named):
    change(filled(tmp_path, b"one", b"two", b"three"), sql)
    message = assert_corrupt_and_untouched(tmp_path, named)
    assert "Nothing was changed" in message
    assert "`scentfield doctor --store --repair` cuts it there" in message


def test_two_rows_that_changed_places_are_damage(tmp_path):
    file = filled(tmp_path, b"one", b"two")
    change(file, "UPDATE journal SET seq = 3 - seq + 10")
    change(file, "UPDATE journal SET seq = seq - 10")
    assert_corrupt_and_untouched(tmp_path, "row 1 of 2 is damaged")


def test_a_flipped_byte_in_the_file_is_never_read_over(tmp_path):
    file = filled(tmp_path, b"needle" * 100)
    content = bytearray(file.read_bytes())
    content[content.index(b"needle") + 3] ^= 1
    file.write_bytes(content)
    assert_corrupt_and_untouched(tmp_path, "row 1 of 1 is damaged")


@pytest.mark.parametrize("content", [b"this is no database at all, " * 100, b"SQLite format 3\x00" + b"\xff" * 5_000])
def test_a_file_that_is_no_database_is_corrupt(tmp_path, content):
    (tmp_path / "field.db").write_bytes(content)
    assert_corrupt_and_untouched(tmp_path, "cannot be trusted")


def test_a_torn_page_is_corrupt(tmp_path):
    file = filled(tmp_path, *(b"x" * 3_000 for _ in range(20)))
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    file.write_bytes(content)
    assert_corrupt_and_untouched(tmp_path, "cannot be trusted")


def seen_by_another_process(file):
    """The numbers of the rows, as a process sees them that opens the file, looks, and closes it."""
    look = "import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute('SELECT seq FROM journal ORDER BY seq'))"
    ended = subprocess.run([sys.executable, "-c", look, str(file)], capture_output=True, text=True, check=True)
    return ended.stdout.split()


def test_a_look_from_another_process_after_a_proof_takes_no_log_away(tmp_path):
    journal = opened(tmp_path)
    journal.append(b"one", NOW)
    journal.prove(NOW)
    log = tmp_path / "field.db-wal"
    kept = log.stat().st_ino
    assert seen_by_another_process(tmp_path / "field.db") == ["(1,)"]
    assert log.is_file()
    assert log.stat().st_ino == kept
    journal.append(b"two", NOW)
    journal.prove(NOW)
    assert seen_by_another_process(tmp_path / "field.db") == ["(1,)", "(2,)"]
    journal.close()


def test_a_folder_in_place_of_the_file_is_corrupt(tmp_path):
    (tmp_path / "field.db").mkdir()
    with pytest.raises(Corrupt, match=r"field.db .*cannot be opened \(Is a directory\)"):
        opened(tmp_path)
    assert list((tmp_path / "field.db").iterdir()) == []


def test_a_file_that_this_user_may_not_write_is_corrupt(tmp_path, monkeypatch):
    filled(tmp_path, b"one")
    with monkeypatch.context() as patched:
        patched.setattr("os.access", lambda *_args, **_rest: False)  # as it is for all but root, who may write any file
        assert_corrupt_and_untouched(tmp_path, r"cannot be opened \(Permission denied\)")
    assert rows_of(tmp_path) == [(1, b"one")]


def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CommitFailed, match="cannot be created"):
        opened(tmp_path / "file" / "deeper")


def test_an_absent_store_that_the_cluster_has_on_record_is_not_created(tmp_path):
    with pytest.raises(Corrupt, match=r"in store s9, but at .* nothing is there\. It does not start empty"):
        opened(tmp_path / "new", expected_store_id="s9")
    assert list(tmp_path.iterdir()) == []


def test_another_store_than_the_one_on_record_is_not_touched(tmp_path):
    filled(tmp_path, b"one")
    assert_corrupt_and_untouched(tmp_path, "in store s9, but at .* store s1 is there", expected_store_id="s9")
    assert opened(tmp_path, expected_store_id="s1").seq == 1


def test_a_newer_format_is_refused(tmp_path):
    change(filled(tmp_path, b"one"), "UPDATE head SET format = 2")
    assert_corrupt_and_untouched(tmp_path, "has format 2, this version reads 1: use the version that wrote it")


def full_disk(journal, n_more_pages):
    """Let the file grow by so many pages only; `None` takes the limit away."""
    if n_more_pages is None:
        journal._cursor.execute("PRAGMA max_page_count = 1073741823")
    else:
        (n_pages,) = journal._cursor.execute("PRAGMA page_count").fetchone()
        journal._cursor.execute(f"PRAGMA max_page_count = {n_pages + n_more_pages}")


def test_a_full_disk_fails_the_commit_and_nothing_of_it_stays(tmp_path):
    journal = opened(tmp_path)
    journal.append(b"one", NOW)
    full_disk(journal, 2)
    with pytest.raises(CommitFailed, match=r"does not answer \(database or disk is full\): nothing was done"):
        journal.append(b"x" * 100_000, NOW)
    assert rows_of(tmp_path) == [(1, b"one")]
    full_disk(journal, None)
    assert journal.append(b"y" * 100_000, NOW) == 2
    assert rows_of(tmp_path, after=1) == [(2, b"y" * 100_000)]


LOCKER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
sys.stdin.read()
"""


def test_a_file_locked_by_another_process_fails_the_commit_after_the_timeout(tmp_path):
    file = filled(tmp_path)
    journal = Journal.open(store_in(tmp_path, busy_timeout_s=0.05), new_store_id="s1")
    locker = subprocess.Popen(
        [sys.executable, "-c", LOCKER, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert locker.stdout.readline() == "locked\n"
    with pytest.raises(CommitFailed, match="database is locked"):
        journal.append(b"x", NOW)
    locker.communicate()
    assert journal.append(b"x", NOW) == 1


def test_the_store_tells_whether_a_row_landed(tmp_path):
    journal = opened(tmp_path)
    journal.append(b"one", NOW)
    assert journal.store.has_row(1, b"one")
    assert not journal.store.has_row(1, b"two")
    assert not journal.store.has_row(2, b"one")


# Snapshots


def snapshot(store, seq, *parts, run="r1"):
    return store.write_snapshot(seq, iter([list(part) for part in parts]), run=run)


def parts_of(store):
    with store.view() as view:
        seq, parts = view.snapshot_parts()
        return seq, list(parts)


def test_a_snapshot_replaces_the_rows_before_it(tmp_path):
    journal = opened(tmp_path)
    for payload in (b"one", b"two", b"three"):
        journal.append(payload, NOW)
    assert snapshot(journal.store, 2, ("state", 2))
    journal.store.prune(2, run="r1")
    assert parts_of(journal.store) == (2, [["state", 2]])
    assert rows_of(tmp_path, after=2) == [(3, b"three")]
    with pytest.raises(Corrupt, match="row 1 of 3 is missing"):
        rows_of(tmp_path)


def test_a_large_snapshot_is_cut_into_parts_and_comes_back_whole(tmp_path):
    journal = opened(tmp_path)
    journal.append(b"x", NOW)
    rows = [("row", number, "x" * 2_000) for number in range(1_000)]
    assert snapshot(journal.store, 1, *rows)
    seq, parts = parts_of(journal.store)
    assert (seq, parts) == (1, [list(row) for row in rows])
    assert 8 <= journal._cursor.execute("SELECT count(*) FROM snapshot").fetchone()[0] <= 9


def test_parts_without_a_head_are_ignored_and_pruned_by_the_next(tmp_path):
    journal = opened(tmp_path)
    journal.append(b"one", NOW)

    def dies():
        yield ["state", "x" * 300_000]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        journal.store.write_snapshot(1, dies(), run="dead")
    assert parts_of(journal.store) == (0, [])
    assert snapshot(journal.store, 1, ("state", 1), run="next")
    journal.store.prune(1, run="next")
    assert journal._cursor.execute("SELECT DISTINCT run FROM snapshot").fetchall() == [("next",)]


def test_of_two_snapshots_the_newer_one_counts(tmp_path):
    journal = opened(tmp_path)
    for payload in (b"one", b"two"):
        journal.append(payload, NOW)
    assert snapshot(journal.store, 2, ("new",), run="quick")
    assert not snapshot(journal.store, 1, ("old",), run="slow")
    assert not snapshot(journal.store, 2, ("same",), run="same")
    assert parts_of(journal.store) == (2, [["new"]])


def test_a_snapshot_whose_parts_another_pruned_gets_no_head(tmp_path):
    journal = opened(tmp_path)
    for payload in (b"one", b"two", b"three"):
        journal.append(payload, NOW)
    store = journal.store

    def overtaken():
        yield ["state", "x" * 300_000]
        assert snapshot(store, 3, ("quick",), run="quick")
        store.prune(3, run="quick")
        yield ["more"]

    assert not store.write_snapshot(3, overtaken(), run="slow")
    assert parts_of(store) == (3, [["quick"]])


def test_a_reader_is_not_disturbed_by_a_prune(tmp_path):
    journal = opened(tmp_path)
    for number in range(1_200):
        journal.append(b"%d" % number, NOW)
    assert snapshot(journal.store, 600, ("half",), run="r1")
    with store_in(tmp_path).view() as view:
        seq, parts = view.snapshot_parts()
        rows = view.rows(seq, 1_200)
        assert next(rows) == (601, b"600")
        assert snapshot(journal.store, 1_200, ("whole",), run="r2")
        journal.store.prune(1_200, run="r2")
        assert list(parts) == [["half"]]
        assert len(list(rows)) == 599
    assert parts_of(journal.store) == (1_200, [["whole"]])


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("UPDATE snapshot SET payload = x'90' WHERE part = 1", "part 1 of 3 of the snapshot at row 1 is damaged"),
        ("DELETE FROM snapshot WHERE part = 2", "part 2 of 3 of the snapshot at row 1 is damaged"),
        ("UPDATE snapshot_head SET n_parts = 2", "the head of the snapshot at row 1 is damaged"),
        ("UPDATE snapshot_head SET checksum = x'00'", "the head of the snapshot at row 1 is damaged"),
        ("DELETE FROM snapshot_head", "row 1 of 1 is missing"),
    ],
)
def test_a_damaged_snapshot_is_corrupt_and_stays_as_it_is(tmp_path, sql, named):
    journal = opened(tmp_path)
    journal.append(b"one", NOW)
    assert snapshot(journal.store, 1, *(("part", "x" * 300_000) for _ in range(2)))
    journal.store.prune(1, run="r1")
    journal.close()
    change(tmp_path / "field.db", sql)
    assert_corrupt_and_untouched(tmp_path, named)


# Repair


def test_a_store_is_cut_where_the_operator_says(tmp_path):
    change(filled(tmp_path, b"one", b"two", b"three"), "UPDATE journal SET payload = x'00' WHERE seq = 2")
    store = store_in(tmp_path)
    assert store.cut_after(1) == 2
    assert rows_of(tmp_path) == [(1, b"one")]
    assert opened(tmp_path).append(b"new two", NOW) == 2


def test_cutting_fences_a_writer_off(tmp_path):
    journal = opened(tmp_path)
    journal.append(b"one", NOW)
    assert store_in(tmp_path).cut_after(0) == 1
    with pytest.raises(Fenced):
        journal.append(b"two", NOW)


@pytest.mark.parametrize("seq", [0, 3, -1])
def test_a_store_is_only_cut_where_there_are_rows(tmp_path, seq):
    journal = opened(tmp_path)
    for payload in (b"one", b"two"):
        journal.append(payload, NOW)
    snapshot(journal.store, 1, ("state",))
    with pytest.raises(Misuse, match="it can be cut after rows 1 to 2"):
        journal.store.cut_after(seq)


def test_an_engine_that_is_closed_lets_the_file_go(tmp_path):
    journal = opened(tmp_path)
    journal.append(b"x", NOW)
    journal.close()
    assert [path.name for path in tmp_path.iterdir()] == ["field.db"]


def test_a_password_does_not_stand_in_messages():
    store = Store("postgresql+psycopg://ada:secret@localhost/x", "scent_field")
    assert "secret" not in store.where
    assert store.file is None
    assert sa.make_url(store.url).password == "secret"
