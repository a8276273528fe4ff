"""The stores of a simulated world: the house's own, on real files, with a writer that can be made to fail or to die.

The files are SQLite's and stay in memory where the system has a file system there: what the simulation plays with is
when a process dies and what the store says, not whether SQLite works.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import event as sa_event

from actors.runtime.errors import ScentfieldError
from actors.runtime.journal import CommitFailed, Journal
from actors.runtime.machine import Now
from actors.runtime.store import Store, sqlite_url
from actors.runtime.table import journal_table

_MEMORY: Final = Path("/dev/shm")
_TORN_BYTES: Final = 24
STAGES: Final = ("parts", "head", "pruning", "rows")
"""What a compaction has still to do: write the snapshot, say that it is whole, drop older ones, drop the rows in it."""
_STEPS: Final = (("head", "BEFORE UPDATE"), ("row", "BEFORE INSERT"), ("end", "AFTER INSERT"))


class Killed(BaseException):
    """The process is dead as of now; nothing of ours may catch it on the way out."""


class SimStore(Store):
    """A store whose name in messages is the same on every machine, and whose engine outlives its processes.

    `at_step` hears of each step inside a commit, `at_stage` of each stage of a compaction before it begins.
    """

    def __init__(self, file: Path, domain: str) -> None:
        super().__init__(sqlite_url(file), domain)
        self.where = f"the simulated disk ({domain})"
        self.at_step: Callable[[str], None] = lambda _: None
        self.at_stage: Callable[[str], None] = lambda _: None
        sa_event.listen(self.engine, "connect", self._connected)

    def _connected(self, connection: Any, _record: object) -> None:
        """Nothing has to outlive this process, and each step of a commit is told."""
        connection.execute("PRAGMA synchronous=OFF")
        connection.create_function("sim_step", 1, self._step)
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'journal'").fetchone():
            for name, when in _STEPS:
                table = "head" if name == "head" else "journal"
                connection.execute(
                    f"CREATE TEMP TRIGGER {name} {when} ON main.{table} BEGIN SELECT sim_step('{name}'); END"
                )

    def _step(self, name: str) -> int:
        self.at_step(name)
        return 0

    def blank(self) -> None:
        """Forget all that was ever written."""
        if self.file is not None:
            for suffix in ("", "-wal", "-shm", "-journal"):
                self.file.with_name(self.file.name + suffix).unlink(missing_ok=True)

    def close(self) -> None:
        """Keep the engine: its compiled statements are half the cost of a start."""

    def write_snapshot(self, seq: int, parts: Iterator[list[Any]], *, run: str) -> bool:
        """Write a snapshot, unless its writer dies."""
        self.at_stage("parts")
        return super().write_snapshot(seq, parts, run=run)

    def _finish_snapshot(self, seq: int, run: str, sums: list[bytes]) -> bool:
        self.at_stage("head")
        return super()._finish_snapshot(seq, run, sums)

    def prune(self, seq: int, *, run: str) -> None:
        """Drop what a snapshot replaces, unless whoever does so dies."""
        self.at_stage("pruning")
        super().prune(seq, run=run)

    def _prune_rows(self, seq: int) -> bool:
        self.at_stage("rows")
        return super()._prune_rows(seq)

    def tear(self, seq: int) -> None:
        """Leave the end of a row as a write that was cut short would: zeros where it did not get to."""
        table = journal_table.c
        place = (table.domain == self.domain, table.seq == seq)
        with self.writing() as connection:
            payload = connection.execute(sa.select(table.payload).where(*place)).scalar_one()
            connection.execute(sa.update(journal_table).where(*place).values(payload=_torn(payload)))


def _torn(payload: bytes) -> bytes:
    kept = payload[: max(0, len(payload) - _TORN_BYTES)]
    torn = kept + bytes(len(payload) - len(kept))
    return torn if torn != payload else payload[:-1] + b"\1"


class SimDisk:
    """The store of one actor, and what is to go wrong with its next commits.

    `trap` names the step of the next commit at which its process dies: `before`, one of the steps inside the
    transaction (`head`, `row`, `end`), `after`, `torn` (after it too, and the row is damaged), or `answer`. The store
    is full until `full_until_s`; with `unconfirmed` the next commit is done, but the process hears that it failed.
    """

    def __init__(self, store: SimStore, now_s: Callable[[], float]) -> None:
        store.blank()
        store.at_step = self._at_step
        self.store = store
        self._now_s = now_s
        self._broke_at = ""
        self.trap = ""
        self.full_until_s = 0.0
        self.unconfirmed = False
        self.torn_seq: int | None = None

    @property
    def is_full(self) -> bool:
        """Whether it takes no writes now."""
        return self._now_s() < self.full_until_s

    def check_room(self) -> None:
        """Raise `CommitFailed` while the disk is full."""
        if self.is_full:
            raise CommitFailed("the simulated disk is full: nothing was done")

    def _at_step(self, name: str) -> None:
        """Inside a transaction: dying here is rolling back."""
        if name == self.trap:
            self._broke_at = name
            raise RuntimeError(name)

    def spring(self, trap: str) -> None:
        """Die here, if that is what was set."""
        if self.trap == trap:
            self.trap = ""
            raise Killed(trap)

    def interrupted(self) -> None:
        """A commit has failed: die, if that was what broke it."""
        broke_at, self._broke_at = self._broke_at, ""
        if broke_at:
            self.spring(broke_at)

    def lose_confirmation(self) -> None:
        """Let the process hear that a commit failed that was done."""
        if self.unconfirmed:
            self.unconfirmed = False
            raise CommitFailed("the simulated disk gave no answer")


Taken = Callable[["SimJournal", bytes | None, Now], None]


class SimJournal(Journal):
    """The house's journal on a simulated disk; `taken` hears what is committed, before anybody else can.

    Both are set by whoever opens it, before it is used.
    """

    disk: SimDisk
    taken: Taken

    def append(self, payload: bytes, now: Now) -> int:
        """Commit a row, unless the disk or this process breaks."""
        with self._breaking():
            self.disk.spring("before")
            seq = super().append(payload, now)
        if self.disk.trap == "torn":
            self.disk.store.tear(seq)
            self.disk.torn_seq = seq
            self.disk.spring("torn")
        self.taken(self, payload, now)
        self.disk.spring("after")
        self.disk.lose_confirmation()
        return seq

    def tick(self, now: Now) -> None:
        """Commit the clocks, unless the disk or this process breaks."""
        with self._breaking():
            super().tick(now)
        self.taken(self, None, now)

    @contextmanager
    def _breaking(self) -> Iterator[None]:
        self.disk.check_room()
        try:
            yield
        except ScentfieldError:
            self.disk.interrupted()
            raise

    def abandon(self) -> None:
        """Its process is dead."""
        with suppress(ScentfieldError):
            self.close()


class DiskRoom:
    """A temporary folder for the stores of all worlds of this process, one after the other."""

    def __init__(self) -> None:
        memory = _MEMORY if os.access(_MEMORY, os.W_OK) else None
        self._folder = Path(tempfile.mkdtemp(prefix="scentfield-sim-", dir=memory))
        self._stores: dict[str, SimStore] = {}

    def store(self, domain: str) -> SimStore:
        """The store of a domain."""
        if domain not in self._stores:
            self._stores[domain] = SimStore(self._folder / f"{domain}.sqlite3", domain)
        return self._stores[domain]

    def close(self) -> None:
        """Remove the folder."""
        for store in self._stores.values():
            store.engine.dispose()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> DiskRoom:
        return self

    def __exit__(self, *_exc_info: object) -> None:
        self.close()
