"""The background thread that keeps a session alive while its agent thinks, and dies with the process.

It ends the session where nobody else can: when the process exits normally, and when whoever owned the session is gone
(a task that has returned, a function that has ended) though the process goes on.
"""

from __future__ import annotations

import atexit
import logging
import os
import random
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Final, Literal

from actors.runtime.errors import ScentfieldError, UnknownAgent
from coordinator.session import AgentSession, beat, say_goodbye
from coordinator.step import Transport, drive

Order = Literal["beat", "leave", "stop"]
_BEATS_A_TTL: Final = 3.0
_PATIENCE: Final = 2.0 / 3.0  # of a TTL: an answer that comes later would hardly extend anything
_LEAVE_S: Final = 5.0
_log = logging.getLogger("scentfield.session")
_beating: set[Heart] = set()


class Heart:
    """Beats three times a TTL until the session ends, its `owner` is collected, or `stop` is called.

    A daemon: it never holds a process up.
    """

    def __init__(
        self, session: AgentSession, transport: Transport, *, monotonic: Callable[[], float], owner: object
    ) -> None:
        self._session = session
        self._transport = transport
        self._monotonic = monotonic
        self._pid = os.getpid()
        self._was_taken = True
        # Orders come from finalizers too, which may interrupt any thread anywhere: this queue allows that.
        self._orders: SimpleQueue[Order] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=f"heart-{session.session_id}", daemon=True)
        weakref.finalize(owner, self._orders.put, "leave").atexit = False

    def start(self) -> None:
        """Begin to beat."""
        self._session.nudge = self.beat_soon
        _beating.add(self)
        atexit.unregister(_leave_all)  # what is registered last runs first: before Ray disconnects
        atexit.register(_leave_all)
        self._thread.start()

    def beat_soon(self) -> None:
        """Beat now, out of turn: there is something to tell."""
        self._orders.put("beat")

    def stop(self) -> None:
        """Beat no more; returns at once. Whoever calls it says goodbye, if anybody does."""
        _beating.discard(self)
        self._orders.put("stop")

    def leave(self, within_s: float = _LEAVE_S) -> None:
        """Say goodbye for an owner that cannot: everything is released at once. Gives up after `within_s` seconds."""
        _beating.discard(self)
        if os.getpid() == self._pid and self._session.end is None:
            with suppress(Exception):  # the session's TTL does the rest
                drive(say_goodbye(self._session, within_s), self._transport)

    def _run(self) -> None:
        while True:
            order = self._next_order()
            if order == "leave":
                self.leave()
            if order != "beat" or not self._beat():
                _beating.discard(self)
                return

    def _next_order(self) -> Order:
        """What to do next; a heartbeat that was not taken is repeated soon, so that one lost answer ends nothing."""
        period_s = self._session.ttl_s / (_BEATS_A_TTL if self._was_taken else 4 * _BEATS_A_TTL)
        try:
            return self._orders.get(timeout=period_s * random.uniform(0.8, 1.0))
        except Empty:
            return "beat"

    def _beat(self) -> bool:
        """One beat; False when there is nothing left to keep alive."""
        n_losses = len(self._session.losses)
        timeout_s = self._session.ttl_s * _PATIENCE
        self._was_taken = False
        try:
            drive(beat(self._session, self._monotonic(), timeout_s), self._transport)
            self._was_taken = True
        except UnknownAgent as error:
            _log.warning("session %s has ended: %s", self._session.session_id, error.message)
            return False
        except ScentfieldError as error:
            _log.warning("a heartbeat of %s was not taken: %s", self._session.session_id, error.message)
        except Exception as error:  # a driver that shuts down pulls Ray away under this thread
            _log.debug("a heartbeat of %s failed: %r", self._session.session_id, error)
        for loss in self._session.losses[n_losses:]:
            _log.warning("%s has lost %s: %s", self._session.session_id, ", ".join(loss.targets), loss.reason)
        return True


def _leave_all() -> None:
    """At a normal exit of the process: release at once; 5 s for all of them together."""
    until_s = time.monotonic() + _LEAVE_S
    for heart in sorted(_beating, key=lambda one: one._session.session_id):
        heart.leave(max(0.1, until_s - time.monotonic()))


def monotonic_s() -> float:
    """The clock of the client's own deadline. It keeps running while the process is stopped."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()
