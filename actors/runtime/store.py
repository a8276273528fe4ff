"""The database of one state actor: its head, its journal, its snapshots.

Through SQLAlchemy Core, to an SQLite file (write-ahead log, full sync) or to PostgreSQL by URL. Every row has a
checksum that covers its place too, so that one that is damaged, missing or moved is noticed and never taken for "the
end". Reading changes nothing. Who may write the journal is decided in `journal.py`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import event as sa_event
from sqlalchemy.engine import Connection, Engine

from actors.runtime.errors import Corrupt, Misuse, Unavailable
from actors.runtime.table import (
    Head,
    head_table,
    journal_table,
    part_checksum,
    snapshot_checksum,
    snapshot_head_table,
    snapshot_table,
)
from actors.runtime.view import View, damage
from actors.runtime.wire import pack, packed_array

PART_BYTES: Final = 256 * 1024
BUSY_TIMEOUT_S: Final = 5.0
_PRUNE_ROWS: Final = 500
_PRUNE_PARTS: Final = 8


class CommitFailed(Unavailable):
    """The store did not take a commit, or did not answer; the machine has to be rebuilt from it."""


def sqlite_url(path: Path) -> str:
    """The URL of an SQLite store in that file."""
    return sa.URL.create("sqlite", database=str(path)).render_as_string(hide_password=False)


class Store:
    """One database with the rows of one domain; nothing changes by being opened.

    `where` names it in messages. Database errors leave here as `CommitFailed` (the database did not do it) or
    `Corrupt` (it cannot be trusted). An SQLite file that somebody else has locked is waited for `busy_timeout_s`.
    """

    def __init__(self, url: str, domain: str, *, busy_timeout_s: float = BUSY_TIMEOUT_S) -> None:
        self.url = url
        self.domain = domain
        self.engine = _engine(url, busy_timeout_s)
        self._driver: Any = self.engine.dialect.loaded_dbapi
        self.where = f"{self.file or self.engine.url.render_as_string(hide_password=True)} ({domain})"

    @property
    def file(self) -> Path | None:
        """The SQLite file; None for a server."""
        database = self.engine.url.database
        return Path(database) if self.engine.dialect.name == "sqlite" and database else None

    def head(self) -> Head | None:
        """Where the store stands; None if no writer has ever opened it. Raises `Corrupt`."""
        if not self._is_there():
            return None
        with self.view() as view:
            return view.head()

    def _is_there(self) -> bool:
        """False if there is no file. Raises `Corrupt` for one that cannot be opened: it is no new store."""
        if self.file is None:
            return True
        try:
            self.file.open("r+b").close()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise Corrupt(
                f"the store {self.where} cannot be opened ({error.strerror}): nothing starts empty over it. See who "
                "owns it and whether it is a file that this user may write, then restart its actor"
            ) from error
        return True

    @contextmanager
    def view(self) -> Iterator[View]:
        """One consistent sight of everything; what is written or pruned meanwhile does not show."""
        with self.translated(), self.engine.connect() as connection:
            if self.engine.dialect.name != "sqlite":
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield View(connection, self.domain, self.where)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction, committed on leaving."""
        with self.translated(), self.engine.connect() as connection:
            connection = connection.execution_options(is_writer=True)
            with connection.begin():
                yield connection

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Errors of the database and its driver become this module's."""
        try:
            yield
        except (sa.exc.DBAPIError, sa.exc.TimeoutError, self._driver.Error) as error:
            raise self._translation(error) from error

    def _translation(self, error: Exception) -> CommitFailed | Corrupt:
        cause = getattr(error, "orig", None) or error
        untrustworthy = isinstance(cause, self._driver.DatabaseError)
        if untrustworthy and not isinstance(cause, self._driver.OperationalError):
            return self.damage(str(cause))
        return CommitFailed(f"the store {self.where} does not answer ({cause}): nothing was done")

    def damage(self, what: str) -> Corrupt:
        """The error for a store that cannot be trusted."""
        return damage(self.where, what)

    def has_row(self, seq: int, payload: bytes) -> bool:
        """Whether this very row is committed: tells what became of a commit that lost its connection."""
        table = journal_table.c
        with self.translated(), self.engine.connect() as connection:
            found = connection.execute(
                sa.select(table.payload).where(table.domain == self.domain, table.seq == seq)
            ).scalar_one_or_none()
        return found == payload

    def write_snapshot(self, seq: int, parts: Iterator[list[Any]], *, run: str) -> bool:
        """Write a complete snapshot at `seq` in short transactions; False if there is one as new already.

        `run` is unique to this writer, so that two of them at once, or one that died in between, do no harm: parts
        without a head are ignored, and `prune` removes them.
        """
        sums: list[bytes] = []
        for chunk in _chunks(parts):
            row = {"domain": self.domain, "run": run, "part": len(sums), "seq": seq, "payload": chunk}
            sums.append(part_checksum(self.domain, seq, run, len(sums), chunk))
            with self.writing() as connection:
                connection.execute(sa.insert(snapshot_table).values(**row, checksum=sums[-1]))
        return self._finish_snapshot(seq, run, sums)

    def _finish_snapshot(self, seq: int, run: str, sums: list[bytes]) -> bool:
        heads = snapshot_head_table.c
        newest = sa.select(sa.func.max(heads.seq)).where(heads.domain == self.domain)
        with self.writing() as connection:
            if (connection.scalar(newest) or 0) >= seq:
                return False  # and it may have pruned these parts
            connection.execute(
                sa.insert(snapshot_head_table).values(
                    domain=self.domain,
                    seq=seq,
                    run=run,
                    n_parts=len(sums),
                    checksum=snapshot_checksum(self.domain, seq, run, sums),
                )
            )
        return True

    def prune(self, seq: int, *, run: str) -> None:
        """Drop what the snapshot of `run` at `seq` replaces, in short transactions."""
        with self.writing() as connection:
            heads = snapshot_head_table.c
            connection.execute(sa.delete(snapshot_head_table).where(heads.domain == self.domain, heads.seq < seq))
        while self._prune_parts(seq, run):
            pass
        while self._prune_rows(seq):
            pass

    def _prune_parts(self, seq: int, run: str) -> bool:
        parts = snapshot_table.c
        old = (parts.domain == self.domain, parts.seq <= seq, parts.run != run)
        with self.writing() as connection:
            row = connection.execute(sa.select(parts.run, parts.part).where(*old).limit(1)).one_or_none()
            if row is None:
                return False
            connection.execute(
                sa.delete(snapshot_table).where(
                    parts.domain == self.domain,
                    parts.run == row.run,
                    parts.part.between(row.part, row.part + _PRUNE_PARTS),
                )
            )
        return True

    def _prune_rows(self, seq: int) -> bool:
        rows = journal_table.c
        with self.writing() as connection:
            oldest = connection.scalar(sa.select(sa.func.min(rows.seq)).where(rows.domain == self.domain))
            if oldest is None or oldest > seq:
                return False
            last = min(seq, oldest + _PRUNE_ROWS)
            connection.execute(sa.delete(journal_table).where(rows.domain == self.domain, rows.seq <= last))
        return True

    def cut_after(self, seq: int) -> int:
        """Drop all rows after `seq` and set the head there; returns how many rows are lost. For `doctor --repair`.

        A writer that is at work is fenced off. Raises `Misuse` for a row that the store has not reached, or that is
        folded into its snapshot.
        """
        rows, heads = journal_table.c, head_table.c
        with self.view() as view:
            head, snapshot_seq = view.head(), view.snapshot_seq()
        if head is None or not snapshot_seq <= seq <= head.seq:
            reach = "nothing" if head is None else f"rows {snapshot_seq} to {head.seq}"
            raise Misuse(f"{self.where} cannot be cut after row {seq}: it can be cut after {reach}")
        cut = replace(head, epoch=head.epoch + 1, seq=seq)
        with self.writing() as connection:
            lost = connection.execute(
                sa.delete(journal_table).where(rows.domain == self.domain, rows.seq > seq)
            ).rowcount
            connection.execute(
                sa.update(head_table).where(heads.domain == self.domain).values(**cut.columns(self.domain))
            )
        return lost

    def close(self) -> None:
        """Give the connections back."""
        self.engine.dispose()


