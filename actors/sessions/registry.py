"""Who is alive, and under which identity.

Keeps sessions: a name with an incarnation that is never reused, the hash of a token, and a deadline that heartbeats
push out. Liveness is the session and nothing else: no process is ever probed. Knows nothing of claims; whoever joins
the registry with a field tells the field who has ended. Heartbeats are not journaled: a start gives every session a
full TTL.
"""

from __future__ import annotations

import hashlib
import heapq
import hmac
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from actors.runtime.errors import InvariantBroken, Misuse, UnknownAgent
from actors.runtime.event_table import EventTable
from actors.runtime.machine import Now
from actors.runtime.wire import BusyFor
from actors.sessions.messages import ListSessions, Register, Registered, SessionList, SessionRow

KEPT_BY: Final = ("heartbeat", "connection", "decay")
MIN_TTL_S: Final = 1.0
MAX_TTL_S: Final = 86_400.0
DECAY_TTL_S: Final = 86_400.0
MAX_ENDED: Final = 10_000
MAX_DEPTH: Final = 8
MAX_LISTED: Final = 1_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@:+-]{0,127}")


class SessionRegistered(NamedTuple):
    """A session has begun."""

    session_id: str
    incarnation: int
    parent: str
    kept_by: str
    ttl_s: float
    token_sha256: bytes
    at_s: float


class SessionSeated(NamedTuple):
    """A session speaks for this process."""

    session_id: str
    seat: str


class SessionEnded(NamedTuple):
    """A session is over: `expired`, `goodbye`, or `parent` with its parent."""

    session_id: str
    reason: str
    at_s: float


EVENTS: Final = EventTable({100: SessionRegistered, 101: SessionEnded, 102: SessionSeated})


@dataclass(slots=True)
class Session:
    """One live session; `expires_at_s` is field time and is not journaled, nor is the token once it was seen."""

    session_id: str
    incarnation: int
    parent: str
    kept_by: str
    ttl_s: float
    token_sha256: bytes
    registered_at_s: float
    expires_at_s: float
    lineage: tuple[str, ...]
    seat: str = ""
    seen_token: bytes = field(default=b"", repr=False)

    def admits(self, token: bytes) -> bool:
        """Whether this is the session's token. It is hashed once: each later call would pay for that otherwise."""
        if self.seen_token:
            return hmac.compare_digest(token, self.seen_token)
        is_own = hmac.compare_digest(hashlib.sha256(token).digest(), self.token_sha256)
        if is_own:
            self.seen_token = token
        return is_own


class Ended(NamedTuple):
    """What is remembered of a session that is over."""

    reason: str
    at_s: float


