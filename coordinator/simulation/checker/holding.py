"""One holder at a time, and numbers that only grow."""

from __future__ import annotations

from typing import Any, ClassVar

from actors.scent_field.event import LeaseEnded, LeaseGranted, LeaseMoved, LockDelayOver, ReleaseForced
from coordinator.simulation.checker.entry import Lease
from coordinator.simulation.checker.rule import Rule, any_meet
from coordinator.simulation.checker.terms import EPSILON_S
from coordinator.simulation.universe import paths_of


class OneHolder(Rule):
    """No two sessions hold one path, unless both share it or the second is a child of the first."""

    name: ClassVar[str] = "one holder"

    def fact(self, event: Any) -> None:
        """A grant must find nothing in its way."""
        if isinstance(event, LeaseGranted):
            self._check(event, event.targets, event.shared, ())
        elif isinstance(event, LeaseMoved) and event.lease_id in self.book.leases:
            lease = self.book.leases[event.lease_id]
            self._check(event, lease.targets, lease.shared, (lease.session_id, lease.generation))

    def _check(
        self, event: LeaseGranted | LeaseMoved, targets: tuple[str, ...], shared: bool, giver: tuple[Any, ...]
    ) -> None:
        lineage = self.book.lineage(event.session_id)
        for other in self.book.blocking(event.space, lineage, targets, shared, event.at_s):
            if (other.session_id, other.generation) != giver:
                state = "holds" if other.is_live else "left a lock delay on"
                self.broken(
                    f"{event.session_id} was given {', '.join(targets)} while {other.session_id} {state} "
                    f"{', '.join(other.targets)} (generation {other.generation})",
                    other.began,
                    other.row,
                )


class Generations(Rule):
    """A grant to a new holder takes a number that its space has not seen; sharers have their group's.

    No grant has an older number than one before it on the same path: a resource that compares them would refuse it.
    """

    name: ClassVar[str] = "generations only grow"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._newest: dict[tuple[str, str], tuple[int, int]] = {}

    def fact(self, event: Any) -> None:
        """Compare with the highest number so far, on each path and in all of the space."""
        if isinstance(event, LeaseGranted):
            self._check_paths(event, event.targets)
            self._check_number(event)
        elif isinstance(event, LeaseMoved) and event.lease_id in self.book.leases:
            self._check_paths(event, self.book.leases[event.lease_id].targets)
            self._check_number(event)

    def _check_paths(self, event: LeaseGranted | LeaseMoved, targets: tuple[str, ...]) -> None:
        for path in sorted(frozenset().union(*map(paths_of, targets))):
            newest, at = self._newest.get((event.space, path), (0, -1))
            if event.generation < newest:
                self.broken(f"{event.session_id} was given generation {event.generation} on {path} after {newest}", at)
            else:
                self._newest[event.space, path] = (event.generation, self.place)

    def _check_number(self, event: LeaseGranted | LeaseMoved) -> None:
        newest = self.book.generation[event.space]
        if event.generation > newest or (isinstance(event, LeaseGranted) and self._joins(event)):
            return
        if isinstance(event, LeaseMoved) and event.generation == newest and self._moves_along(event):
            return
        self.broken(f"{event.session_id} was given generation {event.generation} in {event.space} after {newest}")

    def _joins(self, event: LeaseGranted) -> bool:
        return event.shared and any(
            lease.is_live
            and lease.shared
            and lease.space == event.space
            and lease.generation == event.generation
            and any_meet(lease.targets, event.targets)
            for lease in self.book.leases.values()
        )

    def _moves_along(self, event: LeaseMoved) -> bool:
        """Whether other leases of the same claim were moved in this very row."""
        return any(
            lease.began == self.book.row
            and lease.generation == event.generation
            and lease.session_id == event.session_id
            and lease.space == event.space
            for lease in self.book.leases.values()
        )


class LockDelay(Rule):
    """What a dead session held is blocked for the lock delay, unless somebody takes it away by force."""

    name: ClassVar[str] = "lock delay"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._forced: set[tuple[str, int]] = set()

    def fact(self, event: Any) -> None:
        """The delay that was set, and its end."""
        match event:
            case ReleaseForced():
                self._forced.add((event.from_session, event.generation))
            case LeaseEnded(reason="expired"):
                if abs(event.blocked_until_s - event.at_s - self.book.terms.lock_delay_s) > EPSILON_S:
                    self.broken(f"claim {event.lease_id} is blocked for {event.blocked_until_s - event.at_s:.3f} s")
            case LockDelayOver():
                self._check_end(self.book.leases.get(event.lease_id))

    def _check_end(self, lease: Lease | None) -> None:
        if lease is None or lease.free_at_s is None:
            self.broken("a lock delay ended that never began")
        elif (
            self.row.field_s < lease.free_at_s - EPSILON_S and (lease.session_id, lease.generation) not in self._forced
        ):
            self.broken(
                f"the lock delay of {lease.session_id} ended {lease.free_at_s - self.row.field_s:.3f} s early",
                lease.row,
            )

    def settled(self) -> None:
        """What is over must be free."""
        self._forced.clear()
        now_s = 0.0 if self.row.is_tick else self.row.field_s
        for lease in self.book.leases.values():
            if lease.free_at_s is not None and lease.free_at_s < now_s - EPSILON_S:
                self.broken(f"the lock delay of {lease.session_id} should be over", lease.row)
