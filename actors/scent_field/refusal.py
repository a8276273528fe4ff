"""How a refusal reads: every conflict with its holder, and one next step."""

from __future__ import annotations

import math
from typing import Final

from actors.scent_field.event import ClaimRejected, Prevented
from actors.scent_field.expiry import Expiry
from actors.scent_field.lease import Lease
from actors.scent_field.limits import FieldLimits
from actors.scent_field.messages import Conflict, Held
from actors.scent_field.request import Blockers, Request
from actors.scent_field.target import overlaps, parse_target
from actors.scent_field.waiter import Waiter

MAX_PREVENTED: Final = 1_024


class Refusals:
    """Words refusals."""

    def __init__(self, limits: FieldLimits, expiry: Expiry) -> None:
        self._max_conflicts = limits.max_conflicts
        self._expiry = expiry

    def held(self, blockers: list[Blockers], reason: str, now_s: float, cycle: tuple[str, ...] = ()) -> Held:
        """The answer, with 20 conflicts at most, in target order, and how many more there are."""
        conflicts: list[Conflict] = []
        n_conflicts = 0
        for blocker in sorted(blockers, key=lambda blocker: blocker.target):
            n_conflicts += len(blocker.leases) + len(blocker.waiters)
            room = self._max_conflicts - len(conflicts)
            conflicts += [self._conflict(blocker.target, lease, now_s) for lease in blocker.leases[:room]]
            room = self._max_conflicts - len(conflicts)
            conflicts += [_place_in_line(blocker.target, waiter, now_s) for waiter in blocker.waiters[:room]]
        shown = tuple(conflicts)
        return Held(reason, shown, n_conflicts - len(shown), _next_step(reason, shown), cycle)

    def _conflict(self, target: str, lease: Lease, now_s: float) -> Conflict:
        return Conflict(
            target,
            _met(target, lease.targets),
            lease.session_id,
            lease.generation,
            "shared" if lease.shared else "exclusive",
            False,
            now_s - lease.granted_at_s,
            now_s - lease.progress_at_s,
            self._expiry.free_in_s(lease, now_s),
            lease.intent,
        )


def rejected(request: Request, blockers: list[Blockers]) -> ClaimRejected:
    """The fact of a refusal.

    It names the live leases that prevented duplicate work by it and had not before: each asking session, target and
    generation counts once, so a shared claim's holders count together. 1,024 at most.
    """
    return ClaimRejected(request.space.name, request.session_id, prevented_by(request.session_id, blockers))


def prevented_by(session_id: str, blockers: list[Blockers]) -> tuple[Prevented, ...]:
    """What a refusal of this session prevents that no earlier one has; 1,024 at most."""
    prevented: list[Prevented] = []
    for blocker in blockers:
        groups: dict[int, list[Lease]] = {}
        for lease in blocker.leases:
            if lease.is_live:
                groups.setdefault(lease.generation, []).append(lease)
        refusal = (session_id, blocker.target)
        for group in groups.values():
            if not any(lease.has_counted(refusal) for lease in group):
                prevented += [Prevented(lease.lease_id, blocker.target) for lease in group]
    return tuple(prevented[:MAX_PREVENTED])


def reason_of(blockers: list[Blockers]) -> str:
    """Why, in one word: `claimed`, `lock_delay` or `queued`."""
    leases = [lease for blocker in blockers for lease in blocker.leases]
    if any(lease.is_live for lease in leases):
        return "claimed"
    return "lock_delay" if leases else "queued"


def _met(target: str, others: tuple[str, ...]) -> str:
    """The first of the others' targets that this one meets."""
    asked = parse_target(target)
    return next((text for text in others if overlaps(asked, parse_target(text))), others[0])


def _place_in_line(target: str, waiter: Waiter, now_s: float) -> Conflict:
    mode = "shared" if waiter.shared else "exclusive"
    age_s = now_s - waiter.queued_at_s
    ends_s = waiter.deadline_s - now_s
    wanted = _met(target, waiter.targets)
    return Conflict(target, wanted, waiter.session_id, 0, mode, True, age_s, age_s, ends_s, waiter.intent)


def _next_step(reason: str, conflicts: tuple[Conflict, ...]) -> str:
    if reason == "would_deadlock":
        return "Release what the others wait for, or take other work: waiting would never end."
    if not conflicts:
        return "Nothing is in the way any more: ask again."
    first = conflicts[0]
    ends = f"at the earliest in {math.ceil(first.expires_in_s)} s if {first.holder} falls silent"
    return {
        "claimed": f"Take other work, or wait with wait_s: it is free {ends}.",
        "queued": f"{first.holder} waits for it before you: take other work, or queue up with wait_s.",
        "lock_delay": f"Its holder has just died: ask again in {first.expires_in_s:.1f} s, or wait with wait_s.",
        "timeout": f"Nothing was claimed. Take other work, or wait again: it is free {ends}.",
    }[reason]
