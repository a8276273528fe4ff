"""What clients say to the registry of sessions, and what it answers."""

from __future__ import annotations

from typing import NamedTuple

from actors.runtime.wire import Schema


class Register(NamedTuple):
    """Begin a session. `token` is the caller's own random secret; only its SHA-256 is kept.

    `kept_by` says what keeps the session alive: `heartbeat` or `connection` (a heartbeat at least every `ttl_s`
    seconds, by the agent or by whoever holds its connection), or `decay` (nothing does: its claims fade away).
    `parent` is the session whose child this is, or empty. `seat` names the process that the session speaks for, or is
    empty: what that process starts (a commit, a hook) is found to be this agent's by it.
    """

    name: str
    token: str
    parent: str
    kept_by: str
    ttl_s: float
    seat: str = ""


class Registered(NamedTuple):
    """The session's identity, `name#incarnation`, and its first deadline."""

    session_id: str
    expires_in_s: float


class Goodbye(NamedTuple):
    """The session ends now, with its children that it keeps; its claims are free at once."""


class Farewell(NamedTuple):
    """The session has ended; so many claims were released."""

    n_released: int


class ListSessions(NamedTuple):
    """Who is there? Live sessions by identity."""

    limit: int


class SessionRow(NamedTuple):
    """One live session."""

    session_id: str
    parent: str
    kept_by: str
    age_s: float
    expires_in_s: float


class SessionList(NamedTuple):
    """Live sessions by identity, and how many there are in all."""

    rows: tuple[SessionRow, ...]
    n_live: int


SCHEMA = Schema(
    commands={"register": Register, "goodbye": Goodbye, "list_sessions": ListSessions},
    answers={"registered": Registered, "farewell": Farewell, "session_list": SessionList},
    queries=["list_sessions"],
    anonymous=["register"],
)
