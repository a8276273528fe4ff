"""First come, first served, and nobody is forgotten."""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias

from actors.runtime.request_memory import Abandoned
from actors.scent_field.event import (
    LeaseGranted,
    LeaseMoved,
    LeaseRenewed,
    SignalDeposited,
    WaiterLeft,
    WaiterQueued,
)
from actors.sessions.registry import SessionEnded
from coordinator.simulation.checker.entry import Lease, Waiter
from coordinator.simulation.checker.rule import Record, Rule, any_meet
from coordinator.simulation.checker.terms import EPSILON_S
from coordinator.simulation.history import Finished

Ways: TypeAlias = dict[str, list[list[set[str]]]]
"""For each who waits, request by request, the ways to go on: for each the agents that have to go on first."""


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


class RestEnds(Rule):
    """A claim on which nobody has worked for `idle_s` does not keep somebody waiting any longer."""

    name: ClassVar[str] = "a rested claim makes way"

    def settled(self) -> None:
        """Look at whoever was in the line before this row: what ends by itself ends before anybody asks."""
        for waiter in self.book.waiters.values() if not self.row.is_tick else ():
            if waiter.row != self.book.row:
                self._check(waiter)

    def _check(self, waiter: Waiter) -> None:
        field_s, lineage = self.row.field_s, self.book.lineage(waiter.session_id)
        for lease in self.book.blocking(waiter.space, lineage, waiter.targets, waiter.shared, field_s):
            if lease.is_live and lease.progress_at_s + self.book.terms.idle_s < field_s - EPSILON_S:
                self.broken(
                    f"{waiter.session_id} waits for {lease.session_id}, whose claim on {', '.join(lease.targets)} has "
                    f"rested since {lease.progress_at_s:.3f}",
                    lease.row,
                    waiter.row,
                )


class NoRing(Rule):
    """Nobody may queue up, or hand a claim over, who would close a ring of agents that wait for each other.

    An agent goes on when all of its requests do; a request, when all who are in the way of it do, or for `any_of` of
    one of its targets. Whoever is left when nobody more can go on is in a ring or waits for one. Rings that close when
    somebody is served who waits for something else, too, are not looked for.
    """

    name: ClassVar[str] = "nobody waits for ever"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._how = ""
        self._waiting: list[str] = []

    def fact(self, event: Any) -> None:
        """Judge when the book has taken it, and nothing after it but the rest of a hand-over."""
        if not (self._how and isinstance(event, (LeaseMoved, SignalDeposited))):
            self._judge()
        if isinstance(event, WaiterQueued):
            self._how, self._waiting = f"{event.session_id} may queue up", [event.session_id]
        elif isinstance(event, LeaseMoved) and event.lease_id in self.book.leases:
            lease = self.book.leases[event.lease_id]
            self._how = f"{lease.session_id} may hand over to {event.session_id}"
            self._waiting += self._waiting_for(lease)

    def settled(self) -> None:
        """The last of the row."""
        self._judge()

    def _waiting_for(self, lease: Lease) -> list[str]:
        return [
            waiter.session_id
            for waiter in self.book.waiters.values()
            if waiter.space == lease.space and any_meet(waiter.targets, lease.targets)
        ]

    def _judge(self) -> None:
        how, waiting, self._how, self._waiting = self._how, self._waiting, "", []
        if not waiting:
            return
        ways = self._ways()
        stuck = _stuck(ways)
        if any(one in _reached(one, ways, stuck) for one in waiting):
            rows = [waiter.row for waiter in self.book.waiters.values() if waiter.session_id in stuck]
            self.broken(f"{how} and closes a ring of {', '.join(stuck)}", *rows)

    def _ways(self) -> Ways:
        ways: Ways = {}
        for waiter in self.book.waiters.values():
            kept_out = [self._in_the_way(waiter, target) for target in waiter.targets]
            ways.setdefault(waiter.session_id, []).append(kept_out if waiter.any_of else [set().union(*kept_out)])
        return ways

    def _in_the_way(self, waiter: Waiter, target: str) -> set[str]:
        book, lineage = self.book, self.book.lineage(waiter.session_id)
        holders = book.blocking(waiter.space, lineage, (target,), waiter.shared, self.row.field_s)
        if not holders and book.holds_already(waiter.space, waiter.session_id, target):
            return set()
        ahead = book.ahead(waiter.space, lineage, (target,), waiter.shared, waiter.ticket)
        return {one.session_id for one in holders} | {one.session_id for one in ahead}


def _stuck(ways: Ways) -> list[str]:
    """Take away whoever can go on, until nobody more can."""
    stuck, n_before = sorted(ways), -1
    while len(stuck) != n_before:
        n_before = len(stuck)
        stuck = [one for one in stuck if not all(_goes_on(request, stuck) for request in ways[one])]
    return stuck


def _goes_on(request: list[set[str]], stuck: list[str]) -> bool:
    return any(agents.isdisjoint(stuck) for agents in request)


def _reached(start: str, ways: Ways, stuck: list[str]) -> set[str]:
    """Whom an agent waits for, and whom those wait for, among the stuck."""
    reached: set[str] = set()
    frontier = [start] if start in stuck else []
    while frontier:
        waits_for = set().union(*(agents for request in ways[frontier.pop()] for agents in request))
        new = [one for one in sorted(waits_for) if one in stuck and one not in reached]
        reached.update(new)
        frontier += new
    return reached
