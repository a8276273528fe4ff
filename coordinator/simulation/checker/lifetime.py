"""The dead lose their claims in time, the living never early, and nothing ends without a cause."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any, ClassVar, NamedTuple

from actors.runtime.request_memory import Abandoned, Answered
from actors.scent_field.event import LeaseEnded, LeaseMoved, LeaseShrunk, ReleaseForced
from actors.sessions.registry import SessionEnded, SessionRegistered
from coordinator.simulation.checker.entry import Lease, Session
from coordinator.simulation.checker.rule import Record, Rule
from coordinator.simulation.checker.terms import EPSILON_S, LATE_S
from coordinator.simulation.history import Arrived, Finished, Opened, Replied, Sent, Stalled, Stopped, Troubled

SCENT_FIELD = "scent_field"


class Downtime:
    """How long, in virtual time, the scent field has not served so far."""

    def __init__(self) -> None:
        self._total_s = 0.0
        self._down_since_s: float | None = 0.0
        self._writer = 0

    def saw(self, record: Record) -> None:
        """Take account of starts, ends, trouble and stand-stills of the process that is the writer."""
        match record:
            case Opened(at_s=at_s, actor="scent_field", process=process):
                self._writer = process
                if self._down_since_s is not None:
                    self._total_s += at_s - self._down_since_s
                    self._down_since_s = None
            case (
                Stopped(at_s=at_s, actor="scent_field", process=process)
                | Troubled(at_s=at_s, actor="scent_field", process=process)
            ):
                if process == self._writer and self._down_since_s is None:
                    self._down_since_s = at_s
            case Stalled(actor="scent_field", for_s=for_s):
                self._total_s += for_s

    def until_s(self, at_s: float) -> float:
        """The sum up to now."""
        return self._total_s + (0.0 if self._down_since_s is None else at_s - self._down_since_s)


class Sign(NamedTuple):
    """A sign of life: in field time, in virtual time, how long the house had been down by then, and where it stands."""

    field_s: float
    at_s: float
    down_s: float
    place: int


class Lifetime(Rule):
    """A session ends by silence when its TTL has passed since its last sign of life, neither earlier nor later.

    Signs are a registration, a heartbeat that was answered, and a start of the house. Checked in field time to the
    step, and in virtual time less what the house was down.
    """

    name: ClassVar[str] = "life and death"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._signs: dict[str, Sign] = {}
        self._deadlines: list[tuple[float, str]] = []
        self._sent: dict[int, Sent] = {}
        self._downtime = Downtime()
        self._writer = 0
        self._field_s = 0.0

    def fact(self, event: Any) -> None:
        """Begin, and judge an end."""
        if isinstance(event, SessionRegistered):
            self._live_on(event.session_id, event.ttl_s, event.at_s)
        elif isinstance(event, SessionEnded):
            session = self.book.sessions.get(event.session_id)
            if session is None:
                self.broken(f"{event.session_id} ended that was not alive")
            elif event.reason == "expired":
                self._check_early(session, event)

    def _live_on(self, session_id: str, ttl_s: float, field_s: float) -> None:
        """A sign of life at that field time."""
        self._signs[session_id] = Sign(field_s, self.at_s, self._downtime.until_s(self.at_s), self.place)
        heappush(self._deadlines, (field_s + ttl_s, session_id))

    def _check_early(self, session: Session, event: SessionEnded) -> None:
        sign = self._signs[session.session_id]
        lived_s = min(event.at_s - sign.field_s, self.at_s - sign.at_s)
        if lived_s < session.ttl_s - EPSILON_S:
            self.broken(
                f"{session.session_id} was declared dead {lived_s:.3f} s after a sign of life; its TTL is "
                f"{session.ttl_s:g} s",
                sign.place,
            )

    def settled(self) -> None:
        """Nobody may have been dead at the row before this one: all signs up to that are known by now."""
        row = self.row
        if row.is_tick:
            return
        while self._deadlines and self._deadlines[0][0] < self._field_s - EPSILON_S:
            deadline_s, session_id = heappop(self._deadlines)
            session = self.book.sessions.get(session_id)
            if session is not None and self._signs[session_id].field_s + session.ttl_s == deadline_s:
                self.broken(
                    f"{session_id} is still alive at field time {row.field_s:.3f}: its TTL ran out at {deadline_s:.3f}",
                    self._signs[session_id].place,
                )
        self._field_s = row.field_s

    def saw(self, record: Record) -> None:
        """Signs of life, and at the end those that should be dead."""
        self._downtime.saw(record)
        match record:
            case Sent():
                self._sent[record.call] = record
            case Opened(actor="scent_field"):
                self._writer = record.process
                self._field_s = record.field_s
                for session in self.book.sessions.values():
                    self._live_on(session.session_id, session.ttl_s, record.field_s)
            case Replied(actor="scent_field"):
                self._take_signs(record)
            case Finished():
                self._check_late()

    def _take_signs(self, replied: Replied) -> None:
        if replied.process != self._writer:
            return  # the word of a process that is no longer the writer keeps nobody alive
        for answer in replied.answers:
            session_id = ""
            if answer[0] == "alive":
                session_id = self._sent[replied.call].session_id
            elif answer[0] == "registered":
                session_id = answer[1]
            session = self.book.sessions.get(session_id)
            if session is not None:
                self._live_on(session_id, session.ttl_s, replied.field_s)

    def _check_late(self) -> None:
        for session in self.book.sessions.values():
            sign = self._signs[session.session_id]
            silent_s = self.at_s - sign.at_s - (self._downtime.until_s(self.at_s) - sign.down_s)
            if session.kept_by != "decay" and silent_s > session.ttl_s + LATE_S:
                self.broken(f"{session.session_id} is alive after {silent_s:.3f} s of silence", sign.place)


class HeartbeatCounts(Rule):
    """A heartbeat that has arrived is applied before its session expires."""

    name: ClassVar[str] = "an arrived heartbeat counts"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._beats: dict[int, str] = {}
        self._arrived: dict[tuple[int, int], tuple[str, int]] = {}

    def saw(self, record: Record) -> None:
        """Heartbeats that have arrived and are not answered, by process and call."""
        match record:
            case Sent(actor="scent_field", commands=[["heartbeat", *_]]):
                self._beats[record.call] = record.session_id
            case Arrived(actor="scent_field") if record.call in self._beats:
                if self._beats[record.call] in self.book.sessions:
                    self._arrived[record.process, record.call] = (self._beats[record.call], self.place)
            case Replied(actor="scent_field"):
                self._arrived.pop((record.process, record.call), None)
            case Stopped(actor="scent_field"):
                self._arrived = {key: one for key, one in self._arrived.items() if key[0] != record.process}

    def fact(self, event: Any) -> None:
        """An expiry beside a heartbeat in the same process's mailbox."""
        if isinstance(event, SessionEnded) and event.reason == "expired":
            for (process, _call), (session_id, place) in self._arrived.items():
                if session_id == event.session_id and process == self.row.process:
                    self.broken(f"{session_id} expired although its heartbeat had arrived", place)


