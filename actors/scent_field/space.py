"""One claim space: its leases, waiters and signals, and what the field's facts do to them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from actors.runtime.errors import InvariantBroken
from actors.scent_field.change_log import ChangeLog
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
from actors.scent_field.lease import Lease, LeaseBook
from actors.scent_field.messages import AuditLine, Change
from actors.scent_field.signal import CLAIM_INTENSITY, HALF_LIVES_S, SignalKind, Signals
from actors.scent_field.target import parse_target
from actors.scent_field.trail import Deposit
from actors.scent_field.waiter import Waiter, WaitLine

STRICTNESSES: Final = ("observe", "warn", "deny")
MAX_ENDED: Final = 4_096
MAX_AUDIT: Final = 1_000


class EndedClaim(NamedTuple):
    """How a claim ended, for those who ask with its generation."""

    session_id: str
    reason: str
    at_s: float


@dataclass(slots=True)
class ClaimSpace:
    """The state of one space. Generations grow over all its targets; `version` counts its changes."""

    name: str
    half_lives_s: Mapping[SignalKind, float] = field(default_factory=lambda: HALF_LIVES_S)
    generation: int = 0
    strictness: str = "deny"
    leases: LeaseBook = field(default_factory=LeaseBook)
    waiters: WaitLine = field(default_factory=WaitLine)
    signals: Signals = field(init=False)
    changes: ChangeLog = field(default_factory=ChangeLog)
    audit: deque[AuditLine] = field(default_factory=lambda: deque(maxlen=MAX_AUDIT))
    ended: dict[int, EndedClaim] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.signals = Signals(self.half_lives_s)

    def grant(self, event: LeaseGranted) -> Lease:
        """A session holds targets."""
        lease = Lease(
            event.lease_id,
            event.session_id,
            event.targets,
            event.shared,
            event.generation,
            event.fades,
            event.at_s,
            event.at_s,
            event.intent,
        )
        if event.generation > self.generation:
            self.generation = event.generation
        elif event.shared:
            lease.refused = self._refused_by_group(event)
        self.leases.add(lease)
        if self.leases.n_shared:
            self.leases.overtake(lease)
        deposit = Deposit(event.session_id, CLAIM_INTENSITY, event.at_s)
        claimed = self.signals.claimed
        for target in event.targets:
            claimed.put(target, deposit)
        self.changes.note("claimed", event.targets, event.session_id, event.intent)
        return lease

    def grant_each(self, event: LeasesGranted) -> list[Lease]:
        """A session holds files, each by a lease of its own; nothing else is held on them, so nobody is overtaken."""
        first, _, session_id, targets, generation, fades, at_s, intent = event
        above = generation - first
        leases = [
            Lease(number, session_id, (target,), False, number + above, fades, at_s, at_s, intent)
            for number, target in enumerate(targets, first)
        ]
        self.generation = max(self.generation, leases[-1].generation)
        self.leases.add_each(leases, targets)
        self.signals.claimed.put_each(targets, Deposit(session_id, CLAIM_INTENSITY, at_s))
        self.changes.note("claimed", targets, session_id, intent)
        return leases

    def _refused_by_group(self, event: LeaseGranted) -> set[tuple[str, str]] | None:
        """Whoever was refused because of a shared claim stays counted when those who held it first have left."""
        sharers = [lease for text in event.targets for lease in self.leases.sharers(parse_target(text))]
        group = [lease.refused or () for lease in sharers if lease.generation == event.generation]
        return set().union(*group) or None

    def progress(self, event: LeaseRenewed | LeaseProgressed) -> None:
        """The holder is at work: its signal is fresh."""
        lease = self.leases.leases.get(event.lease_id)
        if lease is None or not lease.is_live:
            return
        lease.progress_at_s = event.at_s
        lease.renewed |= type(event) is LeaseRenewed
        deposit = Deposit(lease.session_id, CLAIM_INTENSITY, event.at_s)
        for target in lease.targets:
            self.signals.put(SignalKind.CLAIMED, target, deposit)

    def shrink(self, event: LeaseShrunk) -> None:
        """Some targets are free."""
        lease = self.leases.leases[event.lease_id]
        self.leases.shrink(lease, event.targets)
        for target in event.targets:
            self._fade_claim(lease.session_id, target)
        self.changes.note("released", event.targets, lease.session_id, "")

    def end(self, event: LeaseEnded) -> Lease:
        """The claim is over."""
        lease = self.leases.leases[event.lease_id]
        if event.blocked_until_s > event.at_s:
            self.leases.end(lease, event.blocked_until_s)
        else:
            self.leases.remove(lease)
        self._remember_end(lease, event.reason, event.at_s)
        what = "released" if event.reason == "released" else "ended"
        for target in lease.targets:
            self._fade_claim(lease.session_id, target)
        self.changes.note(what, lease.targets, lease.session_id, event.reason)
        return lease

    def _remember_end(self, lease: Lease, reason: str, at_s: float) -> None:
        self.ended.pop(lease.generation, None)
        self.ended[lease.generation] = EndedClaim(lease.session_id, reason, at_s)
        if len(self.ended) > MAX_ENDED:
            del self.ended[next(iter(self.ended))]

    def _fade_claim(self, session_id: str, target: str) -> None:
        """The CLAIMED signal goes with the session's last lease on the target."""
        if not self.leases.owned_on(session_id, target):
            self.signals.drop(SignalKind.CLAIMED, target, session_id)

    def free(self, event: LockDelayOver) -> Lease:
        """The lock delay is over."""
        lease = self.leases.leases[event.lease_id]
        self.leases.remove(lease)
        self.changes.note("released", lease.targets, lease.session_id, "lock_delay")
        return lease

    def move(self, event: LeaseMoved) -> Lease:
        """The claim has another holder and the next generation."""
        lease = self.leases.leases[event.lease_id]
        giver = lease.session_id
        self._remember_end(lease, "transferred", event.at_s)
        self.leases.move(lease, event.session_id)
        lease.generation, lease.fades, lease.progress_at_s = event.generation, event.fades, event.at_s
        lease.granted_at_s, lease.refused, lease.overtaken = event.at_s, None, False
        self.leases.overtake(lease)
        lease.intent = event.note or lease.intent  # what the receiver, and whoever asks, should know
        self.generation = max(self.generation, event.generation)
        deposit = Deposit(event.session_id, CLAIM_INTENSITY, event.at_s)
        for target in lease.targets:
            self._fade_claim(giver, target)
            self.signals.put(SignalKind.CLAIMED, target, deposit)
        how = f"from {giver}: {event.note}" if event.note else f"from {giver}"
        self.changes.note("moved", lease.targets, event.session_id, how)
        return lease

    def queue(self, event: WaiterQueued) -> Waiter:
        """A request waits."""
        waiter = Waiter(
            event.space,
            event.ticket,
            event.session_id,
            event.targets,
            event.shared,
            event.any_of,
            event.at_s,
            event.deadline_s,
            event.intent,
        )
        self.waiters.add(waiter)
        self.changes.note("waiting", event.targets, event.session_id, event.intent)
        return waiter

    def leave(self, event: WaiterLeft) -> Waiter:
        """A request waits no longer."""
        waiter = self.waiters.waiters[event.ticket]
        self.waiters.remove(waiter)
        self.changes.note("left", waiter.targets, waiter.session_id, event.reason)
        return waiter

    def reject(self, event: ClaimRejected | ChangeRefused) -> int:
        """Remember which refusals have been counted; returns how many are new, each target and generation once."""
        counted: set[tuple[int, str]] = set()
        for lease_id, target in event.prevented:
            lease = self.leases.leases.get(lease_id)
            if lease is not None:
                lease.refused = lease.refused or set()
                lease.refused.add((event.session_id, target))
                counted.add((lease.generation, target))
        return len(counted)

    def deposit(self, event: SignalDeposited | SignalNoted) -> None:
        """A signal was left."""
        deposit = Deposit(event.agent_id, event.intensity, event.at_s)
        self.signals.put(SignalKind(event.kind), event.target, deposit)
        # What a crash may lose is no change: whoever watches would have seen a version that never comes again.
        if type(event) is SignalDeposited:
            self.changes.note("signal", (event.target,), event.agent_id, event.kind)

    def set_strictness(self, event: StrictnessSet) -> None:
        """Edits of claimed files are treated so from now on."""
        self.strictness = event.strictness

    def force(self, event: ReleaseForced) -> None:
        """Keep the audit line."""
        self.audit.append(
            AuditLine(
                event.at_utc_s,
                event.by,
                event.from_session,
                event.target,
                event.generation,
                event.reason,
                event.was_alive,
            )
        )

    @property
    def version(self) -> int:
        """How many changes there were."""
        return self.changes.version

    def snapshot(self) -> Iterator[list[Any]]:
        """Parts for `restore_part`, each tagged with the space."""
        yield ["space", self.name, self.generation, self.strictness, self.version]
        yield from (["lease", self.name, *row] for row in self.leases.snapshot())
        yield from (["overtaken", self.name, one.lease_id] for one in self.leases.leases.values() if one.overtaken)
        yield from (["waiter", self.name, *row] for row in self.waiters.snapshot())
        yield from (["signal", self.name, *row] for row in self.signals.snapshot())
        yield from (["change", self.name, *change] for change in self.changes)
        yield from (["audit", self.name, *line] for line in self.audit)
        yield from (["ended_claim", self.name, generation, *ended] for generation, ended in self.ended.items())

    def restore_part(self, kind: str, row: list[Any]) -> Lease | Waiter | None:
        """Take one `snapshot` part without its tag; returns what has a deadline of its own."""
        match kind:
            case "space":
                self.generation, self.strictness, self.changes.version = row
            case "lease":
                return self.leases.restore(row)
            case "overtaken":
                self.leases.leases[row[0]].overtaken = True
            case "waiter":
                return self.waiters.restore(self.name, row)
            case "signal":
                self.signals.restore(*row)
            case "change":
                self.changes.restore(Change(*row))
            case "audit":
                self.audit.append(AuditLine(*row))
            case "ended_claim":
                self.ended[row[0]] = EndedClaim(*row[1:])
        return None

    def check_invariants(self) -> None:
        """Re-derive every index of the space."""
        self.leases.check_invariants()
        self.waiters.check_invariants()
        self.signals.check_invariants()
        for target, deposits in self.signals.trails(SignalKind.CLAIMED):
            for one in deposits:
                if not self.leases.owned_on(one.agent_id, target):
                    raise InvariantBroken(f"{one.agent_id} smells of a claim on {target!r} that it does not hold")
