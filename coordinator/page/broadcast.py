"""One stream of events for any number of watchers.

Each event is made once and numbered. A watcher has a place in the stream and no queue of its own: whoever comes back is
given what it missed while that is kept, and whoever has fallen behind further is told everything anew. So a watcher
that does not read costs nothing but its connection.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any, Final

from actors.runtime.errors import Busy
from coordinator.page.table import Table, Tables, event

MAX_EVENTS: Final = 256
MAX_EVENT_BYTES: Final = 2 * 2**20
MAX_WATCHERS: Final = 64
BEAT_S: Final = 5.0
"""A watcher hears something this often, so that it can tell a quiet coordinator from a lost one."""


class Broadcast:
    """The events about one claim space; `about` stands in the first event of each watcher.

    `monotonic` gives seconds, and is the clock of all points in time in the tables.
    """

    def __init__(self, about: Mapping[str, Any], monotonic: Callable[[], float], *, beat_s: float = BEAT_S) -> None:
        self._about = about
        self._monotonic = monotonic
        self._beat_s = beat_s
        self._epoch = secrets.token_hex(8)
        self._tables = Tables()
        self._last = 0
        self._events: deque[tuple[int, bytes]] = deque()
        self._n_bytes = 0
        self._changed = asyncio.Event()
        self._is_over = False
        self.n_watchers = 0

    def __len__(self) -> int:
        return len(self._events)

    def tell(self, news: Mapping[str, Table]) -> None:
        """Let these tables be so from now on; says nothing where nothing has changed."""
        delta = self._tables.take(news)
        if not delta:
            return
        self._last += 1
        document = {"now": self._now(), **delta.document()}
        raw = event("change", document, f"{self._epoch}.{self._last}")
        self._events.append((self._last, raw))
        self._n_bytes += len(raw)
        while len(self._events) > MAX_EVENTS or self._n_bytes > MAX_EVENT_BYTES:
            self._n_bytes -= len(self._events.popleft()[1])
        self._wake()

    def close(self) -> None:
        """No more events: all streams end."""
        self._is_over = True
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _now(self) -> float:
        return round(self._monotonic(), 2)

    async def watch(self, last_id: str) -> AsyncGenerator[bytes, None]:
        """The events after `last_id`, which a watcher has heard last; everything, if that is not known here.

        Raises `Busy` if there are too many watchers.
        """
        if self.n_watchers >= MAX_WATCHERS:
            raise Busy(f"{self.n_watchers} pages are open, which is the limit: close one", self._beat_s)
        self.n_watchers += 1
        try:
            place = self._place(last_id)
            if place == self._last:
                yield self._beat()
            while not self._is_over:
                changed = self._changed
                missed, place = self._after(place)
                for raw in missed:
                    yield raw
                if not missed and not await _is_set_within(changed, self._beat_s):
                    yield self._beat()
        finally:
            self.n_watchers -= 1

    def _place(self, last_id: str) -> int:
        epoch, _, number = last_id.partition(".")
        is_known = epoch == self._epoch and number.isascii() and number.isdigit() and len(number) < 16
        return int(number) if is_known and int(number) <= self._last else -1

    def _after(self, place: int) -> tuple[list[bytes], int]:
        """What somebody at this place has missed, and the place after that."""
        oldest = self._events[0][0] if self._events else self._last + 1
        if place < oldest - 1:
            return [self._whole()], self._last
        return [raw for number, raw in self._events if number > place], self._last

    def _beat(self) -> bytes:
        return event("beat", {"now": self._now()})

    def _whole(self) -> bytes:
        document = {"now": self._now(), **self._about, "put": self._tables.whole()}
        return event("whole", document, f"{self._epoch}.{self._last}")


async def _is_set_within(changed: asyncio.Event, span_s: float) -> bool:
    try:
        async with asyncio.timeout(span_s):
            await changed.wait()
    except TimeoutError:
        return False
    return True
