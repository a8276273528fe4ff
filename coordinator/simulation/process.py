"""One process of a state actor: the real mailbox, turned as the real event loop would turn it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from actors.runtime.errors import Corrupt
from actors.runtime.journal import CommitFailed, Fenced, Journal, Recover
from actors.runtime.machine import Now
from actors.runtime.mailbox import Mailbox
from actors.runtime.wire import unpack_own
from coordinator.simulation.call import Call, answers_of
from coordinator.simulation.disk import Killed, SimJournal
from coordinator.simulation.history import Arrived, Committed, Opened, Replied, Stopped, Troubled

if TYPE_CHECKING:
    from coordinator.simulation.host import Host

_LOOP_S: Final = (0.0002, 0.002)
"""Between a delivery and the turn that takes it."""


class Process:
    """A mailbox, alive until it is killed or fenced. `stalled_until_s`: until then it does not run."""

    def __init__(self, host: Host, number: int) -> None:
        self.host = host
        self.number = number
        self.is_alive = True
        self.stalled_until_s = 0.0
        self.unanswered: dict[int, Call] = {}
        self._epoch: int | None = None
        self._next_beat_s: float | None = None
        self._trouble: str = ""
        self._journal: SimJournal | None = None
        self.mailbox = Mailbox(open_journal=self._open_journal, make_machine=host.make_machine, limits=host.limits)

    def start(self) -> None:
        """Recover, and begin to turn."""
        self._run(self.mailbox.open)
        self._soon(0.0)

    def _open_journal(self, recover: Recover) -> Journal:
        disk = self.host.disk
        disk.check_room()
        try:
            journal = SimJournal.open(
                disk.store,
                new_store_id=f"store-{self.host.name}",
                expected_store_id=self.host.store_id,
                own_epoch=self._epoch,
                recover=recover,
            )
        except CommitFailed:
            disk.interrupted()
            raise
        assert isinstance(journal, SimJournal)  # `open` makes what it is called on
        journal.disk, journal.taken = disk, self._committed
        self._journal, self._epoch = journal, journal.head.epoch
        self.host.store_id = journal.head.store_id
        head = journal.head
        field_s = max(head.field_s, self.mailbox.clock.field_s) if self._trouble else head.field_s
        self.host.record(Opened(self._now_s, self.host.name, self.number, head.epoch, head.seq, field_s))
        return journal

    def _committed(self, journal: SimJournal, payload: bytes | None, now: Now) -> None:
        """Keep a record of what is in the store now."""
        events = []
        if payload is not None:
            make = self.host.events.make
            events = [make(code, fields) for code, fields in unpack_own(payload)[2]]
        seq = journal.seq
        self.host.record(
            Committed(
                self._now_s,
                self.host.name,
                self.number,
                journal.head.epoch,
                seq,
                now.field_s,
                now.utc_s,
                tuple(events),
                payload is None,
            )
        )

    @property
    def _now_s(self) -> float:
        return self.host.agenda.now_s

    def take(self, call: Call) -> None:
        """A copy of a request has come."""
        self.host.record(Arrived(self._now_s, self.host.name, self.number, call.number))
        self.unanswered[call.number] = call
        self._run(partial(self.mailbox.deliver, call.raw, partial(self._reply, call)))
        self._soon(self.host.random.uniform(*_LOOP_S))

    def _reply(self, call: Call, raw: bytes) -> None:
        self.host.disk.spring("answer")
        answers = answers_of(raw)
        field_s = self.mailbox.clock.field_s
        self.host.record(Replied(self._now_s, self.host.name, self.number, field_s, call.number, answers))
        self.unanswered.pop(call.number, None)
        self.host.network.carry(call.who, partial(call.hear, call, raw))

    def nudge(self) -> None:
        """There is something for the next turn."""
        self._soon(0.0)

    def _soon(self, delay_s: float) -> None:
        """Have a turn then, if none is due sooner."""
        at_s = max(self._now_s + delay_s, self.stalled_until_s)
        if self.is_alive and (self._next_beat_s is None or at_s < self._next_beat_s):
            self._next_beat_s = at_s
            self.host.agenda.at(at_s, partial(self._beat, at_s))

    def _beat(self, planned_s: float) -> None:
        if not self.is_alive or planned_s != self._next_beat_s:
            return
        self._next_beat_s = None
        if self._now_s < self.stalled_until_s:
            self._soon(0.0)
            return
        self._run(self._turn)

    def _turn(self) -> None:
        wake_s = self.mailbox.turn(monotonic_s=self._now_s, wall_s=self.host.wall_s())
        self._look_for_trouble()
        self.host.turned(self)
        if wake_s is not None:
            self._soon(wake_s)

    def _look_for_trouble(self) -> None:
        trouble = self.mailbox.trouble
        code = "" if trouble is None else trouble.code
        if code and code != self._trouble:
            self.host.record(Troubled(self._now_s, self.host.name, self.number, code))
        self._trouble = code
        if isinstance(trouble, Corrupt):
            self.host.is_corrupt()

    def _run(self, step: Callable[[], object]) -> None:
        """Run a part of the process; it may be its last."""
        try:
            step()
        except Fenced:
            self.stop("fenced")
        except Killed:
            self.stop("killed")
        else:
            self._look_for_trouble()

    def stop(self, why: str) -> None:
        """It is gone, and with it all that it had in memory."""
        if not self.is_alive:
            return
        self.is_alive = False
        if self._journal is not None:
            self._journal.abandon()
        self.host.record(Stopped(self._now_s, self.host.name, self.number, why))
        self.host.stopped(self)

    def close(self) -> None:
        """Give its connection back without a word."""
        self.is_alive = False
        if self._journal is not None:
            self._journal.abandon()
