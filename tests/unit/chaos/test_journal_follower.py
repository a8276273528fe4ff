"""Journals are read while they are written; what was folded before it was read, or has changed since, is noticed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from actors.coordination.factory import make_coordination
from actors.runtime.errors import Unavailable
from actors.runtime.journal import Journal
from actors.runtime.kernel import Kernel
from actors.runtime.machine import Now
from actors.runtime.store import Store, sqlite_url
from actors.runtime.table import journal_table, row_checksum
from actors.runtime.wire import pack
from actors.sessions.registry import SessionRegistered
from coordinator.chaos.follower import JournalFollower, following
from coordinator.store.place import StorePlace

DOMAIN = "scent_field"


class Writer:
    def __init__(self, folder: Path) -> None:
        self.store = Store(sqlite_url(folder / "field.sqlite3"), DOMAIN)
        self.journal = Journal.open(self.store, new_store_id="s1")
        self.table = Kernel(make_coordination()).events
        self.follower = JournalFollower(StorePlace(DOMAIN, self.store, make_coordination))

    def write(self, number: int) -> bytes:
        event = SessionRegistered(f"ann#{number}", number, "", "heartbeat", 4.0, b"x", float(number))
        payload = pack([float(number), 1_000.0 + number, self.table.pack_form([event])])
        self.journal.append(payload, Now(float(number), 1_000.0 + number))
        return payload


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    writer = Writer(tmp_path)
    yield writer
    writer.journal.close()


def test_rows_are_read_once_each_with_their_clocks_and_facts(writer: Writer) -> None:
    writer.follower.read()
    writer.write(1)
    writer.follower.read()
    writer.write(2)
    writer.follower.read()
    assert [(row.seq, row.field_s, row.at_s) for row in writer.follower.rows] == [(1, 1.0, 1001.0), (2, 2.0, 1002.0)]
    assert [event.session_id for row in writer.follower.rows for event in row.events] == ["ann#1", "ann#2"]


def test_a_store_that_is_not_there_yet_is_asked_again(tmp_path: Path) -> None:
    store = Store(sqlite_url(tmp_path / "field.sqlite3"), DOMAIN)
    follower = JournalFollower(StorePlace(DOMAIN, store, make_coordination))
    with pytest.raises(Unavailable):
        follower.read()
    with following([follower]):
        writer = Writer(tmp_path)
        writer.write(1)
    writer.journal.close()
    assert [row.seq for row in follower.rows] == [1]


def test_what_is_folded_after_it_was_read_is_no_gap_and_what_is_folded_before_is_one(writer: Writer) -> None:
    for number in range(1, 4):
        writer.write(number)
    writer.follower.read()
    fold(writer, 3)
    writer.write(4)
    writer.follower.read()
    assert writer.follower.folded_over == 0
    assert writer.follower.changed_rows() == []
    writer.write(5)
    fold(writer, 5)
    writer.write(6)
    writer.follower.read()
    assert writer.follower.folded_over == 5
    assert [row.seq for row in writer.follower.rows] == [1, 2, 3, 4, 6]


def fold(writer: Writer, seq: int) -> None:
    assert writer.store.write_snapshot(seq, iter([["x"]]), run=f"run-{seq}")
    writer.store.prune(seq, run=f"run-{seq}")


def test_a_row_that_was_exchanged_or_taken_away_after_it_was_read_is_named(writer: Writer) -> None:
    for number in range(1, 4):
        writer.write(number)
    writer.follower.read()
    assert writer.follower.changed_rows() == []
    other = pack([2.0, 1002.0, []])
    with writer.store.writing() as connection:
        values = {"payload": other, "checksum": row_checksum(DOMAIN, 2, other)}
        connection.execute(sa.update(journal_table).where(journal_table.c.seq == 2).values(**values))
    assert writer.follower.changed_rows() == [2]
    writer.store.cut_after(2)
    assert writer.follower.changed_rows() == [2, 3]


def test_a_thread_reads_them_and_all_are_read_at_the_end(writer: Writer) -> None:
    with following([writer.follower]):
        for number in range(1, 30):
            writer.write(number)
    assert [row.seq for row in writer.follower.rows] == list(range(1, 30))
