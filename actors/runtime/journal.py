"""The one writer of a store: commits batches of facts, and proves with each commit that it is still the one.

Opening raises the store's epoch, and each commit checks it, so that a stale twin cannot commit. The state is recovered
before the epoch is raised: a store that turns out to be corrupt is not touched.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.engine.interfaces import DBAPICursor

from actors.runtime.errors import Corrupt
from actors.runtime.machine import Now
from actors.runtime.store import CommitFailed, Store, sqlite_url
from actors.runtime.table import Head, head_checksum, head_table, journal_table, metadata, row_checksum

__all__ = ["CommitFailed", "Fenced", "Head", "Journal", "Store", "sqlite_url"]

Recover = Callable[[Store], Head]
_MAX_ATTEMPTS: Final = 10

_TAKE_OVER: Final = sa.update(head_table).where(
    head_table.c.domain == sa.bindparam("of"), head_table.c.checksum == sa.bindparam("seen")
)
_COMMIT_HEAD: Final = (
    sa.update(head_table)
    .where(head_table.c.domain == sa.bindparam("of"), head_table.c.epoch == sa.bindparam("in_epoch"))
    .values(
        seq=sa.bindparam("to_seq"),
        field_s=sa.bindparam("at_field_s"),
        utc_s=sa.bindparam("at_utc_s"),
        checksum=sa.bindparam("sum"),
    )
)
_HEAD_VALUES: Final = ("to_seq", "at_field_s", "at_utc_s", "sum", "of", "in_epoch")
_ROW_VALUES: Final = ("domain", "seq", "payload", "checksum")


class Fenced(Exception):
    """Another process has opened this store since: this writer is stale and must end itself."""


class Prepared:
    """A statement compiled once for a database's driver; each commit would pay for that otherwise.

    `names` are its values in the order in which they will be given, which is the one of the statement's text.
    """

    def __init__(self, statement: sa.UpdateBase, connection: Connection, names: tuple[str, ...]) -> None:
        compiled = statement.compile(dialect=connection.dialect)
        if compiled.positiontup is not None and tuple(compiled.positiontup) != names:
            raise ValueError(f"the statement takes {compiled.positiontup}, not {names}")
        self._sql = str(compiled)
        self._names = names
        self._is_positional = compiled.positional

    def execute(self, cursor: DBAPICursor, *values: Any) -> int:
        """Run it; returns how many rows it changed."""
        cursor.execute(self._sql, values if self._is_positional else dict(zip(self._names, values, strict=True)))
        return cursor.rowcount


class Journal:
    """The one writer of a store."""

    def __init__(self, store: Store, head: Head) -> None:
        self.store = store
        self.head = head
        self.seq = head.seq
        with store.translated():
            self._connection = store.connect_writer()
            self._driver = self._connection.connection
            self._cursor = self._driver.cursor()
            self._begins_by_itself = self._connection.dialect.name != "sqlite"
            self._commit_head = Prepared(_COMMIT_HEAD, self._connection, _HEAD_VALUES)
            self._commit_row = Prepared(sa.insert(journal_table), self._connection, _ROW_VALUES)

    @classmethod
    def open(
        cls,
        store: Store,
        *,
        new_store_id: str,
        expected_store_id: str | None = None,
        own_epoch: int | None = None,
        recover: Recover | None = None,
    ) -> Journal:
        """Become the writer: create the store if it is new, let `recover` read it, and raise its epoch.

        `expected_store_id` is what the cluster has on record; a store that is another one, or is not there, is
        `Corrupt` and stays untouched. `own_epoch` is this writer's last one, if it opens the store again; raises
        `Fenced` if another writer has opened it since. `recover` returns the head that it read up to, and is called
        again if another writer has committed meanwhile.
        """
        before = store.head()
        if expected_store_id is not None and (before is None or before.store_id != expected_store_id):
            raise wrong_store(store, expected_store_id, before)
        if before is None:
            create_store(store, new_store_id)
        return cls(store, _take_over(store, own_epoch, recover or _found_head))

    def append(self, payload: bytes, now: Now) -> int:
        """Commit one row and the clocks, synced to disk; returns the row's number.

        Raises `CommitFailed` if the store did not take it, and `Fenced` if another writer has opened the store.
        """
        seq = self.seq + 1
        self._write(seq, payload, now)
        self.seq = seq
        return seq

    def tick(self, now: Now) -> None:
        """Commit the clocks alone; raises as `append` does."""
        self._write(self.seq, None, now)

    def prove(self, now: Now) -> None:
        """Commit the clocks, and read them back as somebody else would.

        Raises as `append` does, and `Corrupt` for a store that does not hold what it took: a file that was deleted or
        exchanged while it was open takes commits for ever.
        """
        self.tick(now)
        kept = replace(self.head, seq=self.seq, field_s=now.field_s, utc_s=now.utc_s)
        found = self.store.head()
        if found is not None and found.store_id == kept.store_id and found.epoch > kept.epoch:
            raise _fenced(self.store, kept.epoch)
        if found != kept:
            what = "nothing" if found is None else f"row {found.seq} of store {found.store_id}"
            raise self.store.damage(f"{what} was found where row {kept.seq} of store {kept.store_id} was committed")

    def confirm(self, seq: int) -> None:
        """A commit that seemed to fail was done after all."""
        self.seq = seq

    def _write(self, seq: int, payload: bytes | None, now: Now) -> None:
        """One transaction on the driver itself, in plain statements: SQLAlchemy's would take as long as the commit."""
        try:
            if not self._begins_by_itself:
                self._cursor.execute("BEGIN IMMEDIATE")
            self._move_head(seq, now)
            if payload is not None:
                domain = self.store.domain
                self._commit_row.execute(self._cursor, domain, seq, payload, row_checksum(domain, seq, payload))
            self._driver.commit()
        except BaseException:
            with self.store.translated():
                with suppress(self.store.engine.dialect.loaded_dbapi.Error):  # of a lost connection; it hides the cause
                    self._driver.rollback()
                raise

    def _move_head(self, seq: int, now: Now) -> None:
        domain, epoch = self.store.domain, self.head.epoch
        kept_sum = head_checksum(domain, self.head.store_id, epoch, seq, now.field_s, now.utc_s)
        if self._commit_head.execute(self._cursor, seq, now.field_s, now.utc_s, kept_sum, domain, epoch) != 1:
            raise _fenced(self.store, epoch)

    def close(self) -> None:
        """Stop writing."""
        with self.store.translated():
            self._connection.close()
        self.store.close()


