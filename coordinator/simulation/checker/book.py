"""What the committed facts of the scent field say: who is alive, who holds what, who waits.

A plain reading of the journal, fact by fact, without indices and without judging. A lease that ended by a missed
deadline stays in `leases` while its lock delay runs, by the checker's own reckoning. Rows are counted by their place in
the history.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from actors.scent_field.event import (
    ClaimRejected,
    LeaseEnded,
    LeaseGranted,
    LeaseMoved,
    LeaseProgressed,
    LeaseRenewed,
    LeasesGranted,
    LeaseShrunk,
    LockDelayOver,
    SignalDeposited,
    SignalNoted,
    WaiterLeft,
    WaiterQueued,
)
from actors.sessions.registry import SessionEnded, SessionRegistered
from coordinator.simulation.checker.entry import Lease, Session, Waiter, ended_copy
from coordinator.simulation.checker.terms import EPSILON_S, Terms
from coordinator.simulation.universe import any_meet

INVOLUNTARY: Final = ("expired", "faded", "idle", "forced")


@dataclass(slots=True)
class Book:
    """The state that follows from all committed facts. `row` is the place of the one that is being read."""

    terms: Terms
    row: int = 0
    sessions: dict[str, Session] = field(default_factory=dict)
    ended_sessions: dict[str, tuple[int, str]] = field(default_factory=dict)
    leases: dict[int, Lease] = field(default_factory=dict)
    past: dict[int, Lease] = field(default_factory=dict)
    waiters: dict[int, Waiter] = field(default_factory=dict)
    generation: Counter[str] = field(default_factory=Counter)
    counters: Counter[str] = field(default_factory=Counter)
    spaces: set[str] = field(default_factory=set)
    prevented: set[tuple[str, str, str, int]] = field(default_factory=set)
    past_lineages: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def lineage(self, session_id: str) -> tuple[str, ...]:
        """A session and its ancestors."""
        session = self.sessions.get(session_id)
        return (session_id,) if session is None else session.lineage

    def lineage_ever(self, session_id: str) -> tuple[str, ...]:
        """The same, also of a session that has ended."""
        return self.past_lineages.get(session_id) or self.lineage(session_id)

    def blocking(
        self, space: str, lineage: tuple[str, ...], targets: tuple[str, ...], shared: bool, field_s: float
    ) -> list[Lease]:
        """The leases that keep a request out, lock delays included."""
        return [
            lease
            for lease in self.leases.values()
            if lease.space == space
            and (lease.free_at_s is None or lease.free_at_s > field_s + EPSILON_S)
            and lease.keeps_out(lineage, targets, shared)
        ]

    def ahead(
        self, space: str, lineage: tuple[str, ...], targets: tuple[str, ...], shared: bool, before: int | None
    ) -> list[Waiter]:
        """Earlier waiters for all of their targets that need one of these; all count for a request without a ticket."""
        return [
            waiter
            for waiter in self.waiters.values()
            if waiter.space == space
            and (before is None or waiter.ticket < before)
            and not waiter.any_of
            and waiter.session_id not in lineage
            and not (shared and waiter.shared)
            and any_meet(waiter.targets, targets)
        ]

    def holds_already(self, space: str, session_id: str, target: str) -> bool:
        """Whether a session holds a file or label alone, so that those who wait for it lose nothing."""
        if target.endswith("/") or "*" in target:
            return False
        return any(
            lease.is_live
            and lease.space == space
            and lease.session_id == session_id
            and not lease.shared
            and any_meet(lease.targets, (target,))
            for lease in self.leases.values()
        )

    def claims_of(self, session_id: str) -> list[Lease]:
        """A session's live claims."""
        return [lease for lease in self.leases.values() if lease.is_live and lease.session_id == session_id]

    def ever(self) -> list[Lease]:
        """All claims that there are and were."""
        return [*self.leases.values(), *self.past.values()]

    def apply(self, event: Any) -> None:
        """Read one more fact."""
        match event:
            case SessionRegistered() | SessionEnded():
                self._apply_session(event)
            case LeaseGranted() | LeaseMoved():
                self._apply_grant(event)
            case LeaseRenewed() | LeaseProgressed() | LeaseShrunk() | LeaseEnded() | LockDelayOver():
                self._apply_lease(event)
            case WaiterQueued() | WaiterLeft():
                self._apply_waiter(event)
            case ClaimRejected():
                self._apply_rejection(event)
            case SignalDeposited() | SignalNoted():
                self.counters["signals_deposited"] += 1
        space = getattr(event, "space", None)
        if space:
            self.spaces.add(space)

    def _apply_session(self, event: SessionRegistered | SessionEnded) -> None:
        if isinstance(event, SessionRegistered):
            ancestors = self.lineage(event.parent) if event.parent in self.sessions else ()
            self.sessions[event.session_id] = Session(
                event.session_id,
                event.parent,
                event.kept_by,
                event.ttl_s,
                event.at_s,
                (event.session_id, *ancestors),
                self.row,
            )
            self.counters["sessions_registered"] += 1
        elif session := self.sessions.pop(event.session_id, None):
            self.past_lineages[event.session_id] = session.lineage
            self.ended_sessions[event.session_id] = (self.row, event.reason)
            self.counters[f"sessions_ended_{event.reason}"] += 1

    def _apply_grant(self, event: LeaseGranted | LeaseMoved) -> None:
        self.generation[event.space] = max(self.generation[event.space], event.generation)
        if isinstance(event, LeaseGranted):
            self.counters["claims_granted"] += 1
            self.leases[event.lease_id] = Lease(
                event.lease_id,
                event.space,
                event.session_id,
                event.targets,
                event.shared,
                event.generation,
                self._fades(event.session_id),
                event.at_s,
                self.row,
                self.row,
            )
            return
        self.counters["claims_transferred"] += 1
        lease = self.leases.get(event.lease_id)
        if lease is not None:
            self.past[-len(self.past) - 1] = ended_copy(lease, "transferred", self.row)
            lease.session_id, lease.generation = event.session_id, event.generation
            lease.fades = self._fades(event.session_id)
            lease.progress_at_s, lease.row, lease.began = event.at_s, self.row, self.row

    def _fades(self, session_id: str) -> bool:
        """Whether no heartbeat keeps this session, whatever the fact of its grant says."""
        return session_id in self.sessions and self.sessions[session_id].kept_by == "decay"

    def _apply_lease(self, event: LeaseRenewed | LeaseProgressed | LeaseShrunk | LeaseEnded | LockDelayOver) -> None:
        lease = self.leases.get(event.lease_id)
        match event:
            case LeaseRenewed():
                self.counters["claims_renewed"] += 1
            case LeaseShrunk():
                self.counters["claims_released"] += 1
            case LeaseEnded():
                self.counters[f"claims_{event.reason if event.reason in INVOLUNTARY else 'released'}"] += 1
        if lease is None:
            return
        match event:
            case LeaseRenewed() | LeaseProgressed():
                lease.progress_at_s = event.at_s
                lease.renewed |= isinstance(event, LeaseRenewed)
            case LeaseShrunk():
                lease.given_back += event.targets
                lease.targets = tuple(target for target in lease.targets if target not in event.targets)
                lease.row = self.row
            case LeaseEnded():
                self._end(lease, event)
            case LockDelayOver():
                lease.row = self.row
                self.past[lease.lease_id] = self.leases.pop(lease.lease_id)

    def _end(self, lease: Lease, event: LeaseEnded) -> None:
        lease.reason, lease.row = event.reason, self.row
        lease.free_at_s = event.at_s + (self.terms.lock_delay_s if event.reason == "expired" else 0.0)
        if event.reason != "expired":
            self.past[lease.lease_id] = self.leases.pop(lease.lease_id)

    def _apply_waiter(self, event: WaiterQueued | WaiterLeft) -> None:
        if isinstance(event, WaiterQueued):
            self.counters["waits_queued"] += 1
            self.waiters[event.ticket] = Waiter(
                event.ticket,
                event.space,
                event.session_id,
                event.targets,
                event.shared,
                event.any_of,
                event.deadline_s,
                self.row,
            )
            return
        self.waiters.pop(event.ticket, None)
        known = {"granted": "waits_granted", "timeout": "waits_timed_out"}
        self.counters[known.get(event.reason, "waits_withdrawn")] += 1

    def _apply_rejection(self, event: ClaimRejected) -> None:
        """Duplicate work prevented counts once for each asker, target and generation.

        A shared generation may outlive the claims that an asker was refused for; then the fact is believed.
        """
        self.counters["claims_rejected"] += 1
        leases = [(one.target, self.leases[one.lease_id]) for one in event.prevented if one.lease_id in self.leases]
        found = {(event.space, event.session_id, target, lease.generation) for target, lease in leases}
        shared = {(event.space, event.session_id, target, lease.generation) for target, lease in leases if lease.shared}
        self.counters["duplicate_work_prevented"] += len(found - (self.prevented - shared))
        self.prevented |= found


def facts_of(events: Iterable[Any]) -> Iterator[Any]:
    """The facts one by one: a run of claims stands for as many grants."""
    for event in events:
        if not isinstance(event, LeasesGranted):
            yield event
            continue
        first, space, session_id, targets, generation, fades, at_s, intent = event
        for number, target in enumerate(targets):
            yield LeaseGranted(
                first + number, space, session_id, (target,), False, generation + number, fades, at_s, intent
            )
