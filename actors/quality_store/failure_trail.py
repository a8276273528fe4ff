"""Which edits failed lately, and why: for people who look on.

It is no state: nothing is decided by it, it is in no journal and no snapshot, and a restart of the actor begins it
anew.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from actors.quality_store.messages import FailureRow, RecordOutcome

MAX_FAILURES: Final = 512
MAX_FAILURES_LISTED: Final = 64


class FailureTrail:
    """The last 512 failed edits of all spaces."""

    def __init__(self) -> None:
        self._rows: deque[tuple[str, FailureRow]] = deque(maxlen=MAX_FAILURES)
        self._last = 0

    def __len__(self) -> int:
        return len(self._rows)

    def note(self, session_id: str, asked: RecordOutcome, utc_s: float) -> None:
        """An edit has failed."""
        self._last += 1
        row = FailureRow(self._last, session_id, asked.path, asked.mode, asked.cause, asked.n_tokens, utc_s)
        self._rows.append((asked.space, row))

    def newest(self, space: str) -> tuple[FailureRow, ...]:
        """A space's last failed edits, the newest first, 64 at most."""
        return tuple([row for where, row in reversed(self._rows) if where == space][:MAX_FAILURES_LISTED])
