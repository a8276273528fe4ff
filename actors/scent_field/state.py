"""The field's state over all spaces: what its facts have made it, and what will end by itself.

`record` is the only way in: it applies a fact and keeps it for the journal. Deadlines are derived from the state; an
entry that is no longer true when it comes up is looked at again or dropped.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from actors.runtime.errors import InvariantBroken
from actors.scent_field.event import (
    ChangeRefused,
    ClaimRejected,
    LeaseEnded,
    LeaseGranted,
    LeaseMoved,
    LeaseProgressed,
    LeaseRenewed,
    LeasesGranted,
    LeaseShrunk,
    LockDelayOver,
    ReleaseForced,
    SignalDeposited,
    SignalNoted,
    StrictnessSet,
    WaiterLeft,
    WaiterQueued,
)
from actors.scent_field.lease import Lease
from actors.scent_field.limits import FieldLimits
from actors.scent_field.loss import LossBook, LostClaim
from actors.scent_field.space import ClaimSpace
from actors.scent_field.target import parse_target
from actors.scent_field.waiter import Waiter

INVOLUNTARY: Final = ("expired", "faded", "idle", "forced")
COUNTERS: Final = (
    "claims_granted",
    "claims_renewed",
    "claims_rejected",
    "duplicate_work_prevented",
    "duplicate_work_prevented_guard",
    "duplicate_work_prevented_hook",
    "claims_released",
    "claims_expired",
    "claims_faded",
    "claims_idle",
    "claims_forced",
    "claims_transferred",
    "waits_queued",
    "waits_granted",
    "waits_timed_out",
    "waits_withdrawn",
    "signals_deposited",
)
_WAIT_COUNTERS: Final = {"granted": "waits_granted", "timeout": "waits_timed_out"}


class Due(NamedTuple):
    """Something that may end by itself: `delay` or `fade` (a lease), `idle` (what a ticket waits for) or `wait`."""

    at_s: float
    what: str
    space: str
    number: int


class FieldState:
    """All spaces, the counters of leases and tickets, the losses, and the deadlines."""

    def __init__(self, limits: FieldLimits) -> None:
        self.limits = limits
        self.spaces: dict[str, ClaimSpace] = {}
        self.last_lease = 0
        self.last_ticket = 0
        self.n_leases = 0
        self.waiting: dict[int, Waiter] = {}
        self.waiting_by_session: dict[str, dict[int, Waiter]] = {}
        self.losses = LossBook()
        self.counters: dict[str, int] = dict.fromkeys(COUNTERS, 0)
        self.events: list[Any] = []
        self.freed: list[tuple[str, tuple[str, ...]]] = []
        self._due: list[Due] = []
        self._evolve: dict[type, Callable[[Any], None]] = {
            LeaseGranted: self._granted,
            LeasesGranted: self._granted_each,
            LeaseRenewed: self._renewed,
            LeaseProgressed: self._progressed,
            LeaseShrunk: self._shrunk,
            LeaseEnded: self._ended,
            LockDelayOver: self._delay_over,
            LeaseMoved: self._moved,
            WaiterQueued: self._queued,
            WaiterLeft: self._left,
            ClaimRejected: self._rejected,
            ChangeRefused: self._refused,
            SignalDeposited: self._deposited,
            SignalNoted: self._deposited,
            StrictnessSet: lambda event: self.space(event.space).set_strictness(event),
            ReleaseForced: lambda event: self.space(event.space).force(event),
        }

    @property
    def n_room(self) -> int:
        """How many more leases may be held."""
        return max(0, self.limits.max_leases - self.n_leases)

    def space(self, name: str) -> ClaimSpace:
        """The space of that name, made on first use."""
        found = self.spaces.get(name)
        if found is None:
            found = self.spaces[name] = ClaimSpace(name, self.limits.half_lives_s)
        return found

    def look(self, name: str) -> ClaimSpace:
        """The space of that name, or an empty one that is forgotten again: looking makes no state."""
        found = self.spaces.get(name)
        return ClaimSpace(name, self.limits.half_lives_s) if found is None else found

    def record(self, event: Any) -> None:
        """Apply a new fact and keep it for the journal."""
        self._evolve[type(event)](event)
        self.events.append(event)

    def evolve(self, event: Any) -> None:
        """Apply a fact from the journal."""
        self._evolve[type(event)](event)
        self.freed.clear()

    def _granted(self, event: LeaseGranted) -> None:
        lease = self.space(event.space).grant(event)
        if event.lease_id > self.last_lease:
            self.last_lease = event.lease_id
        self.n_leases += 1
        self.counters["claims_granted"] += 1
        if event.fades:
            self._await_fade(event.space, lease)

    def _granted_each(self, event: LeasesGranted) -> None:
        leases = self.space(event.space).grant_each(event)
        self.last_lease = max(self.last_lease, leases[-1].lease_id)
        self.n_leases += len(leases)
        self.counters["claims_granted"] += len(leases)
        if event.fades:
            for lease in leases:
                self._await_fade(event.space, lease)

    def _renewed(self, event: LeaseRenewed) -> None:
        self.space(event.space).progress(event)
        self.counters["claims_renewed"] += 1

    def _progressed(self, event: LeaseProgressed) -> None:
        self.space(event.space).progress(event)

    def _shrunk(self, event: LeaseShrunk) -> None:
        self.space(event.space).shrink(event)
        self.freed.append((event.space, event.targets))
        self.counters["claims_released"] += 1

    def _ended(self, event: LeaseEnded) -> None:
        lease = self.space(event.space).end(event)
        self.counters[f"claims_{event.reason if event.reason in INVOLUNTARY else 'released'}"] += 1
        if event.reason in INVOLUNTARY:
            self._lose(event, lease)
        if lease.is_live:
            self.n_leases -= 1
            self.freed.append((event.space, lease.targets))
        else:
            self._push(Due(event.blocked_until_s, "delay", event.space, lease.lease_id))

    def _lose(self, event: LeaseEnded, lease: Lease) -> None:
        number = self.losses.last_number + 1
        self.losses.add(
            LostClaim(number, lease.session_id, event.space, lease.targets, lease.generation, event.reason, event.at_s)
        )

    def _delay_over(self, event: LockDelayOver) -> None:
        lease = self.space(event.space).free(event)
        self.n_leases -= 1
        self.freed.append((event.space, lease.targets))

    def _moved(self, event: LeaseMoved) -> None:
        lease = self.space(event.space).move(event)
        self.counters["claims_transferred"] += 1
        self.freed.append((event.space, lease.targets))
        if event.fades:
            self._await_fade(event.space, lease)

    def _queued(self, event: WaiterQueued) -> None:
        waiter = self.space(event.space).queue(event)
        self.last_ticket = max(self.last_ticket, event.ticket)
        self.counters["waits_queued"] += 1
        self._line_up(waiter)
        self._await_turn(waiter)

    def _line_up(self, waiter: Waiter) -> None:
        self.waiting[waiter.ticket] = waiter
        self.waiting_by_session.setdefault(waiter.session_id, {})[waiter.ticket] = waiter

    def _left(self, event: WaiterLeft) -> None:
        waiter = self.space(event.space).leave(event)
        del self.waiting[waiter.ticket]
        own = self.waiting_by_session[waiter.session_id]
        del own[waiter.ticket]
        if not own:
            del self.waiting_by_session[waiter.session_id]
        self.counters[_WAIT_COUNTERS.get(event.reason, "waits_withdrawn")] += 1
        self.freed.append((event.space, waiter.targets))

    def _rejected(self, event: ClaimRejected) -> None:
        self.counters["claims_rejected"] += 1
        self.counters["duplicate_work_prevented"] += self.space(event.space).reject(event)

    def _refused(self, event: ChangeRefused) -> None:
        n_prevented = self.space(event.space).reject(event)
        self.counters["duplicate_work_prevented"] += n_prevented
        self.counters[f"duplicate_work_prevented_{event.source}"] += n_prevented

    def _deposited(self, event: SignalDeposited | SignalNoted) -> None:
        self.space(event.space).deposit(event)
        self.counters["signals_deposited"] += 1

    def _await_fade(self, space: str, lease: Lease) -> None:
        self._push(Due(lease.progress_at_s + self.limits.fade_s, "fade", space, lease.lease_id))

    def _await_turn(self, waiter: Waiter) -> None:
        """The waiter's own deadline, and when the first of the claims that it may wait for has rested too long."""
        self._push(Due(waiter.deadline_s, "wait", waiter.space, waiter.ticket))
        leases = self.spaces[waiter.space].leases
        rested = [lease.progress_at_s for text in waiter.targets for lease in leases.covering(parse_target(text))]
        self.await_idle(waiter, min(rested, default=waiter.queued_at_s) + self.limits.idle_s)

    def await_idle(self, waiter: Waiter, at_s: float) -> None:
        """Look then for claims that have rested too long, if the waiter still waits by then."""
        if at_s <= waiter.deadline_s:
            self._push(Due(at_s, "idle", waiter.space, waiter.ticket))

    def _push(self, due: Due) -> None:
        heapq.heappush(self._due, due)

    def next_due_s(self) -> float | None:
        """A lower bound of the next deadline, in field time."""
        return self._due[0].at_s if self._due else None

    def pop_due(self, now_s: float) -> Iterator[Due]:
        """The deadlines that have come, in order."""
        while self._due and self._due[0].at_s <= now_s:
            yield heapq.heappop(self._due)

    def again(self, due: Due, at_s: float) -> None:
        """The deadline has moved."""
        self._push(due._replace(at_s=at_s))

    def trim_deadlines(self) -> None:
        """Rebuild the heap when most of its entries stand for what has ended."""
        if len(self._due) > 1_000 + 4 * (self.n_leases + len(self.waiting)):
            self.rebuild_deadlines()

    def rebuild_deadlines(self) -> None:
        """Derive all deadlines from leases and waiters."""
        self._due = []
        for name in sorted(self.spaces):
            space = self.spaces[name]
            for lease in space.leases.leases.values():
                if not lease.is_live:
                    self._push(Due(lease.blocked_until_s or 0.0, "delay", name, lease.lease_id))
                elif lease.fades:
                    self._await_fade(name, lease)
            for waiter in space.waiters.waiters.values():
                self._await_turn(waiter)

    def snapshot(self) -> Iterator[list[Any]]:
        """Parts for `restore_part`."""
        yield ["field", self.last_lease, self.last_ticket, self.losses.last_number, sorted(self.counters.items())]
        for name in sorted(self.spaces):
            yield from self.spaces[name].snapshot()
        yield from (["loss", *row] for row in self.losses.snapshot())

    def restore_part(self, part: list[Any]) -> bool:
        """Take one `snapshot` part; False if it is not this machine's."""
        match part:
            case ["field", last_lease, last_ticket, last_loss, counters]:
                self.last_lease, self.last_ticket, self.losses.last_number = last_lease, last_ticket, last_loss
                self.counters.update(counters)
            case ["loss", *row]:
                self.losses.restore(row)
            case [
                ("space" | "lease" | "overtaken" | "waiter" | "signal" | "change" | "audit" | "ended_claim") as kind,
                name,
                *row,
            ]:
                kept = self.space(name).restore_part(kind, row)
                self._restored(kept)
            case _:
                return False
        return True

    def _restored(self, kept: Lease | Waiter | None) -> None:
        if isinstance(kept, Lease):
            self.n_leases += 1
        elif kept is not None:
            self._line_up(kept)

    def check_invariants(self) -> None:
        """Re-derive every index."""
        for space in self.spaces.values():
            space.check_invariants()
        if self.n_leases != sum(len(space.leases.leases) for space in self.spaces.values()):
            raise InvariantBroken(f"{self.n_leases} leases are counted, others are there")
        waiting = {ticket: one for space in self.spaces.values() for ticket, one in space.waiters.waiters.items()}
        by_session = {ticket: one for own in self.waiting_by_session.values() for ticket, one in own.items()}
        if not waiting == self.waiting == by_session:
            raise InvariantBroken("the indices of waiters do not follow from the waiters")
        self.losses.check_invariants()
        self._check_deadlines()

    def _check_deadlines(self) -> None:
        if len(self._due) > 2_000 + 8 * (self.n_leases + len(self.waiting)):
            raise InvariantBroken(f"{len(self._due)} deadlines are kept for {self.n_leases} leases")
        waiting = {(due.space, due.number) for due in self._due if due.what == "wait"}
        ending = {(due.space, due.number) for due in self._due if due.what in ("delay", "fade")}
        for name, space in self.spaces.items():
            if not waiting >= {(name, ticket) for ticket in space.waiters.waiters}:
                raise InvariantBroken(f"a waiter of {name!r} has no deadline")
            mortal = {(name, one.lease_id) for one in space.leases.leases.values() if one.fades or not one.is_live}
            if not ending >= mortal:
                raise InvariantBroken(f"a lease of {name!r} that ends by itself has no deadline")