def _fenced(store: Store, epoch: int) -> Fenced:
    return Fenced(f"{store.where}: epoch {epoch} is over, another writer has opened the store")


def _found_head(store: Store) -> Head:
    head = store.head()
    if head is None:
        raise store.damage("its head is gone since it was opened")
    return head


def _take_over(store: Store, own_epoch: int | None, recover: Recover) -> Head:
    """Raise the epoch, unless somebody has committed since the state was read; then read again."""
    for _ in range(_MAX_ATTEMPTS):
        seen = recover(store)
        if own_epoch is not None and seen.epoch != own_epoch:
            raise _fenced(store, own_epoch)
        head = replace(seen, epoch=seen.epoch + 1)
        values = {"epoch": head.epoch, "checksum": head.checksum(store.domain)}
        with store.writing() as connection:
            parameters = {"of": store.domain, "seen": seen.checksum(store.domain)}
            if connection.execute(_TAKE_OVER.values(**values), parameters).rowcount == 1:
                return head
    raise CommitFailed(
        f"the store {store.where} is being written by another process: stop that one, or wait for its end"
    )


def wrong_store(store: Store, expected_store_id: str, found: Head | None) -> Corrupt:
    """The error for a store that is not the one on record."""
    there = "nothing is there" if found is None else f"store {found.store_id} is there"
    return Corrupt(
        f"this cluster keeps its state in store {expected_store_id}, but at {store.where} {there}. "
        "It does not start empty over it: bring the data folder back, or start on the node that has it"
    )


def create_store(store: Store, store_id: str) -> None:
    """Make an empty store, readable by this user only."""
    if store.file is not None:
        _make_private_file(store, store.file)
    head = Head(store_id, epoch=0, seq=0, field_s=0.0, utc_s=0.0)
    with store.writing(alone=True) as connection:
        metadata.create_all(connection)
        if connection.execute(sa.select(head_table.c.seq).where(head_table.c.domain == store.domain)).first() is None:
            connection.execute(sa.insert(head_table).values(**head.columns(store.domain)))


def _make_private_file(store: Store, file: Path) -> None:
    """The SQLite file, for this user only, as are the folders that are made for it; in write-ahead mode for good."""
    missing = [folder for folder in (file.parent, *file.parent.parents) if not folder.exists()]
    try:
        for folder in reversed(missing):
            folder.mkdir(mode=0o700, exist_ok=True)
        file.touch(mode=0o600)
        _sync_folder(file.parent)
    except OSError as error:
        raise CommitFailed(f"the store {store.where} cannot be created ({error}): nothing was done") from error
    with store.translated(), store.engine.connect() as connection:
        connection.connection.cursor().execute("PRAGMA journal_mode=WAL")


def _sync_folder(folder: Path) -> None:
    """Have the new file's name survive a loss of power, as what is committed to it will."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
