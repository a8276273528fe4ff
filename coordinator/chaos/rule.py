"""Promises that are judged otherwise than in the simulation, because here nobody sees the inside of a process."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from actors.sessions.registry import SessionEnded, SessionRegistered
from coordinator.chaos.account import AWAY, BACK, EDITED, KILLED, SURPRISED
from coordinator.simulation.checker.lifetime import Absence, Downtime
from coordinator.simulation.checker.rule import Record, Rule
from coordinator.simulation.checker.terms import LATE_S
from coordinator.simulation.history import Committed, Finished, Happened, Heard, Sent

STEP_S: Final = 2.0
"""So much field time, at most, goes on in one step after a stand-still."""
_SLEW: Final = 0.01
_CLOCK_S: Final = 0.05
"""For two clocks that are read one after the other, in two processes."""


class SureAbsence(Absence):
    """How long the scent field certainly was not there so far."""

    def saw(self, record: Record) -> None:
        """Take account of what `account` says of deeds."""
        match record:
            case Happened(at_s=at_s, who="scent_field", what=what) if what == AWAY:
                self.begin(at_s)
            case Happened(at_s=at_s, who="scent_field", what=what) if what == BACK:
                self.end(at_s)


class NeverEarly(Rule):
    """A session that ends by silence has been silent for its TTL, less the time in which the field was not there.

    Judged by when its last heartbeat that was answered had been sent. A stand-still of the field counts as one step;
    what counts as one is what certainly was one.
    """

    name: ClassVar[str] = "the living never die"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._sent: dict[int, tuple[float, float]] = {}
        self._sessions: dict[int, str] = {}
        self._signs: dict[str, tuple[float, float]] = {}
        self._absence = SureAbsence()

    def fact(self, event: Any) -> None:
        """A beginning, and an end."""
        if isinstance(event, SessionRegistered):
            self._signs[event.session_id] = (self.at_s, self._absence.until_s(self.at_s))
        elif isinstance(event, SessionEnded) and event.reason == "expired":
            self._judge(event.session_id)

    def _judge(self, session_id: str) -> None:
        session, sign = self.book.sessions.get(session_id), self._signs.get(session_id)
        if session is None or sign is None:
            return  # `a claim ends with a cause` and `life and death` tell of those
        at_s, away_s = sign
        was_away_s = self._absence.until_s(self.at_s) - away_s
        lived_s = self.at_s - at_s - was_away_s
        if lived_s < session.ttl_s - (STEP_S if was_away_s else 0.0) - _CLOCK_S:
            self.broken(
                f"{session_id} was declared dead {lived_s:.3f} s after its last heartbeat was sent; its TTL is "
                f"{session.ttl_s:g} s"
            )

    def saw(self, record: Record) -> None:
        """Heartbeats, when they were sent; taken for signs of life when they were answered."""
        self._absence.saw(record)
        match record:
            case Sent(actor="scent_field", commands=(["heartbeat", *_],)):
                self._sent[record.call] = (record.at_s, self._absence.until_s(record.at_s))
                self._sessions[record.call] = record.session_id
            case Heard() if record.call in self._sent:
                sign = self._sent.pop(record.call)
                session_id = self._sessions.pop(record.call)
                if record.answers[0][0] == "alive":
                    self._signs[session_id] = max(sign, self._signs.get(session_id, sign))


class EndsInTime(Rule):
    """The session of an agent that was killed ends within its TTL, and the time in which the field was not there."""

    name: ClassVar[str] = "the dead are gone in time"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._killed: dict[str, tuple[float, float]] = {}
        self._downtime = Downtime()

    def saw(self, record: Record) -> None:
        """Kills; and what is left at the end."""
        self._downtime.saw(record)
        match record:
            case Happened(what=what) if what == KILLED:
                self._killed[record.who] = (record.at_s, self._downtime.until_s(record.at_s))
            case Finished():
                for session_id in self.book.sessions:
                    self.broken(f"{session_id} is still alive at the end")

    def fact(self, event: Any) -> None:
        """An end."""
        if not isinstance(event, SessionEnded):
            return
        session = self.book.sessions.get(event.session_id)
        killed = self._killed.get(event.session_id.rpartition("#")[0])
        if session is None or killed is None:
            return
        at_s, down_s = killed
        dead_s = self.at_s - at_s - (self._downtime.until_s(self.at_s) - down_s)
        if dead_s > session.ttl_s + LATE_S:
            self.broken(f"{event.session_id} was killed, and ended {dead_s:.3f} s of service later")


class OnePast(Rule):
    """Rows follow each other without a gap, and neither of their clocks runs back, nor field time too fast."""

    name: ClassVar[str] = "one past"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._last: dict[str, tuple[Committed, int]] = {}

    def saw(self, record: Record) -> None:
        """Each row beside the one before it."""
        if not isinstance(record, Committed):
            return
        before = self._last.get(record.actor)
        self._last[record.actor] = (record, self.place)
        if before is not None:
            self._compare(*before, record)

    def _compare(self, before: Committed, place: int, row: Committed) -> None:
        field_s, wall_s = row.field_s - before.field_s, row.utc_s - before.utc_s
        if row.seq != before.seq + 1:
            self.broken(f"row {row.seq} of {row.actor} follows row {before.seq}", place)
        if field_s < 0.0 or wall_s < 0.0:
            self.broken(f"time ran back in {row.actor}: field {field_s:g} s, utc {wall_s:g} s", place)
        if field_s > wall_s * (1.0 + _SLEW) + _CLOCK_S:
            self.broken(f"field time of {row.actor} went on by {field_s:.3f} s in {wall_s:.3f} s", place)


class EditsKept(Rule):
    """An edit that was made is there at the next one of the same line; one place edits its own line alone."""

    name: ClassVar[str] = "edits are kept"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._newest: dict[tuple[str, str], tuple[int, int]] = {}

    def saw(self, record: Record) -> None:
        """Edits of one line count up."""
        if isinstance(record, Happened) and record.what.startswith(EDITED):
            path, place, count = record.what.removeprefix(EDITED).split(" ")
            before, at = self._newest.get((path, place), (0, -1))
            if int(count) <= before:
                self.broken(f"the line of place {place} in {path} was {before}, and then {count}", at)
            self._newest[path, place] = (int(count), self.place)


class NoSurprise(Rule):
    """An agent meets refusals and outages, and no other error."""

    name: ClassVar[str] = "no surprise"

    def saw(self, record: Record) -> None:
        """What an agent could not explain."""
        if isinstance(record, Happened) and record.what.startswith(SURPRISED):
            self.broken(f"{record.who} {record.what}")
