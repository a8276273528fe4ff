"""First come, first served, and nobody is forgotten."""

from __future__ import annotations

from typing import Any, ClassVar

from actors.runtime.request_memory import Abandoned
from actors.scent_field.event import LeaseGranted, LeaseRenewed, WaiterLeft, WaiterQueued
from actors.sessions.registry import SessionEnded
from coordinator.simulation.checker.book import Waiter
from coordinator.simulation.checker.rule import Record, Rule
from coordinator.simulation.checker.terms import EPSILON_S
from coordinator.simulation.history import Finished


class InTurn(Rule):
    """A free target that an earlier waiter needs goes to nobody else."""

    name: ClassVar[str] = "first come, first served"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._served: WaiterLeft | None = None

    def fact(self, event: Any) -> None:
        """A grant, and whom it overtakes. What a waiter gets follows the fact that it has left the line."""
        if isinstance(event, LeaseGranted):
            ticket = self._served.ticket if self._served else None
            for target in event.targets:
                if not self.book.holds_already(event.space, event.session_id, target):
                    self._check(event, target, ticket)
        self._served = event if isinstance(event, WaiterLeft) and event.reason == "granted" else None

    def _check(self, event: LeaseGranted, target: str, ticket: int | None) -> None:
        lineage = self.book.lineage(event.session_id)
        for waiter in self.book.ahead(event.space, lineage, (target,), event.shared, ticket):
            self.broken(
                f"{event.session_id} was given {target} before {waiter.session_id}, who waits for "
                f"{', '.join(waiter.targets)} (ticket {waiter.ticket})",
                waiter.row,
            )


class NobodyForgotten(Rule):
    """Who waits is served in the commit that frees what it waits for, and told when its time is up."""

    name: ClassVar[str] = "no waiter is forgotten"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._left: list[tuple[Waiter, WaiterLeft]] = []
        self._in_row: set[tuple[str, str]] = set()

    def fact(self, event: Any) -> None:
        """Gather who leaves the line, and what may be the cause."""
        match event:
            case WaiterLeft() if event.ticket in self.book.waiters:
                self._left.append((self.book.waiters[event.ticket], event))
            case WaiterLeft():
                self.broken(f"ticket {event.ticket} left the line twice")
            case WaiterQueued() if event.ticket in self.book.waiters:
                self.broken(f"ticket {event.ticket} was given twice")
            case LeaseGranted():
                self._in_row.add(("granted", event.session_id))
            case LeaseRenewed() if event.lease_id in self.book.leases:
                self._in_row.add(("granted", self.book.leases[event.lease_id].session_id))
            case Abandoned():
                self._in_row.add(("withdrawn", event.session_id))
            case SessionEnded():
                self._in_row.add(("session ended", event.session_id))

    def settled(self) -> None:
        """Everybody who is still in the line has a reason to be."""
        for waiter, event in self._left:
            is_caused = (event.reason, waiter.session_id) in self._in_row
            is_late = event.reason == "timeout" and self.row.field_s >= waiter.deadline_s - EPSILON_S
            if not (is_caused or is_late):
                self.broken(f"{waiter.session_id} left the line ({event.reason}) without a cause", waiter.row)
        self._left.clear()
        self._in_row.clear()
        for waiter in self.book.waiters.values() if not self.row.is_tick else ():
            self._check_waiting(waiter, self.row.field_s)

    def _check_waiting(self, waiter: Waiter, field_s: float) -> None:
        if waiter.session_id not in self.book.sessions:
            self.broken(f"{waiter.session_id} is dead and still waits", waiter.row)
        elif waiter.deadline_s < field_s - EPSILON_S:
            self.broken(f"{waiter.session_id} should have been told that its time is up", waiter.row)
        elif not self._is_blocked(waiter, field_s):
            self.broken(f"{waiter.session_id} waits for {', '.join(waiter.targets)}, which is free", waiter.row)

    def _is_blocked(self, waiter: Waiter, field_s: float) -> bool:
        blocked = [self._keeps_out(waiter, target, field_s) for target in waiter.targets]
        return all(blocked) if waiter.any_of else any(blocked)

    def _keeps_out(self, waiter: Waiter, target: str, field_s: float) -> bool:
        book, lineage = self.book, self.book.lineage(waiter.session_id)
        if book.blocking(waiter.space, lineage, (target,), waiter.shared, field_s):
            return True
        if book.holds_already(waiter.space, waiter.session_id, target):
            return False
        return bool(book.ahead(waiter.space, lineage, (target,), waiter.shared, waiter.ticket))

    def saw(self, record: Record) -> None:
        """In the end nobody waits."""
        if isinstance(record, Finished):
            for waiter in self.book.waiters.values():
                self.broken(f"{waiter.session_id} still waits at the end", waiter.row)
