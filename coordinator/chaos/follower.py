"""Reads the journals while actors write them: old rows are folded into a snapshot, and the judge needs all of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import Final

from actors.runtime.errors import Unavailable
from actors.runtime.kernel import Kernel
from actors.runtime.view import View
from coordinator.simulation.history import Committed
from coordinator.store.place import StorePlace

_PERIOD_S: Final = 0.1
_STOP_S: Final = 60.0
THE_PROCESS: Final = 1
"""A row does not say which process wrote it, nor in which epoch: to the checker it is always the same one."""


class JournalFollower:
    """The rows of one store, in their order. `folded_over` is the last row of a gap, where it came too late."""

    def __init__(self, place: StorePlace) -> None:
        self.domain = place.domain
        self.rows: list[Committed] = []
        self.folded_over = 0
        self._place = place
        self._events = Kernel(place.make_machine()).events
        self._seq = 0
        self._sums: list[bytes] = []

    def read(self) -> None:
        """Read what has come. Raises `Corrupt` for a store that cannot be trusted."""
        with self._place.store.view() as view:
            head = view.head()
            if head is None:
                return
            if view.snapshot_seq() > self._seq and not view.has_row(self._seq + 1):
                self.folded_over = self._seq = view.snapshot_seq()
                self._sums.clear()
            for seq, payload in view.rows(self._seq, head.seq):
                self._take(seq, payload, view)

    def _take(self, seq: int, payload: bytes, view: View) -> None:
        field_s, utc_s, events = view.unpacked(payload, f"row {seq}")
        facts = tuple(self._events.make(code, fields) for code, fields in events)
        self.rows.append(Committed(utc_s, self.domain, THE_PROCESS, 1, seq, field_s, utc_s, facts, False))
        self._sums.append(_sum(payload))
        self._seq = seq

    def changed_rows(self) -> list[int]:
        """Which of the rows that it has read are other ones now, or missing though nothing was folded over them."""
        first = self._seq - len(self._sums)
        with self._place.store.view() as view:
            head = view.head()
            last = 0 if head is None else head.seq
            kept_from = max(view.snapshot_seq(), first)
            found = {seq: _sum(payload) for seq, payload in view.rows(kept_from, min(last, self._seq))}
        return [seq for seq in range(kept_from + 1, self._seq + 1) if found.get(seq) != self._sums[seq - first - 1]]


def _sum(payload: bytes) -> bytes:
    return blake2b(payload, digest_size=8).digest()


@contextmanager
def following(followers: Sequence[JournalFollower]) -> Iterator[None]:
    """Read them again and again in a thread, and once more at the end; raises what reading raised, on leaving."""
    is_over = threading.Event()
    errors: list[BaseException] = []

    def run() -> None:
        try:
            while not is_over.wait(_PERIOD_S):
                for follower in followers:
                    _read_if_there(follower)
        except BaseException as error:  # handed over to whoever waits for the end
            errors.append(error)

    thread = threading.Thread(target=run, name="journal-follower", daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join(_STOP_S)
    if errors:
        raise errors[0]
    for follower in followers:
        follower.read()


def _read_if_there(follower: JournalFollower) -> None:
    """A server that does not answer is asked again."""
    try:
        follower.read()
    except Unavailable:
        return