class Registry:
    """All sessions. `max_sessions` bounds the live ones; the last 10,000 ended ones are remembered."""

    def __init__(self, *, max_sessions: int = 20_000) -> None:
        self.max_sessions = max_sessions
        self._incarnation = 0
        self._live: dict[str, Session] = {}
        self._ended: dict[str, Ended] = {}
        self._children: dict[str, dict[str, None]] = {}
        self._by_token: dict[bytes, str] = {}
        self._by_seat: dict[str, dict[str, None]] = {}
        self._deadlines: list[tuple[float, str]] = []
        self.events: list[Any] = []
        self.n_registered = 0
        self.n_ended = dict.fromkeys(("expired", "goodbye", "parent"), 0)

    def register(self, command: Register, now: Now) -> Registered | BusyFor:
        """Begin a session; the same name again is a new agent. The same request again is the same session.

        Raises `Misuse` for a name, seat, TTL or token that is not usable, among them another session's token;
        `UnknownAgent` for a parent that is not alive.
        """
        _check_register(command)
        digest = hashlib.sha256(command.token.encode()).digest()
        known = self._by_token.get(digest)
        if known is not None:
            return self._again(self._live[known], command, now)
        if len(self._live) >= self.max_sessions:
            return BusyFor(1.0, f"{len(self._live)} sessions are alive, which is the limit")
        name = self._qualified(command)
        incarnation = self._incarnation + 1
        ttl_s = DECAY_TTL_S if command.kept_by == "decay" else command.ttl_s
        session_id = f"{name}#{incarnation}"
        self._record(
            SessionRegistered(session_id, incarnation, command.parent, command.kept_by, ttl_s, digest, now.field_s)
        )
        if command.seat:
            self._record(SessionSeated(session_id, command.seat))
        return Registered(session_id, ttl_s)

    def _again(self, session: Session, command: Register, now: Now) -> Registered:
        """The caller did not hear the answer. It lives, as it asks."""
        _, _, name = session.session_id.rpartition("#")[0].rpartition("/")
        if (name, session.parent, session.kept_by) != (command.name, command.parent, command.kept_by):
            raise Misuse(f"this token is already that of {session.session_id!r}: take a new one for each session")
        self._extend(session, now)
        return Registered(session.session_id, session.ttl_s)

    def _qualified(self, command: Register) -> str:
        if not command.parent:
            return command.name
        parent = self._live.get(command.parent)
        if parent is None:
            raise UnknownAgent(f"parent {command.parent!r} {self.fate(command.parent)}: register without it")
        if len(parent.lineage) >= MAX_DEPTH:
            raise Misuse(
                f"{command.parent!r} is {MAX_DEPTH} generations deep already: register under one of its parents"
            )
        return f"{command.parent.rpartition('#')[0]}/{command.name}"

    def admit(self, session_id: str, token: str, now: Now) -> Session:
        """The session, if the token is its own. Raises `UnknownAgent` and says why."""
        session = self._live.get(session_id)
        if session is None:
            raise UnknownAgent(f"agent {session_id!r} {self.fate(session_id)}: register anew")
        if not session.admits(token.encode()):
            raise UnknownAgent(f"the token is not that of agent {session_id!r}: register under your own name")
        if session.kept_by == "decay":
            self._extend(session, now)
        return session

    def heartbeat(self, session_id: str, now: Now) -> float:
        """Push the deadline out; returns the seconds until the new one."""
        session = self._live[session_id]
        self._extend(session, now)
        return session.ttl_s

    def end(self, session_id: str, reason: str, now: Now) -> list[str]:
        """End a session, and with a goodbye those children that its connection kept; returns all that ended."""
        ended = []
        for one in (session_id, *self._kept_children(session_id)):
            if one in self._live:
                self._record(SessionEnded(one, reason if one == session_id else "parent", now.field_s))
                ended.append(one)
        return ended

    def _kept_children(self, session_id: str) -> list[str]:
        kept = []
        for child in self._children.get(session_id, ()):
            if self._live[child].kept_by == "connection":
                kept += [child, *self._kept_children(child)]
        return kept

    def expire(self, now: Now) -> list[str]:
        """End the sessions whose deadline has passed; returns them in the order of their deadlines."""
        ended: list[str] = []
        while self._deadlines and self._deadlines[0][0] <= now.field_s:
            at_s, session_id = heapq.heappop(self._deadlines)
            session = self._live.get(session_id)
            if session is None:
                continue
            if session.expires_at_s > at_s:
                heapq.heappush(self._deadlines, (session.expires_at_s, session_id))
                continue
            ended += self.end(session_id, "expired", now)
        return ended

    def next_deadline_s(self) -> float | None:
        """A lower bound of the next expiry, in field time."""
        return self._deadlines[0][0] if self._deadlines else None

    @property
    def n_live(self) -> int:
        """How many sessions are alive."""
        return len(self._live)

    def is_live(self, session_id: str) -> bool:
        """Whether the session has not ended."""
        return session_id in self._live

    def lineage(self, session_id: str) -> tuple[str, ...]:
        """The session and its ancestors, itself first; the session alone if it is not known."""
        session = self._live.get(session_id)
        return (session_id,) if session is None else session.lineage

    def seated(self, seats: tuple[str, ...]) -> list[str]:
        """The live sessions that speak for the first of these processes for which any does."""
        return next((list(self._by_seat[seat]) for seat in seats if seat in self._by_seat), [])

    def called(self, names: tuple[str, ...]) -> list[str]:
        """The live sessions of these names, each with its number or without; looks at all sessions, oldest first."""
        wanted = frozenset(names)
        return [one for one in self._live if one in wanted or one.rpartition("#")[0] in wanted] if wanted else []

    def remaining_s(self, session_id: str, now_s: float) -> float | None:
        """Seconds until the session ends if it stays silent; None if heartbeats do not keep it."""
        session = self._live.get(session_id)
        if session is None or session.kept_by == "decay":
            return None
        return max(0.0, session.expires_at_s - now_s)

    def kept_by(self, session_id: str) -> str:
        """What keeps a live session."""
        return self._live[session_id].kept_by

    def fate(self, session_id: str) -> str:
        """Why a session is not alive, as the end of a sentence."""
        ended = self._ended.get(session_id)
        if ended is None:
            return "is not known here"
        return {
            "expired": "has ended: no heartbeat came within its TTL",
            "goodbye": "has said goodbye",
            "parent": "has ended with its parent",
        }[ended.reason]

    def list_sessions(self, command: ListSessions, now: Now) -> SessionList:
        """Live sessions by identity, `limit` at most."""
        ids = heapq.nsmallest(max(0, min(command.limit, MAX_LISTED)), self._live)
        return SessionList(tuple(self._row(self._live[one], now) for one in ids), len(self._live))

    def _row(self, session: Session, now: Now) -> SessionRow:
        age_s = now.field_s - session.registered_at_s
        return SessionRow(session.session_id, session.parent, session.kept_by, age_s, self._remaining(session, now))

    def _remaining(self, session: Session, now: Now) -> float:
        return max(0.0, session.expires_at_s - now.field_s)

    def _extend(self, session: Session, now: Now) -> None:
        session.expires_at_s = now.field_s + session.ttl_s

    def _record(self, event: SessionRegistered | SessionSeated | SessionEnded) -> None:
        self.evolve(event)
        self.events.append(event)

    def evolve(self, event: Any) -> None:
        """Apply one event."""
        if type(event) is SessionRegistered:
            self._begin(event)
        elif type(event) is SessionSeated:
            self._seat(event.session_id, event.seat)
        else:
            self._finish(event)

    def _seat(self, session_id: str, seat: str) -> None:
        self._live[session_id].seat = seat
        self._by_seat.setdefault(seat, {})[session_id] = None

    def _begin(self, event: SessionRegistered) -> None:
        self._incarnation = max(self._incarnation, event.incarnation)
        self.n_registered += 1
        self._add(event, event.at_s + event.ttl_s)

    def _add(self, event: SessionRegistered, expires_at_s: float) -> None:
        session_id = event.session_id
        ancestors = self._live[event.parent].lineage if event.parent in self._live else ()
        self._live[session_id] = Session(
            session_id=session_id,
            incarnation=event.incarnation,
            parent=event.parent,
            kept_by=event.kept_by,
            ttl_s=event.ttl_s,
            token_sha256=event.token_sha256,
            registered_at_s=event.at_s,
            expires_at_s=expires_at_s,
            lineage=(session_id, *ancestors),
        )
        self._by_token[event.token_sha256] = session_id
        if event.parent:
            self._children.setdefault(event.parent, {})[session_id] = None
        heapq.heappush(self._deadlines, (expires_at_s, session_id))

    def _finish(self, event: SessionEnded) -> None:
        session = self._live.pop(event.session_id)
        del self._by_token[session.token_sha256]
        self._leave_seat(session)
        siblings = self._children.get(session.parent)
        if siblings is not None:
            siblings.pop(event.session_id, None)
            if not siblings:
                del self._children[session.parent]
        self._ended[event.session_id] = Ended(event.reason, event.at_s)
        self.n_ended[event.reason] += 1
        if len(self._ended) > MAX_ENDED:
            del self._ended[next(iter(self._ended))]
        if len(self._deadlines) > 1_000 + 4 * len(self._live):
            self._rebuild_deadlines()

    def _leave_seat(self, session: Session) -> None:
        others = self._by_seat.get(session.seat)
        if others is not None:
            others.pop(session.session_id, None)
            if not others:
                del self._by_seat[session.seat]

    def wake(self, now: Now) -> None:
        """Give every session a full TTL, as a start of the actor does."""
        for session in self._live.values():
            self._extend(session, now)
        self._rebuild_deadlines()

    def _rebuild_deadlines(self) -> None:
        self._deadlines = [(session.expires_at_s, session.session_id) for session in self._live.values()]
        heapq.heapify(self._deadlines)

    def snapshot(self) -> Iterator[list[Any]]:
        """Parts for `restore_part`."""
        yield ["registry", self._incarnation, self.n_registered, sorted(self.n_ended.items())]
        for one in self._live.values():
            yield [
                "session",
                [one.session_id, one.incarnation, one.parent, one.kept_by, one.ttl_s, one.token_sha256],
                one.registered_at_s,
                list(one.lineage),
            ]
        for one in self._live.values():
            if one.seat:
                yield ["seat", one.session_id, one.seat]
        for session_id, ended in self._ended.items():
            yield ["ended_session", session_id, *ended]

    def restore_part(self, part: list[Any]) -> bool:
        """Take one `snapshot` part; False if it is not this machine's."""
        match part:
            case ["registry", incarnation, n_registered, n_ended]:
                self._incarnation, self.n_registered, self.n_ended = incarnation, n_registered, dict(n_ended)
            case ["session", fields, at_s, lineage]:
                session_id, incarnation, parent, kept_by, ttl_s, digest = fields
                begun = SessionRegistered(session_id, incarnation, parent, kept_by, ttl_s, digest, at_s)
                self._add(begun, at_s + ttl_s)
                self._live[session_id].lineage = tuple(lineage)
            case ["seat", session_id, seat]:
                self._seat(session_id, seat)
            case ["ended_session", session_id, reason, at_s]:
                self._ended[session_id] = Ended(reason, at_s)
            case _:
                return False
        return True

    def check_invariants(self) -> None:
        """Re-derive tokens, seats, children and deadlines."""
        if self._by_token != {one.token_sha256: one.session_id for one in self._live.values()}:
            raise InvariantBroken("the index of tokens does not follow from the sessions")
        seats: dict[str, list[str]] = {}
        for one in self._live.values():
            if one.seat:
                seats.setdefault(one.seat, []).append(one.session_id)
        if seats != {seat: list(kept) for seat, kept in self._by_seat.items()}:
            raise InvariantBroken("the index of seats does not follow from the sessions")
        children: dict[str, set[str]] = {}
        for one in self._live.values():
            if one.parent:
                children.setdefault(one.parent, set()).add(one.session_id)
        if children != {parent: set(kept) for parent, kept in self._children.items()}:
            raise InvariantBroken("the index of children does not follow from the sessions")
        if not {one for _, one in self._deadlines} >= set(self._live):
            raise InvariantBroken("a live session has no deadline")
        if len(self._deadlines) > 1_001 + 4 * len(self._live) or len(self._ended) > MAX_ENDED:
            raise InvariantBroken(f"{len(self._deadlines)} deadlines are kept for {len(self._live)} sessions")


def _check_register(command: Register) -> None:
    if not _NAME.fullmatch(command.name):
        raise Misuse(
            f"{command.name[:140]!r} is not usable as an agent's name: 1 to 128 of letters, digits and ._@:+-, "
            "starting with a letter or digit"
        )
    if command.kept_by not in KEPT_BY:
        raise Misuse(f"kept_by={command.kept_by[:40]!r} is not one of {', '.join(KEPT_BY)}")
    if command.seat and not _NAME.fullmatch(command.seat):
        raise Misuse(f"{command.seat[:140]!r} is not usable as a seat: it is spelled as an agent's name, or left empty")
    if not MIN_TTL_S <= command.ttl_s <= MAX_TTL_S:
        raise Misuse(f"a TTL of {command.ttl_s} s is not between {MIN_TTL_S:g} and {MAX_TTL_S:g} s")
    if not 16 <= len(command.token) <= 256:
        raise Misuse("a token must have 16 to 256 characters: take 32 random hex digits")
