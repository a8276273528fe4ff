"""The background thread that keeps a session alive while its agent thinks, and dies with the process."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import structlog

from actors.runtime.errors import ScentfieldError, UnknownAgent
from coordinator.session import AgentSession, beat
from coordinator.step import Transport, drive

_BEATS_A_TTL = 3.0
_log = structlog.get_logger("scentfield.session")


class Heart:
    """Beats three times a TTL until the session ends or `stop` is called. A daemon: it never holds a process up."""

    def __init__(self, session: AgentSession, transport: Transport, *, monotonic: Callable[[], float]) -> None:
        self._session = session
        self._transport = transport
        self._monotonic = monotonic
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"heart-{session.session_id}", daemon=True)

    def start(self) -> None:
        """Begin to beat."""
        self._thread.start()

    def stop(self) -> None:
        """Beat no more; returns at once."""
        self._stopping.set()

    def _run(self) -> None:
        period_s = self._session.ttl_s / _BEATS_A_TTL
        while not self._stopping.wait(period_s * random.uniform(0.8, 1.0)):
            if not self._beat(period_s):
                return

    def _beat(self, period_s: float) -> bool:
        """One beat; False when there is nothing left to keep alive."""
        n_losses = len(self._session.losses)
        try:
            drive(beat(self._session, self._monotonic(), max(1.0, period_s)), self._transport)
        except UnknownAgent as error:
            _log.warning("session ended", agent=self._session.session_id, why=error.message)
            return False
        except ScentfieldError as error:
            _log.warning("heartbeat not taken", agent=self._session.session_id, why=error.message)
        except Exception as error:  # a driver that shuts down pulls Ray away under this thread
            with suppress(Exception):
                _log.debug("heartbeat failed", agent=self._session.session_id, why=repr(error))
            return not self._stopping.wait(1.0)
        for loss in self._session.losses[n_losses:]:
            _log.warning("claim lost", agent=self._session.session_id, targets=loss.targets, reason=loss.reason)
        return True


def monotonic_s() -> float:
    """The clock of the client's own deadline. It keeps running while the process is stopped."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()
