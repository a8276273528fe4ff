"""What the field needs to know of sessions; whoever keeps them provides it."""

from __future__ import annotations

from typing import Protocol


class Liveness(Protocol):
    """The sessions as the field sees them."""

    def is_live(self, session_id: str) -> bool:
        """Whether the session has not ended."""

    def lineage(self, session_id: str) -> tuple[str, ...]:
        """The session and its ancestors, itself first."""

    def remaining_s(self, session_id: str, now_s: float) -> float | None:
        """Seconds until it ends if it stays silent; None if heartbeats do not keep it."""

    def kept_by(self, session_id: str) -> str:
        """What keeps a live session: `heartbeat`, `connection` or `decay`."""

    def fate(self, session_id: str) -> str:
        """Why a session is not alive, as the end of a sentence."""
