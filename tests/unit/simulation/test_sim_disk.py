"""The simulated disk: at which step a process dies, and what the store says afterwards."""

from collections.abc import Iterator
from typing import Any

import pytest

from actors.coordination.machine import Coordination
from actors.runtime.errors import Corrupt
from actors.runtime.journal import CommitFailed, Fenced, Head, Store
from actors.runtime.kernel import Kernel
from actors.runtime.machine import Now
from actors.runtime.recovery import recover_into
from actors.runtime.wire import pack
from coordinator.simulation.disk import DiskRoom, Killed, SimDisk, SimJournal

NOW = Now(1.0, 1_000.0)
ROW = pack([1.0, 1_000.0, []]) + b""


class Bench:
    """A disk, a clock that the test sets, and what was told to be committed."""

    def __init__(self, room: DiskRoom) -> None:
        self.now_s = 0.0
        self.disk = SimDisk(room.store("scent_field"), lambda: self.now_s)
        self.taken: list[bytes | None] = []
        self.journal = self.open()

    def open(self) -> SimJournal:
        journal = SimJournal.open(self.disk.store, new_store_id="s", recover=head_of)
        assert isinstance(journal, SimJournal)
        journal.disk, journal.taken = self.disk, lambda _journal, payload, _now: self.taken.append(payload)
        return journal


def head_of(store: Store) -> Head:
    return recover_into(Kernel(Coordination()), store).head


@pytest.fixture
def bench() -> Iterator[Bench]:
    with DiskRoom() as room:
        bench = Bench(room)
        yield bench
        bench.journal.abandon()


def last_row(bench: Bench) -> int:
    head = bench.disk.store.head()
    assert head is not None
    return head.seq


@pytest.mark.parametrize("trap", ["before", "head", "row", "end"])
def test_who_dies_before_the_end_of_a_transaction_has_committed_nothing(bench: Bench, trap: str) -> None:
    bench.disk.trap = trap
    with pytest.raises(Killed):
        bench.journal.append(ROW, NOW)
    assert last_row(bench) == 0
    assert bench.taken == []
    assert bench.disk.trap == ""


def test_who_dies_after_it_has_committed(bench: Bench) -> None:
    bench.disk.trap = "after"
    with pytest.raises(Killed):
        bench.journal.append(ROW, NOW)
    assert last_row(bench) == 1
    assert bench.taken == [ROW]


def test_a_torn_row_is_corrupt_and_was_told_to_nobody(bench: Bench) -> None:
    bench.journal.append(ROW, NOW)
    bench.disk.trap = "torn"
    with pytest.raises(Killed):
        bench.journal.append(ROW, NOW)
    assert bench.taken == [ROW]
    assert bench.disk.torn_seq == 2
    with pytest.raises(Corrupt, match="row 2 of 2 is damaged"):
        bench.open()
    assert bench.disk.store.cut_after(1) == 1
    bench.open().abandon()
    assert last_row(bench) == 1


def test_a_full_disk_takes_neither_rows_nor_clocks_until_it_has_room(bench: Bench) -> None:
    bench.disk.full_until_s = 5.0
    for write in (lambda: bench.journal.append(ROW, NOW), lambda: bench.journal.tick(NOW)):
        with pytest.raises(CommitFailed, match="full"):
            write()
    bench.now_s = 5.0
    assert bench.journal.append(ROW, NOW) == 1
    assert bench.taken == [ROW]


def test_a_lost_confirmation_is_a_commit_that_seems_to_have_failed(bench: Bench) -> None:
    bench.disk.unconfirmed = True
    with pytest.raises(CommitFailed, match="no answer"):
        bench.journal.append(ROW, NOW)
    assert bench.disk.store.has_row(1, ROW)
    assert bench.taken == [ROW]
    assert bench.journal.append(ROW, NOW) == 2


def test_a_writer_that_was_replaced_is_fenced(bench: Bench) -> None:
    second = bench.open()
    with pytest.raises(Fenced):
        bench.journal.append(ROW, NOW)
    assert second.append(ROW, NOW) == 1
    second.abandon()


def test_a_new_world_finds_an_empty_disk(bench: Bench) -> None:
    bench.journal.append(ROW, NOW)
    bench.journal.abandon()
    disk: Any = SimDisk(bench.disk.store, lambda: 0.0)
    assert disk.store.head() is None
