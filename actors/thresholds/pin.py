"""Which token a session showed first: trust on first use.

The thresholds do not know the sessions; they only see to it that nobody else's call is taken for theirs. The token
itself is never kept. This guards against mix-ups, not against a hostile program in the same cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from hmac import compare_digest
from typing import Any

from actors.runtime.errors import UnknownAgent
from actors.thresholds.event import PinEvicted, TokenPinned


class Pins:
    """The SHA-256 of each session's first token, in the order of pinning; the oldest goes when there are too many."""

    def __init__(self, max_pins: int, record: Callable[[Any], None]) -> None:
        self._max_pins = max_pins
        self._record = record
        self._digests: dict[str, bytes] = {}

    def __len__(self) -> int:
        return len(self._digests)

    def admit(self, session_id: str, token: str) -> list[str]:
        """Trust the session's first token; returns the sessions that were forgotten for it.

        Raises `UnknownAgent`, and changes nothing, for another token and for what `register` does not give out.
        """
        digest = _digest(session_id, token)
        pinned = self._digests.get(session_id)
        if pinned is None:
            self._record(TokenPinned(session_id, digest))
            return list(self._evicted())
        if not compare_digest(pinned, digest):
            raise UnknownAgent(
                f"session {session_id!r} was first seen with another token: "
                "pass the token that its registration returned, or register anew"
            )
        return []

    def _evicted(self) -> Iterator[str]:
        while len(self._digests) > self._max_pins:
            oldest = next(iter(self._digests))
            self._record(PinEvicted(oldest))
            yield oldest

    def token_pinned(self, fact: TokenPinned) -> None:
        """Apply a first token."""
        self._digests[fact.session_id] = fact.digest

    def pin_evicted(self, fact: PinEvicted) -> None:
        """Apply that a session is forgotten."""
        del self._digests[fact.session_id]

    def rows(self) -> Iterator[list[Any]]:
        """The state, in the order of pinning."""
        return ([session_id, digest] for session_id, digest in self._digests.items())

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        self._digests[row[0]] = row[1]


def _digest(session_id: str, token: str) -> bytes:
    name, _, incarnation = session_id.rpartition("#")
    if not (name and incarnation and token):
        raise UnknownAgent(
            f"session {session_id[:80]!r} with a token of {len(token)} characters is not a registered one: "
            "register, and pass the session id and the token that it returns"
        )
    return sha256(token.encode()).digest()
