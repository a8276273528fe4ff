"""Where a store is, as a URL: which databases there are, how long they are waited for, and what of it may be shown."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from actors.runtime.errors import Misuse

SQLITE: Final = "sqlite"
POSTGRESQL: Final = "postgresql"
_DRIVER: Final = "postgresql+psycopg"
_CONNECT: Final = "connect_timeout"
_STATEMENT: Final = "statement_timeout_s"
_LOCK: Final = "lock_timeout_s"
_SHOWN: Final = ("host", "port", "service")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a server is waited for: for a connection (to each host), for one statement, and for a row's lock.

    A commit on a server that hangs fails within `longest_s`. A lock is waited for less long than a statement takes, so
    that the two are told apart.
    """

    connect_s: float = 5.0
    statement_s: float = 5.0
    lock_s: float = 3.0

    @property
    def longest_s(self) -> float:
        """The longest that a caller waits for a server that hangs.

        One exchange, the look at a pooled connection, and a new one, to learn what became of a commit.
        """
        return 2 * (self.statement_s + 1.0) + self.connect_s

    def on(self, url: str) -> str:
        """The URL of a server with these limits, where it does not have its own. Raises `Misuse` for another one."""
        parsed = parse_url(url)
        if parsed.get_backend_name() == SQLITE:
            raise Misuse("store_url names an SQLite file: leave it out, and set data_dir to the folder of such files")
        limits = {_CONNECT: f"{self.connect_s:.0f}", _STATEMENT: f"{self.statement_s:g}", _LOCK: f"{self.lock_s:g}"}
        given = {name: value for name, value in limits.items() if name not in parsed.query}
        return parsed.update_query_dict(given).render_as_string(hide_password=False)


def sqlite_url(path: Path) -> str:
    """The URL of an SQLite store in that file."""
    return sa.URL.create(SQLITE, database=str(path)).render_as_string(hide_password=False)


def parse_url(url: str) -> sa.URL:
    """The URL of a store. Raises `Misuse`, which does not repeat it, for what is none."""
    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):  # which may repeat a password that was taken for a port
        raise _unreadable() from None
    if "@" in (parsed.host or ""):  # the rest of a password that holds one; it would stand in messages
        raise _unreadable()
    if parsed.drivername in ("postgresql", "postgres"):
        parsed = parsed.set(drivername=_DRIVER)
    if parsed.drivername not in (SQLITE, _DRIVER):
        raise Misuse(
            f"a store cannot be kept in {parsed.drivername!r}: give the URL of a PostgreSQL database, "
            "postgresql://USER@HOST/DATABASE, or none for SQLite files"
        )
    password = parsed.query.get("password")  # the driver takes it there too, but SQLAlchemy would show it
    return parsed if password is None else parsed.difference_update_query(["password"]).set(password=str(password))


def _unreadable() -> Misuse:
    return Misuse(
        "the store's URL cannot be read: write it as postgresql://USER:PASSWORD@HOST:PORT/DATABASE, and in names and "
        "password %40 for @, %3A for : and %2F for /"
    )


def take_patience(url: sa.URL) -> tuple[sa.URL, Patience]:
    """The URL that the driver understands, and the limits that ours had. Raises `Misuse` for one that is no number."""
    default = Patience()
    patience = Patience(
        _seconds(url, _CONNECT, default.connect_s),
        _seconds(url, _STATEMENT, default.statement_s),
        _seconds(url, _LOCK, default.lock_s),
    )
    plain = url.difference_update_query([_STATEMENT, _LOCK])
    return plain.update_query_dict({_CONNECT: f"{max(1.0, patience.connect_s):.0f}"}), patience


def _seconds(url: sa.URL, name: str, default: float) -> float:
    given: Any = url.query.get(name, default)
    try:
        value = float(given)
    except (TypeError, ValueError):
        value = 0.0
    if not 0.0 < value <= 3_600.0:
        raise Misuse(f"{name} in the store's URL is not a span of up to 3600 seconds: correct it")
    return value


def shown_url(url: sa.URL) -> str:
    """The URL as it may stand in messages and logs: without password, wherever in it that was given."""
    query = {name: value for name, value in url.query.items() if name in _SHOWN}
    plain = sa.URL.create(POSTGRESQL, url.username, None, url.host, url.port, url.database, query)
    return plain.render_as_string(hide_password=True)
