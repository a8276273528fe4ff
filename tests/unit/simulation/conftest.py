"""Histories made by hand: the scent field's records as short calls, on a clock that only `wait` moves."""

from __future__ import annotations

from typing import Any

import pytest

from actors.runtime.request_memory import Abandoned, Answered
from actors.runtime.wire import pack
from actors.scent_field.event import LeaseEnded, LeaseGranted, WaiterQueued
from actors.sessions.registry import SessionEnded, SessionRegistered
from coordinator.simulation.checker.checker import check
from coordinator.simulation.checker.terms import Terms
from coordinator.simulation.history import Arrived, Committed, Finished, Heard, History, Opened, Replied, Sent, Wrote

TERMS = Terms(ttl_s=6.0, lock_delay_s=2.0, idle_s=25.0, fade_s=16.0)
SPACE = "house"


class Story:
    """A history in the making. Virtual time and field time are the same number unless a test says otherwise."""

    def __init__(self) -> None:
        self.records: History = []
        self.at_s = 0.0
        self.seq = 0
        self.n_calls = 0
        self.n_leases = 0
        self.open()

    def wait(self, for_s: float) -> None:
        self.at_s += for_s

    def add(self, record: Any) -> None:
        self.records.append(record)

    def open(self, *, process: int = 1, epoch: int = 1, actor: str = "scent_field") -> None:
        seq = self.seq if actor == "scent_field" else 0
        self.add(Opened(self.at_s, actor, process, epoch, seq, self.at_s))

    def commit(self, *events: Any, process: int = 1, epoch: int = 1, seq: int | None = None, **clocks: float) -> None:
        self.seq = self.seq + 1 if seq is None else seq
        field_s, utc_s = clocks.get("field_s", self.at_s), clocks.get("utc_s", 1_000.0 + self.at_s)
        self.add(Committed(self.at_s, "scent_field", process, epoch, self.seq, field_s, utc_s, events, False))

    def quality(self, seq: int, *events: Any) -> None:
        self.add(Committed(self.at_s, "quality_store", 1, 1, seq, 0.0, 1_000.0, events, False))

    def registered(self, session_id: str, *, parent: str = "", kept_by: str = "heartbeat") -> SessionRegistered:
        number = int(session_id.rpartition("#")[2])
        return SessionRegistered(session_id, number, parent, kept_by, 6.0, b"", self.at_s)

    def register(self, *session_ids: str) -> None:
        self.commit(*(self.registered(one) for one in session_ids))

    def granted(self, session_id: str, *targets: str, generation: int, **how: bool) -> LeaseGranted:
        self.n_leases += 1
        shared, fades = how.get("shared", False), how.get("fades", False)
        return LeaseGranted(self.n_leases, SPACE, session_id, targets, shared, generation, fades, self.at_s, "")

    def ended(self, lease_id: int, reason: str, *, delay_s: float = 0.0) -> LeaseEnded:
        return LeaseEnded(SPACE, lease_id, reason, self.at_s, self.at_s + delay_s)

    def queued(self, ticket: int, session_id: str, *targets: str, wait_s: float = 60.0, **how: bool) -> WaiterQueued:
        shared, any_of = how.get("shared", False), how.get("any_of", False)
        return WaiterQueued(ticket, SPACE, session_id, targets, shared, any_of, self.at_s, self.at_s + wait_s, "")

    def died(self, session_id: str, reason: str = "expired") -> SessionEnded:
        return SessionEnded(session_id, reason, self.at_s)

    def answered(self, session_id: str, number: int, *answers: list[Any]) -> Answered:
        return Answered(session_id, number, 0, pack(list(answers)))

    def abandoned(self, session_id: str, number: int) -> Abandoned:
        return Abandoned(session_id, number)

    def ask(self, session_id: str, *commands: list[Any], number: int = 0, process: int = 1) -> int:
        """A request is sent, and is in the mailbox."""
        self.n_calls += 1
        self.add(Sent(self.at_s, "somebody", self.n_calls, "scent_field", session_id, number, 0, (), commands))
        self.add(Arrived(self.at_s, "scent_field", process, self.n_calls))
        return self.n_calls

    def reply(self, call: int, *answers: list[Any], process: int = 1) -> None:
        self.add(Replied(self.at_s, "scent_field", process, self.at_s, call, answers))

    def hear(self, call: int, *answers: list[Any]) -> None:
        self.add(Heard(self.at_s, "somebody", call, answers))

    def beat(self, session_id: str) -> None:
        """A heartbeat is answered."""
        self.reply(self.ask(session_id, ["heartbeat", 0]), ["alive", 6.0, [], []])

    def write(self, session_id: str, path: str, generation: int, *, believed: bool = True, ok: bool = True) -> None:
        self.add(Wrote(self.at_s, "somebody", session_id, SPACE, path, generation, believed, ok))

    def finish(self) -> None:
        self.add(Finished(self.at_s))

    def broken(self) -> list[str]:
        """The rules that it breaks, each once."""
        return sorted({finding.rule for finding in check(self.records, TERMS)})

    def messages(self) -> str:
        return "\n".join(finding.message for finding in check(self.records, TERMS))


@pytest.fixture
def story() -> Story:
    """An empty history of one process, just started."""
    return Story()
