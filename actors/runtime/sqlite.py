"""An SQLite file as a store: write-ahead log, synced in full with each commit."""

from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import event as sa_event
from sqlalchemy.engine import Connection, Engine

_WAL_BYTES: Final = 16 * 2**20
"""The log grows while a reader looks at an old state; at most so much of it stays on the disk afterwards."""

_SMALLEST_PAGE_BYTES: Final = 512
_DAMAGED: Final = ("no such table", "no such column")


def is_cut_short(file: Path) -> bool:
    """Whether so little is left of a file that SQLite would take it for a new one, and begin anew over it."""
    if not file.is_file():
        return False
    n_bytes = file.stat().st_size
    log = file.with_name(f"{file.name}-wal")
    return 0 < n_bytes < _SMALLEST_PAGE_BYTES or (n_bytes == 0 and log.is_file() and log.stat().st_size > 0)


def is_file_damage(error: BaseException) -> bool:
    """Whether an error of the driver says that the file is not what a writer left."""
    if isinstance(error, sqlite3.OperationalError):
        return str(error).startswith(_DAMAGED)
    return isinstance(error, sqlite3.DatabaseError)


def file_engine(url: sa.URL, busy_timeout_s: float) -> Engine:
    """An engine on a file that is there; one that is gone is not made anew."""
    uri = f"{Path(url.database or '').absolute().as_uri()}?mode=rw"
    engine = sa.create_engine(
        url, poolclass=sa.NullPool, creator=lambda: sqlite3.connect(uri, uri=True, check_same_thread=False)
    )

    def connect(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # the driver begins no transactions by itself
        connection.text_factory = partial(
            str, encoding="utf-8", errors="replace"
        )  # what is no text is damage, not a fault
        limits = (f"busy_timeout={busy_timeout_s * 1000:.0f}", f"journal_size_limit={_WAL_BYTES}")
        for pragma in (*limits, "synchronous=FULL"):
            connection.execute(f"PRAGMA {pragma}")

    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("is_writer", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    sa_event.listen(engine, "connect", connect)
    sa_event.listen(engine, "begin", begin)
    return engine
