"""The database of one state actor: its head, its journal, its snapshots.

Through SQLAlchemy Core, to an SQLite file (write-ahead log, full sync) or to PostgreSQL by URL. Every row has a
checksum that covers its place too, so that one that is damaged, missing or moved is noticed and never taken for "the
end". Reading changes nothing. Who may write the journal is decided in `journal.py`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from actors.runtime.errors import Corrupt, Misuse, Unavailable
from actors.runtime.repair import cut_head
from actors.runtime.sqlite import file_engine, is_cut_short, is_file_damage
from actors.runtime.store_url import SQLITE, parse_url, shown_url, sqlite_url, take_patience
from actors.runtime.table import (
    Head,
    head_table,
    journal_table,
    part_checksum,
    snapshot_checksum,
    snapshot_head_table,
    snapshot_table,
)
from actors.runtime.view import REPAIR, View, damage
from actors.runtime.wire import pack, packed_array

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["CommitFailed", "Store", "sqlite_url"]

PART_BYTES: Final = 256 * 1024
BUSY_TIMEOUT_S: Final = 5.0
_PRUNE_ROWS: Final = 500
_PRUNE_PARTS: Final = 8


class CommitFailed(Unavailable):
    """The store did not take a commit, or did not answer; the machine has to be rebuilt from it."""


class Store:
    """One database with the rows of one domain; nothing changes by being opened.

    `where` names it in messages, `advice` says what to do about damage. Database errors leave here as `CommitFailed`
    (the database did not do it) or `Corrupt` (it cannot be trusted). An SQLite file that somebody else has locked is
    waited for `busy_timeout_s`; how long a server is waited for stands in its URL (`store_url.Patience`).
    """

    def __init__(self, url: str, domain: str, *, busy_timeout_s: float = BUSY_TIMEOUT_S) -> None:
        self.url = url
        self.domain = domain
        self.engine, self._server = _engine(parse_url(url), busy_timeout_s)
        self._driver: Any = self.engine.dialect.loaded_dbapi
        self.where = f"{self.file or shown_url(self.engine.url)} ({domain})"
        self.advice = REPAIR

    @property
    def file(self) -> Path | None:
        """The SQLite file; None for a server."""
        database = self.engine.url.database
        return Path(database) if self._server is None and database else None

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
            why = _why_unusable(self.file)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            why = error.errno or errno.EIO
        if why:
            raise Corrupt(
                f"the store {self.where} cannot be opened ({os.strerror(why)}): nothing starts empty over it. See who "
                "owns it and whether it is a file that this user may write, then restart its actor"
            )
        return True

    @contextmanager
    def view(self) -> Iterator[View]:
        """One consistent sight of everything; what is written or pruned meanwhile does not show."""
        if self.file is not None and is_cut_short(self.file):
            raise self.damage("the file was cut short")
        with self.translated(), self.engine.connect() as connection:
            if self._server is not None:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield View(connection, self.domain, self.where, self.advice)

    @contextmanager
    def writing(self, *, alone: bool = False) -> Iterator[Connection]:
        """A transaction, committed on leaving. `alone`: one of these at a time, as all are on SQLite."""
        with self.translated(), self.engine.connect() as connection:
            connection = connection.execution_options(is_writer=True)
            with connection.begin():
                if alone and self._server is not None:
                    self._server.serialize(connection)
                yield connection

    def connect_writer(self) -> Connection:
        """The journal's own connection; a server shows that it is the writer's. For use within `translated`."""
        connection = self.engine.connect()
        try:
            if self._server is not None:
                self._server.mark_writer(connection, self.domain)
        except BaseException:
            connection.close()
            raise
        return connection

    def writers(self) -> list[str]:
        """Who has the rows open for writing, as far as a server knows; nobody for a file."""
        if self._server is None:
            return []
        with self.translated(), self.engine.connect() as connection:
            found: list[str] = self._server.writers(connection, self.domain)
        return found

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Errors of the database and its driver become this module's."""
        try:
            yield
        except (sa.exc.DBAPIError, sa.exc.TimeoutError, self._driver.Error) as error:
            raise self._translation(error) from error
        except UnicodeDecodeError as error:  # SQLite's own message, about a name that is damaged
            raise self.damage(str(error)) from error

    def _translation(self, error: Exception) -> CommitFailed | Corrupt:
        cause = getattr(error, "orig", None) or error
        what = " ".join(str(cause).split())
        if self._is_damage(cause):
            return self.damage(what)
        is_under_way = getattr(error, "statement", "") is not None  # it is None where there was no connection yet
        if self._server is not None and is_under_way and self._server.is_lost(cause):
            return CommitFailed(f"the store {self.where} does not answer ({what}): it may be done or not, ask again")
        return CommitFailed(f"the store {self.where} does not answer ({what}): nothing was done")

    def _is_damage(self, cause: Any) -> bool:
        if self._server is not None:
            return bool(self._server.is_damage(cause))
        return is_file_damage(cause)

    def damage(self, what: str) -> Corrupt:
        """The error for a store that cannot be trusted."""
        return damage(self.where, what, self.advice)

    def has_row(self, seq: int, payload: bytes) -> bool:
        """Whether this very row is committed: tells what became of a commit that lost its connection.

        On a server it waits for a transaction that is under way: its answer is final.
        """
        table, heads = journal_table.c, head_table.c
        with self.translated(), self.engine.connect() as connection:
            if self._server is not None:
                connection.execute(sa.select(heads.seq).where(heads.domain == self.domain).with_for_update()).all()
            found = connection.execute(
                sa.select(table.payload).where(table.domain == self.domain, table.seq == seq)
            ).scalar_one_or_none()
        return found == payload

    def write_snapshot(self, seq: int, parts: Iterator[list[Any]], *, run: str) -> bool:
        """Write a complete snapshot at `seq` in short transactions; False if there is one as new already.

        `run` is unique to this writer, so that two of them at once, or one that died in between, do no harm: parts
        without a head are ignored, and the next writer removes them. So a writer that is overtaken gives up.
        """
        self._drop_unfinished()
        sums: list[bytes] = []
        for chunk in _chunks(parts):
            row = {"domain": self.domain, "run": run, "part": len(sums), "seq": seq, "payload": chunk}
            sums.append(part_checksum(self.domain, seq, run, len(sums), chunk))
            with self.writing() as connection:
                connection.execute(sa.insert(snapshot_table).values(**row, checksum=sums[-1]))
        return self._finish_snapshot(seq, run, sums)

    def _finish_snapshot(self, seq: int, run: str, sums: list[bytes]) -> bool:
        heads, parts = snapshot_head_table.c, snapshot_table.c
        newest = sa.select(sa.func.max(heads.seq)).where(heads.domain == self.domain)
        own = sa.select(sa.func.count()).where(parts.domain == self.domain, parts.run == run)
        with self.writing(alone=True) as connection:
            if (connection.scalar(newest) or 0) >= seq or connection.scalar(own) != len(sums):
                return False  # and another writer may have removed these parts
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

    def _drop_unfinished(self) -> None:
        """Remove the parts of writers that died: they would pile up where each one dies."""
        heads, parts = snapshot_head_table.c, snapshot_table.c
        finished = sa.select(heads.run).where(heads.domain == self.domain)
        while True:
            with self.writing(alone=True) as connection:
                unfinished = connection.execute(
                    sa.select(parts.run, parts.part)
                    .where(parts.domain == self.domain, parts.run.not_in(finished))
                    .limit(1)
                ).one_or_none()
                if unfinished is None:
                    return
                self._drop_parts(connection, *unfinished)

    def _drop_parts(self, connection: Connection, run: str, first: int) -> None:
        parts = snapshot_table.c
        few = parts.part.between(first, first + _PRUNE_PARTS)
        connection.execute(sa.delete(snapshot_table).where(parts.domain == self.domain, parts.run == run, few))

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
            self._drop_parts(connection, row.run, row.part)
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

    def cut_after(self, seq: int, *, new_store_id: str = "") -> int:
        """Drop all rows after `seq` and let the head end there; returns how many were dropped. For `doctor --repair`.

        A writer that is at work is fenced off. A head that is damaged is made anew, under `new_store_id` if it is gone.
        Raises `Misuse` for a row that the store does not have, or that is folded into its snapshot.
        """
        rows, heads = journal_table.c, head_table.c
        with self.view() as view:
            first = view.snapshot_seq()
            last = max(first, view.last_row())
            if not first <= seq <= last:
                raise Misuse(f"{self.where} cannot be cut after row {seq}: it can be cut after rows {first} to {last}")
            cut = cut_head(view, seq, new_store_id)
        with self.writing() as connection:
            dropped = connection.execute(
                sa.delete(journal_table).where(rows.domain == self.domain, rows.seq > seq)
            ).rowcount
            connection.execute(sa.delete(head_table).where(heads.domain == self.domain))
            connection.execute(sa.insert(head_table).values(**cut.columns(self.domain)))
        return dropped

    def close(self) -> None:
        """Give the connections back."""
        self.engine.dispose()


def _why_unusable(file: Path) -> int:
    """The system's number for why a file cannot be read and written; 0 if it can. Raises `OSError` where none is.

    Asked without opening it: whoever closes a file gives up all locks that his process has on it (POSIX), those of
    SQLite too. Another process that looks would then take itself for the last one, and the log away from the writer.
    """
    if stat.S_ISDIR(file.stat().st_mode):
        return errno.EISDIR
    return 0 if os.access(file, os.R_OK | os.W_OK) else errno.EACCES


def _engine(url: sa.URL, busy_timeout_s: float) -> tuple[Engine, ModuleType | None]:
    """The engine, and for a server what is known of its kind."""
    if url.get_backend_name() == SQLITE:
        return file_engine(url, busy_timeout_s), None
    try:
        from actors.runtime import postgresql  # its driver is an extra
    except ImportError as error:
        raise Misuse(
            f"a PostgreSQL store needs a driver that is not there ({error}): install scentfield[postgresql]"
        ) from error
    return postgresql.make_engine(*take_patience(url)), postgresql


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