class Causes(Rule):
    """A claim ends by its holder, with its session, by fading, for its rest, or by force, and not otherwise.

    Rest ends it for somebody who waits for it and whom it keeps out. Whoever falls silent takes along the children that
    its connection kept, and what these had has expired too: they may still be in the middle of a write.
    """

    name: ClassVar[str] = "a claim ends with a cause"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._ended: list[tuple[Lease, LeaseEnded]] = []
        self._in_row: set[tuple[str, str]] = set()
        self._fates: dict[str, str] = {}
        self._in_the_way: set[int] = set()

    def fact(self, event: Any) -> None:
        """Gather causes and ends of a row."""
        match event:
            case Answered() | Abandoned():
                self._in_row.add(("asked", event.session_id))
            case ReleaseForced():
                self._in_row.add(("forced", event.from_session))
            case SessionEnded():
                session = self.book.sessions.get(event.session_id)
                parent = "" if session is None else session.parent
                self._fates[event.session_id] = (
                    self._fates.get(parent, "") if event.reason == "parent" else event.reason
                )
            case LeaseEnded() if event.lease_id in self.book.leases:
                lease = self.book.leases[event.lease_id]
                self._ended.append((lease, event))
                if event.reason == "idle" and self._keeps_others_out(lease):
                    self._in_the_way.add(lease.lease_id)
            case LeaseEnded() | LeaseShrunk() | LeaseMoved() if event.lease_id not in self.book.leases:
                self.broken(f"claim {event.lease_id} changed, which there is not")

    def settled(self) -> None:
        """Match them."""
        for lease, event in self._ended:
            if not self._has_cause(lease, event):
                self.broken(f"the claim of {lease.session_id} ended ({event.reason}) without a cause", lease.began)
        self._ended.clear()
        self._in_row.clear()
        self._fates.clear()
        self._in_the_way.clear()
        if not self.row.is_tick:
            self._check_live()

    def _keeps_others_out(self, lease: Lease) -> bool:
        """Whether somebody waits for what it covers, and may not have it beside it."""
        return any(
            waiter.space == lease.space
            and lease.keeps_out(self.book.lineage(waiter.session_id), waiter.targets, waiter.shared)
            for waiter in self.book.waiters.values()
        )

    def _has_cause(self, lease: Lease, event: LeaseEnded) -> bool:
        terms = self.book.terms
        match event.reason:
            case "released":
                return ("asked", lease.session_id) in self._in_row
            case "forced":
                return ("forced", lease.session_id) in self._in_row
            case "faded":
                return lease.fades and event.at_s >= lease.progress_at_s + terms.fade_s - EPSILON_S
            case "idle":
                has_rested = event.at_s >= lease.progress_at_s + terms.idle_s - EPSILON_S
                return has_rested and lease.lease_id in self._in_the_way
            case "expired" | "goodbye":
                return self._fates.get(lease.session_id) == event.reason
        return False

    def _check_live(self) -> None:
        for lease in self.book.leases.values():
            if not lease.is_live:
                continue
            if lease.session_id not in self.book.sessions:
                place, _reason = self.book.ended_sessions.get(lease.session_id, (-1, ""))
                self.broken(f"{lease.session_id} is dead and holds {', '.join(lease.targets)}", lease.began, place)
            elif lease.fades and lease.progress_at_s + self.book.terms.fade_s < self.row.field_s - EPSILON_S:
                self.broken(f"the claim of {lease.session_id} should have faded", lease.began)

    def saw(self, record: Record) -> None:
        """In the end, when everybody has been silent for long, nobody holds anything."""
        if isinstance(record, Finished):
            for lease in self.book.leases.values():
                self.broken(f"{lease.session_id} still keeps {', '.join(lease.targets)} at the end", lease.began)
