"""Which token a session showed first: trust on first use.

The quality store does not know the sessions; it only sees to it that nobody else's call is taken for theirs. The token
itself is never kept. This guards against mix-ups, not against a hostile program in the same cluster.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from actors.runtime.errors import InvariantBroken, UnknownAgent


def token_digest(session_id: str, token: str) -> bytes:
    """SHA-256 of the token. Raises `UnknownAgent` if either is not what `register` gives out."""
    name, _, incarnation = session_id.rpartition("#")
    if not (name and incarnation and token):
        raise UnknownAgent(
            f"session {session_id[:80]!r} with a token of {len(token)} characters is not a registered one: "
            "register, and pass the session id and the token that it returns"
        )
    return hashlib.sha256(token.encode()).digest()


class Pins:
    """The first token's digest of each session, and which session was used when.

    The order of use is kept beside the state and is not journaled: after a restart it is the order of pinning.
    """

    def __init__(self) -> None:
        self._digests: dict[str, bytes] = {}
        self._used: OrderedDict[str, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._digests)

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._digests

    def check(self, session_id: str, digest: bytes) -> None:
        """Raise `UnknownAgent` unless `digest` is the pinned one."""
        if not hmac.compare_digest(self._digests[session_id], digest):
            raise UnknownAgent(
                f"session {session_id!r} was first seen with another token: "
                "pass the token that its registration returned, or register anew"
            )

    def touch(self, session_id: str) -> None:
        """The session was used just now."""
        self._used.move_to_end(session_id)

    def first_out(self) -> str:
        """The session that was not used for longest."""
        return next(iter(self._used))

    def pin(self, session_id: str, digest: bytes) -> None:
        """Keep a session's digest."""
        self._digests[session_id] = digest
        self._used[session_id] = None

    def drop(self, session_id: str) -> None:
        """Forget a session."""
        del self._digests[session_id]
        del self._used[session_id]

    def rows(self) -> Iterator[list[Any]]:
        """The state, in the order of pinning."""
        return ([session_id, digest] for session_id, digest in self._digests.items())

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        self.pin(row[0], row[1])

    def check_invariants(self) -> None:
        """The order of use must hold exactly the pinned sessions."""
        if self._used.keys() != self._digests.keys():
            raise InvariantBroken(f"{len(self._digests)} sessions are pinned, {len(self._used)} are in order of use")
