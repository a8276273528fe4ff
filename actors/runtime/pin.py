"""Tokens trusted on first use, for the domains that do not know the sessions.

They only see to it that nobody else's call is taken for a session's own: its first call's token is its token from
then on. Kept is the SHA-256 of each. A domain that is asked by too many sessions forgets the one that was silent for
longest; should that one call again, it is trusted again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from hashlib import sha256
from hmac import compare_digest
from typing import Any, NamedTuple

from actors.runtime.errors import InvariantBroken, UnknownAgent


class TokenPinned(NamedTuple):
    """A session was seen for the first time; `digest` is its token's."""

    session_id: str
    digest: bytes


class PinEvicted(NamedTuple):
    """There were too many sessions; this one was not used for longest."""

    session_id: str


class Pins:
    """The first token's digest of each session, `max_pins` of them, and which session called when.

    `record` must journal an event and bring it back through `evolve` before it returns. The order of use is kept beside
    the state and is not journaled: after a restart it is the order of pinning.
    """

    def __init__(self, max_pins: int, record: Callable[[Any], None]) -> None:
        self._max_pins = max_pins
        self._record = record
        self._digests: dict[str, bytes] = {}
        self._used: OrderedDict[str, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._digests)

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._digests

    def admit(self, session_id: str, token: str) -> list[str]:
        """Trust the session's first token, and no other after it; returns the sessions that were forgotten for it.

        Raises `UnknownAgent`, and changes nothing, for another token and for what `register` does not give out.
        """
        digest = _digest(session_id, token)
        pinned = self._digests.get(session_id)
        if pinned is not None and not compare_digest(pinned, digest):
            raise UnknownAgent(
                f"session {session_id!r} is known by another token: register anew, and pass the token that it returns"
            )
        if pinned is None:
            self._record(TokenPinned(session_id, digest))
        self._used.move_to_end(session_id)
        return list(self._evicted())

    def _evicted(self) -> Iterator[str]:
        while len(self._digests) > self._max_pins:
            session_id = next(iter(self._used))
            self._record(PinEvicted(session_id))
            yield session_id

    def evolve(self, event: TokenPinned | PinEvicted) -> None:
        """Apply one fact."""
        if isinstance(event, TokenPinned):
            self._digests[event.session_id] = event.digest
            self._used[event.session_id] = None
        else:
            del self._digests[event.session_id]
            del self._used[event.session_id]

    def rows(self) -> Iterator[list[Any]]:
        """The state, in the order of pinning."""
        return ([session_id, digest] for session_id, digest in self._digests.items())

    def load(self, row: list[Any]) -> None:
        """Take back one row."""
        self.evolve(TokenPinned(row[0], row[1]))

    def check_invariants(self) -> None:
        """The order of use must hold exactly the pinned sessions."""
        if self._used.keys() != self._digests.keys():
            raise InvariantBroken(f"{len(self._digests)} sessions are pinned, {len(self._used)} are in order of use")


def _digest(session_id: str, token: str) -> bytes:
    name, _, incarnation = session_id.rpartition("#")
    if not (name and incarnation and token):
        raise UnknownAgent(
            f"session {session_id[:80]!r} with a token of {len(token)} characters is not a registered one: "
            "register, and pass the session id and the token that it returns"
        )
    return sha256(token.encode()).digest()
