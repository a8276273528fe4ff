"""The scent field: who may work on which target, and what others have left there.

Keeps claims and decaying signals; does not know what a file is, how anybody hears about an answer, or how sessions stay
alive. After every call: no two sessions that are not parent and child hold one path unless both share it; generations
only grow; what ends by itself has a deadline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final

from actors.runtime.clock import earlier
from actors.runtime.errors import InvariantBroken, Misuse
from actors.runtime.machine import Now, Ticket
from actors.runtime.wire import BusyFor
from actors.scent_field.batch import Batch
from actors.scent_field.claiming import Claiming
from actors.scent_field.ending import Ending
from actors.scent_field.event import (
    LeaseProgressed,
    SignalDeposited,
    SignalNoted,
    StrictnessSet,
)
from actors.scent_field.expiry import Expiry
from actors.scent_field.guarding import Guarding
from actors.scent_field.limits import FieldLimits
from actors.scent_field.listing import Listing
from actors.scent_field.liveness import Liveness
from actors.scent_field.messages import (
    Check,
    CheckHeat,
    Claim,
    ClaimAny,
    ClaimEach,
    ClaimedEach,
    Deposited,
    FieldStatistics,
    ForceRelease,
    GiveBack,
    Granted,
    Guard,
    Guarded,
    LeaveSignal,
    ListAudit,
    ListClaims,
    ListLosses,
    ListRefusals,
    ListWaiters,
    Losses,
    Noted,
    Progress,
    Release,
    SetStrictness,
    Sync,
    Transfer,
    Watch,
)
from actors.scent_field.report import Report
from actors.scent_field.request import check_space
from actors.scent_field.signal import MAX_INTENSITY, SignalKind
from actors.scent_field.space import STRICTNESSES
from actors.scent_field.state import FieldState
from actors.scent_field.target import parse_target

MAX_WANTED: Final = 64


class ScentField:
    """Claims and signals of all spaces. `now_s` is field time in seconds throughout."""

    def __init__(self, sessions: Liveness, limits: FieldLimits | None = None) -> None:
        self.limits = limits or FieldLimits()
        self.state = FieldState(self.limits)
        self._sessions = sessions
        expiry = Expiry(self.limits, sessions)
        self._claiming = Claiming(self.state, sessions, expiry)
        self._ending = Ending(self.state, sessions, self._claiming)
        self._report = Report(self.state, sessions, expiry)
        listing = Listing(self.state, sessions, expiry, self._claiming.refused)
        self._guarding = Guarding(self.state, sessions, expiry)
        self._perform: dict[type, Callable[[str, Any, float], Any]] = {
            Claim: self._claiming.claim,
            ClaimAny: self._claiming.claim_any,
            ClaimEach: Batch(self.state, sessions, expiry, self._claiming).claim_each,
            Release: self._ending.release,
            GiveBack: self._ending.give_back,
            Transfer: self._ending.transfer,
            Progress: self._progress,
            LeaveSignal: self._deposit,
            SetStrictness: self._set_strictness,
            Sync: lambda _, command, now_s: self._report.sync(command, now_s),
            Check: lambda _, command, now_s: self._report.check(command, now_s),
            CheckHeat: lambda _, command, now_s: self._report.heat(command, now_s),
            Watch: lambda _, command, now_s: self._report.watch(command, now_s),
            ListLosses: lambda _, command, now_s: self._report.losses(command, now_s),
            ListAudit: lambda _, command, _now_s: self._report.audit(command),
            ListClaims: lambda _, command, now_s: listing.claims(command, now_s),
            ListWaiters: lambda _, command, now_s: listing.waiters(command, now_s),
            ListRefusals: lambda _, command, now_s: listing.refusals(command, now_s),
            FieldStatistics: lambda _, _command, now_s: self._report.counts(now_s),
        }
        # What people will read later is dated in wall time too.
        self._perform_dated: dict[type, Callable[[str, Any, Now], Any]] = {ForceRelease: self._ending.force_release}

    def perform(self, session_id: str, command: Any, now: Now) -> Any:
        """Carry out one command of this domain."""
        dated = self._perform_dated.get(type(command))
        if dated is not None:
            answer = dated(session_id, command, now)
        else:
            answer = self._perform[type(command)](session_id, command, now.field_s)
        if self.state.freed:
            self._claiming.serve(now.field_s)
        return answer

    def _progress(self, session_id: str, command: Progress, now_s: float) -> Noted:
        """Work on a path: its claims are not idle, and it smells of it."""
        check_space(self.state, command.space)
        space = self.state.look(command.space)
        for lease in space.leases.covering(parse_target(command.path)):
            if lease.session_id == session_id and lease.progress_at_s < now_s:
                self.state.record(LeaseProgressed(space.name, lease.lease_id, now_s))
        for kind, intensity in ((SignalKind.HOT, command.heat), (SignalKind.STUCK, command.trouble)):
            if intensity > 0.0 and self._has_room(session_id, now_s):
                self._leave(SignalNoted, session_id, command.space, kind, command.path, intensity, now_s)
        return Noted()

    def _deposit(self, session_id: str, command: LeaveSignal, now_s: float) -> Deposited | BusyFor:
        """Leave a signal on a target."""
        check_space(self.state, command.space)
        kind = _signal_kind(command.kind)
        parse_target(command.target)
        if not 0.0 < command.intensity <= MAX_INTENSITY:
            raise Misuse(f"an intensity of {command.intensity:g} is not above 0 and at most {MAX_INTENSITY:g}")
        if not self._has_room(session_id, now_s):
            return BusyFor(
                60.0, f"{session_id} has {self.limits.max_signals_of_session} live signals, which is the limit"
            )
        intensity = self._leave(
            SignalDeposited, session_id, command.space, kind, command.target, command.intensity, now_s
        )
        return Deposited(intensity)

    def _has_room(self, session_id: str, now_s: float) -> bool:
        """Whether one more signal of this session may be kept; faded ones make room when it is needed."""
        if self._counts_fit(session_id):
            return True
        self.collect(now_s)
        return self._counts_fit(session_id)

    def _counts_fit(self, session_id: str) -> bool:
        spaces = self.state.spaces.values()
        n_own = sum([space.signals.n_left_by(session_id) for space in spaces])
        n_all = sum([space.signals.n_deposits for space in spaces])
        return n_own < self.limits.max_signals_of_session and n_all < self.limits.max_signals

    def _leave(
        self,
        fact: type[SignalDeposited] | type[SignalNoted],
        session_id: str,
        name: str,
        kind: SignalKind,
        target: str,
        added: float,
        now_s: float,
    ) -> float:
        intensity = self.state.look(name).signals.superposed(kind, target, session_id, added, now_s)
        self.state.record(fact(name, kind, target, session_id, intensity, now_s))
        return intensity

    def _set_strictness(self, _session_id: str, command: SetStrictness, _now_s: float) -> Noted:
        check_space(self.state, command.space)
        if command.strictness not in STRICTNESSES:
            raise Misuse(f"strictness {command.strictness[:40]!r} is not one of {', '.join(STRICTNESSES)}")
        self.state.record(StrictnessSet(command.space, command.strictness))
        return Noted()

    def guard(self, agents: list[str], command: Guard, now_s: float) -> Guarded:
        """Whether changes by these sessions go over the claims of others."""
        return self._guarding.guard(agents, command, now_s)

    def end_sessions(self, session_ids: list[str], reason: str, now: Now) -> int:
        """Sessions are over, and with them all that they held; returns how many claims that were."""
        n_ended = self._ending.end_sessions(session_ids, reason, now.field_s)
        self._claiming.serve(now.field_s)
        return n_ended

    def withdraw(self, ticket: Ticket, now: Now) -> None:
        """A waiter's caller gave up."""
        self._ending.withdraw(ticket, "withdrawn")
        self._claiming.serve(now.field_s)

    def undo(self, session_id: str, answer: Any, now: Now) -> None:
        """Take back what an answer granted that nobody heard."""
        if type(answer) is Granted:
            self._ending.undo(session_id, answer, now.field_s)
        elif type(answer) is ClaimedEach:
            self._ending.undo_each(session_id, answer, now.field_s)
        self._claiming.serve(now.field_s)

    def expire(self, now: Now) -> None:
        """End what is due by itself, and serve those who waited for it."""
        self._ending.expire(now.field_s)
        if self.state.freed:
            self._claiming.serve(now.field_s)

    def next_deadline_s(self) -> float | None:
        """A lower bound of the next thing that ends by itself, long polls included."""
        due_s = self.state.next_due_s()
        return earlier(due_s, self._report.next_watch_s()) if self._report.n_watchers else due_s

    def take_settled(self, now: Now) -> list[tuple[Ticket, Any]]:
        """The waiting requests and long polls that have their answers."""
        settled, self._claiming.settled = self._claiming.settled, []
        if self._report.n_watchers:
            return [*settled, *self._report.take_watched(now.field_s)]
        return settled

    def notices(self, session_id: str, after: int, now: Now) -> Losses:
        """What a live session has to be told: claims that it lost."""
        return self._report.losses_after(session_id, after, now.field_s)

    def wanted_from(self, session_id: str) -> list[tuple[str, str, str]]:
        """(space, target, waiter) for the session's claims that keep others waiting, 64 at most."""
        return list(islice(self._wanted(session_id), MAX_WANTED))

    def _wanted(self, session_id: str) -> Iterator[tuple[str, str, str]]:
        for name in sorted({waiter.space for waiter in self.state.waiting.values()}):
            space = self.state.spaces[name]
            for lease in space.leases.owned(session_id):
                for text in lease.targets:
                    for waiter in space.waiters.interested(parse_target(text)):
                        if lease.keeps_out(self._sessions.lineage(waiter.session_id), waiter.shared):
                            yield name, text, waiter.session_id

    def evolve(self, event: Any) -> None:
        """Apply a fact from the journal."""
        self.state.evolve(event)

    def snapshot(self) -> Iterator[list[Any]]:
        """The field's parts of a snapshot."""
        return self.state.snapshot()

    def restore_part(self, part: list[Any]) -> bool:
        """Take one part; False if it is not the field's."""
        return self.state.restore_part(part)

    def wake(self) -> None:
        """Derive the deadlines after recovery."""
        self.state.rebuild_deadlines()

    def collect(self, now_s: float) -> None:
        """Remove faded signals from all spaces; for comparisons of state."""
        for space in self.state.spaces.values():
            space.signals.collect(now_s)

    def check_invariants(self) -> None:
        """Re-derive every index, and look for two holders of one path."""
        self.state.check_invariants()
        for space in self.state.spaces.values():
            for lease in space.leases.leases.values():
                self._check_alone(space.name, lease.lease_id)

    def _check_alone(self, name: str, lease_id: int) -> None:
        book = self.state.spaces[name].leases
        lease = book.leases[lease_id]
        lineage = self._sessions.lineage(lease.session_id)
        for text in lease.targets if lease.is_live else ():
            for other in book.blocking(parse_target(text), lineage, lease.shared):
                if other.is_live and lease.session_id not in self._sessions.lineage(other.session_id):
                    raise InvariantBroken(f"{text!r} is held by {lease.session_id} and by {other.session_id}")


def _signal_kind(text: str) -> SignalKind:
    """The kind to deposit. Raises `Misuse` for CLAIMED, which comes with a claim, and for unknown kinds."""
    if text == SignalKind.CLAIMED:
        raise Misuse("CLAIMED is not left by hand: claim the target")
    try:
        return SignalKind(text)
    except ValueError:
        known = ", ".join(kind for kind in SignalKind if kind is not SignalKind.CLAIMED)
        raise Misuse(f"signal {text[:40]!r} is not one of {known}") from None
