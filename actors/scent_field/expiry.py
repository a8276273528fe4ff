"""When a lease ends at the earliest."""

from __future__ import annotations

from actors.scent_field.lease import Lease
from actors.scent_field.limits import FieldLimits
from actors.scent_field.liveness import Liveness


class Expiry:
    """Remaining seconds of leases, from what keeps them."""

    def __init__(self, limits: FieldLimits, sessions: Liveness) -> None:
        self._lock_delay_s = limits.lock_delay_s
        self._fade_s = limits.fade_s
        self._sessions = sessions

    def expires_in_s(self, lease: Lease, now_s: float) -> float:
        """The earliest end of a lease if its holder went silent now; of one that has ended, of its lock delay."""
        if lease.blocked_until_s is not None:
            return max(0.0, lease.blocked_until_s - now_s)
        if lease.fades:
            return max(0.0, lease.progress_at_s + self._fade_s - now_s)
        remaining_s = self._sessions.remaining_s(lease.session_id, now_s)
        return 0.0 if remaining_s is None else remaining_s

    def fresh_s(self, session_id: str, now_s: float) -> float:
        """The same for a lease that the session would be given now."""
        remaining_s = self._sessions.remaining_s(session_id, now_s)
        return self._fade_s if remaining_s is None else remaining_s

    def free_in_s(self, lease: Lease, now_s: float) -> float:
        """The same for somebody else, who has to wait through the lock delay of a silent holder too."""
        expires_in_s = self.expires_in_s(lease, now_s)
        return expires_in_s + self._lock_delay_s if lease.is_live and not lease.fades else expires_in_s
