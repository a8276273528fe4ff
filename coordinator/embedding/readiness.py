"""Whether asking the model is worth a try now: pure, so that a hot path can decide without asking anybody.

What was heard of the model last counts. A call that was not answered in time closes the way for a pause that doubles,
so that a model that hangs costs one deadline now and then, not one at each call.
"""

from __future__ import annotations

from typing import Final

from actors.embedding.status import State, Status

REFRESH_S: Final = 1.0
FIRST_PAUSE_S: Final = 1.0
LAST_PAUSE_S: Final = 60.0


class Readiness:
    """What one process knows of the embedding actor. Times are monotonic seconds."""

    def __init__(self) -> None:
        self.status = Status(State.OFF, "", "nobody has asked for it yet")
        self._pause_s = FIRST_PAUSE_S
        self._closed_until_s = float("-inf")
        self._refresh_at_s = float("-inf")

    def is_open(self, now_s: float) -> bool:
        """Whether a call may be tried."""
        return self.status.is_ready and now_s >= self._closed_until_s

    def wants_refresh(self, now_s: float) -> bool:
        """Whether to ask the actor again how it is; it is then taken to be asked."""
        if self.is_open(now_s) or now_s < max(self._refresh_at_s, self._closed_until_s):
            return False
        self._refresh_at_s = now_s + REFRESH_S
        return True

    def heard(self, status: Status) -> None:
        """The actor said how it is."""
        self.status = status

    def answered(self) -> None:
        """A call was answered in time."""
        self._pause_s = FIRST_PAUSE_S

    def busy(self, now_s: float, retry_after_s: float) -> None:
        """The actor has no room for a while."""
        self._closed_until_s = now_s + retry_after_s

    def missed(self, now_s: float, reason: str) -> None:
        """A call was not answered in time, or could not be sent: nothing is known of the actor any more."""
        self.status = self.status._replace(state=State.OFF, reason=reason)
        self._closed_until_s = now_s + self._pause_s
        self._pause_s = min(LAST_PAUSE_S, 2.0 * self._pause_s)