def _engine(url: str, busy_timeout_s: float) -> Engine:
    parsed = sa.make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return sa.create_engine(parsed, pool_pre_ping=True, pool_size=2)
    uri = f"{Path(parsed.database or '').absolute().as_uri()}?mode=rw"  # a file that is gone is not made anew
    engine = sa.create_engine(
        parsed, poolclass=sa.NullPool, creator=lambda: sqlite3.connect(uri, uri=True, check_same_thread=False)
    )

    def connect(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # the driver begins no transactions by itself
        for pragma in (f"busy_timeout={busy_timeout_s * 1000:.0f}", "synchronous=FULL"):
            connection.execute(f"PRAGMA {pragma}")

    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("is_writer", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    sa_event.listen(engine, "connect", connect)
    sa_event.listen(engine, "begin", begin)
    return engine


def _chunks(parts: Iterator[list[Any]]) -> Iterator[bytes]:
    """Snapshot parts packed together until a chunk is large enough for a row of its own."""
    chunk: list[bytes] = []
    n_bytes = 0
    for part in parts:
        packed = pack(part)
        chunk.append(packed)
        n_bytes += len(packed)
        if n_bytes >= PART_BYTES:
            yield packed_array(chunk)
            chunk, n_bytes = [], 0
    yield packed_array(chunk)
