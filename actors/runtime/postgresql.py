"""PostgreSQL as a store: how it is reached, how long it is waited for, and what its errors mean.

A server that hangs, its machine paused or its disk stuck, enforces no time limit of its own and keeps its connections
open. So the limit is kept on this side too: each exchange with the server ends within `Patience.statement_s`, whatever
the server does. What was sent before may still be carried out by a server that wakes up, which is why the errors of a
lost connection say that the outcome is not known.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any, Final, TypeVar

import psycopg
import sqlalchemy as sa
from sqlalchemy import event as sa_event
from sqlalchemy.engine import Connection, Engine

from actors.runtime.store_url import Patience

T = TypeVar("T")
IDLE_WRITER_S: Final = 10.0
"""The server ends a writer that is silent for so long within a commit: a paused one would keep its successor out."""

_GRACE_S: Final = 1.0
_MAX_NAME: Final = 63
_DAMAGED: Final = ("23", "42P01", "42703", "XX001", "XX002")
_LOST: Final = ("08", "57P")
_SETTLE: Final = """
SELECT set_config('statement_timeout', %s, false),
  set_config('lock_timeout', %s, false),
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('application_name', 'scentfield', false),
  set_config('synchronous_commit', CASE current_setting('synchronous_commit')
    WHEN 'off' THEN 'on' WHEN 'local' THEN 'on' ELSE current_setting('synchronous_commit') END, false)
"""
_MARK_WRITER: Final = """
SELECT set_config('application_name', %(name)s, false),
  set_config('idle_in_transaction_session_timeout', %(idle)s, false)
"""
_WRITERS: Final = """
SELECT pid, coalesce(host(client_addr), 'this machine') FROM pg_stat_activity
WHERE datname = current_database() AND application_name = %(name)s ORDER BY pid
"""
_SERIALIZE: Final = "SELECT pg_advisory_xact_lock(hashtextextended('scentfield', 0))"


class ImpatientConnection(psycopg.Connection[Any]):
    """A connection that is given up when one exchange takes longer than `max_wait_s`."""

    max_wait_s: float = float("inf")

    def wait(self, gen: Generator[Any, Any, T], *rest: Any, **named: Any) -> T:
        """Psycopg's loop around one exchange; it comes by ten times a second while nothing arrives."""
        return super().wait(self._limited(gen), *rest, **named)

    def _limited(self, gen: Generator[Any, Any, T]) -> Generator[Any, Any, T]:
        until_s = time.monotonic() + self.max_wait_s
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if not ready and time.monotonic() > until_s:
                    self.pgconn.finish()  # what comes later must not be taken for the answer to something else
                    raise psycopg.OperationalError(f"no answer within {self.max_wait_s:g} s")
                wanted = gen.send(ready)
        except StopIteration as end:
            answer: T = end.value
            return answer


def make_engine(url: sa.URL, patience: Patience) -> Engine:
    """An engine whose connections keep the time limits and commit to disk before they say so."""
    engine = sa.create_engine(
        url,
        pool_pre_ping=True,
        pool_size=2,
        pool_timeout=patience.statement_s,
        pool_reset_on_return=None,  # every transaction is ended by whoever began it
        hide_parameters=True,
    )

    def connect(_dialect: object, _record: object, arguments: Any, options: Any) -> ImpatientConnection:
        connection = ImpatientConnection.connect(*arguments, **options)
        connection.max_wait_s = patience.statement_s + _GRACE_S
        return connection

    def settle(connection: psycopg.Connection[Any], _record: object) -> None:
        limits = (f"{patience.statement_s * 1000:.0f}", f"{patience.lock_s * 1000:.0f}")
        connection.autocommit = True
        connection.execute(_SETTLE, limits)
        connection.autocommit = False

    sa_event.listen(engine, "do_connect", connect)
    sa_event.listen(engine, "connect", settle)
    return engine


def mark_writer(connection: Connection, key: str) -> None:
    """Let the server show who writes the rows of `key`, and end this session if it falls silent within a commit."""
    values = {"name": _writer_name(key), "idle": f"{IDLE_WRITER_S * 1000:.0f}"}
    connection.exec_driver_sql(_MARK_WRITER, values)
    connection.commit()


def writers(connection: Connection, key: str) -> list[str]:
    """The sessions that have the rows of `key` open for writing, and from where."""
    rows = connection.exec_driver_sql(_WRITERS, {"name": _writer_name(key)})
    return [f"server process {pid}, for a client on {where}" for pid, where in rows]


def _writer_name(key: str) -> str:
    return f"scentfield {key}"[:_MAX_NAME]


def serialize(connection: Connection) -> None:
    """Until the transaction ends, let nobody else past this point; writers of the journal do not come by here."""
    connection.exec_driver_sql(_SERIALIZE)


def is_damage(error: BaseException) -> bool:
    """Whether the store is not what a writer left: doubled rows, a table that is gone, a broken page."""
    state = getattr(error, "sqlstate", None) or ""
    return state.startswith(_DAMAGED)


def is_lost(error: BaseException) -> bool:
    """Whether the connection has ended, so that a commit may be done without its confirmation."""
    state = getattr(error, "sqlstate", None)
    return state is None or state.startswith(_LOST)
