"""A transport that writes down what passes through it."""

from __future__ import annotations

from typing import Any

from coordinator.chaos.diary import Diary
from coordinator.step import Transport


class Witness:
    """Passes requests on to another transport, and replies back."""

    def __init__(self, inner: Transport, diary: Diary) -> None:
        self._inner = inner
        self._diary = diary

    def call(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        """Send and wait. Raises what the other one raises."""
        call = self._diary.sent(domain, raw)
        try:
            reply = self._inner.call(domain, raw, timeout_s)
        except BaseException as error:
            self._diary.gave_up(call, type(error).__name__)
            raise
        self._diary.heard(call, reply)
        return reply

    async def call_async(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        """The same without blocking the event loop."""
        call = self._diary.sent(domain, raw)
        try:
            reply = await self._inner.call_async(domain, raw, timeout_s)
        except BaseException as error:
            self._diary.gave_up(call, type(error).__name__)
            raise
        self._diary.heard(call, reply)
        return reply

    def describe(self, domain: str, timeout_s: float) -> dict[str, Any]:
        """The actor's own account; no part of the history."""
        return self._inner.describe(domain, timeout_s)
