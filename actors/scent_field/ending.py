"""How claims end: given back, handed over, taken away, faded, or with their session."""

from __future__ import annotations

from actors.runtime.errors import Misuse, StaleGeneration, UnknownAgent
from actors.runtime.machine import Now, Ticket
from actors.runtime.wire import Failed
from actors.scent_field.claiming import Claiming
from actors.scent_field.event import (
    LeaseEnded,
    LeaseMoved,
    LeaseShrunk,
    LockDelayOver,
    ReleaseForced,
    SignalDeposited,
    WaiterLeft,
)
from actors.scent_field.lease import Lease
from actors.scent_field.liveness import Liveness
from actors.scent_field.messages import (
    ClaimedEach,
    ForceRelease,
    GiveBack,
    Granted,
    Held,
    NotReleased,
    Release,
    Released,
    Transfer,
)
from actors.scent_field.request import check_said, check_space
from actors.scent_field.signal import SignalKind
from actors.scent_field.space import ClaimSpace
from actors.scent_field.state import Due, FieldState
from actors.scent_field.target import parse_target

_DONE_INTENSITY = 1.0
_MAX_NOTE = 1_000


class Ending:
    """Ends claims on the field's state."""

    def __init__(self, state: FieldState, sessions: Liveness, claiming: Claiming) -> None:
        self._state = state
        self._sessions = sessions
        self._claiming = claiming

    def release(self, session_id: str, command: Release, now_s: float) -> Released:
        """Give back targets, or a whole claim by its generation."""
        check_space(self._state, command.space)
        texts = tuple(dict.fromkeys(command.targets))
        for text in texts:
            parse_target(text)
        space = self._state.look(command.space)
        if command.generation:
            return self._release_claim(session_id, space, command, now_s)
        released, missed = 0, []
        for text in texts:
            leases = space.leases.owned_on(session_id, text)
            for lease in leases:
                self._give_back(space, lease, text, now_s)
            if leases:
                released += 1
                self._leave_done(space, session_id, (text,), command.done, now_s)
            else:
                missed.append(NotReleased(text, self._why_not(space, session_id, text)))
        return Released(released, tuple(missed))

    def give_back(self, session_id: str, command: GiveBack, now_s: float) -> Released:
        """Release a claim of just these targets by its generation, unless its holder has asked for it again since."""
        check_space(self._state, command.space)
        texts = tuple(sorted(set(command.targets)))  # as a claim keeps them
        for text in texts:
            parse_target(text)
        space = self._state.look(command.space)
        for lease in space.leases.owned_on(session_id, texts[0]) if texts else ():
            if lease.generation == command.generation and lease.targets == texts:
                if lease.renewed:
                    return _none_released(texts, "you have claimed it again since")
                self._end(space, lease, "released", now_s)
                return Released(len(texts), ())
        if any(lease.generation == command.generation for lease in space.leases.owned(session_id)):
            alone = "this target" if len(texts) == 1 else "these targets"
            why = f"your claim with generation {command.generation} is not one of {alone} alone"
        else:
            why = self._why_ended(space, session_id, command.generation)
        return _none_released(texts, why)

    def _release_claim(self, session_id: str, space: ClaimSpace, command: Release, now_s: float) -> Released:
        leases = self._numbered(space, session_id, command)
        if not leases:
            why = self._why_ended(space, session_id, command.generation)
            return Released(0, tuple(NotReleased(text, why) for text in command.targets or ("",)))
        for lease in leases:
            self._end(space, lease, "released", now_s)
            self._leave_done(space, session_id, lease.targets, command.done, now_s)
        return Released(sum(len(lease.targets) for lease in leases), ())

    def _numbered(self, space: ClaimSpace, session_id: str, command: Release) -> list[Lease]:
        """The session's claims with this generation; a target that it still has spares looking through all of them."""
        first = command.targets[:1]
        named = [lease for text in first for lease in space.leases.owned_on(session_id, text)]
        found = [lease for lease in named if lease.generation == command.generation]
        return found or [one for one in space.leases.owned(session_id) if one.generation == command.generation]

    def _give_back(self, space: ClaimSpace, lease: Lease, text: str, now_s: float) -> None:
        if lease.targets == (text,):
            self._end(space, lease, "released", now_s)
        else:
            self._state.record(LeaseShrunk(space.name, lease.lease_id, (text,), now_s))

    def _leave_done(
        self, space: ClaimSpace, session_id: str, targets: tuple[str, ...], done: bool, now_s: float
    ) -> None:
        if not done:
            return
        for text in targets:
            intensity = space.signals.superposed(SignalKind.DONE, text, session_id, _DONE_INTENSITY, now_s)
            self._state.record(SignalDeposited(space.name, SignalKind.DONE, text, session_id, intensity, now_s))

    def _why_not(self, space: ClaimSpace, session_id: str, text: str) -> str:
        leases = space.leases.covering(parse_target(text))
        mine = [lease for lease in leases if lease.session_id == session_id]
        if mine:
            return f"you hold {', '.join(map(repr, mine[0].targets[:3]))}, not this target itself: release that"
        if leases:
            return f"held by {leases[0].session_id}, not by you"
        return "nobody holds it: it was released or has ended before"

    def _why_ended(self, space: ClaimSpace, session_id: str, generation: int) -> str:
        ended = space.ended.get(generation)
        if ended is None:
            return f"{session_id} holds no claim with generation {generation}"
        return f"the claim with generation {generation} has ended: {ended.reason}"

    def _end(self, space: ClaimSpace, lease: Lease, reason: str, now_s: float, delay_s: float = 0.0) -> None:
        self._state.record(LeaseEnded(space.name, lease.lease_id, reason, now_s, now_s + delay_s))

    def transfer(self, session_id: str, command: Transfer, now_s: float) -> Granted | Held:
        """Hand a claim over; the receiver gets the next generation. `Held` if others would be in the receiver's way."""
        check_space(self._state, command.space)
        check_said("a note", command.note, _MAX_NOTE)
        if not self._sessions.is_live(command.to_session):
            raise Misuse(f"{command.to_session!r} {self._sessions.fate(command.to_session)}: nothing was handed over")
        if command.to_session == session_id:
            raise Misuse(f"{session_id} cannot hand a claim over to itself: name another session")
        space = self._state.look(command.space)
        leases = [one for one in space.leases.owned(session_id) if one.generation == command.generation]
        if not leases:
            raise StaleGeneration(self._why_ended(space, session_id, command.generation))
        return self._hand_over(space, leases, command, now_s)

    def _hand_over(self, space: ClaimSpace, leases: list[Lease], command: Transfer, now_s: float) -> Granted | Held:
        held = self._claiming.in_the_way(space, leases, command.to_session, now_s)
        if held is not None:
            return held
        giver = leases[0].session_id
        fades = self._sessions.kept_by(command.to_session) == "decay"
        generation = space.generation + 1
        for lease in leases:
            self._state.record(
                LeaseMoved(space.name, lease.lease_id, command.to_session, generation, fades, now_s, command.note)
            )
            self._leave_done(space, giver, lease.targets, True, now_s)
        return self._claiming.handed_over(space, leases, now_s)

    def force_release(self, session_id: str, command: ForceRelease, now: Now) -> Released:
        """Take the claims on a target away, whole, with an audit line each.

        Refused while a holder is alive, unless told otherwise. A holder that no heartbeat keeps counts as alive for a
        minute after its last progress.
        """
        now_s = now.field_s
        check_space(self._state, command.space)
        if not 0 < len(command.reason) <= _MAX_NOTE:
            raise Misuse(f"a forced release needs a reason of 1 to {_MAX_NOTE} characters: say why")
        check_said("a reason", command.reason, _MAX_NOTE)
        space = self._state.look(command.space)
        leases = space.leases.on(parse_target(command.target))
        if not leases:
            return Released(0, (NotReleased(command.target, self._why_not_forced(space, command.target)),))
        alive = [lease for lease in leases if self._keeps(lease, now_s)]
        if alive and not command.even_if_alive:
            why = f"its holder {alive[0].session_id} is alive: ask it, wait, or say even_if_alive"
            return Released(0, (NotReleased(command.target, why),))
        for lease in leases:
            self._take_away(space, lease, session_id, command, now)
        return Released(sum(len(lease.targets) for lease in leases), ())

    def _why_not_forced(self, space: ClaimSpace, text: str) -> str:
        leases = space.leases.covering(parse_target(text))
        if leases:
            held = ", ".join(map(repr, leases[0].targets[:3]))
            return f"{leases[0].session_id} holds {held}, not this target itself: name that"
        return "nobody holds it: it was released or has ended before"

    def _keeps(self, lease: Lease, now_s: float) -> bool:
        """Whether somebody alive holds it."""
        if not lease.is_live:
            return False
        if lease.fades:
            return now_s - lease.progress_at_s < self._state.limits.fresh_s
        return self._sessions.remaining_s(lease.session_id, now_s) is not None

    def _take_away(self, space: ClaimSpace, lease: Lease, by: str, command: ForceRelease, now: Now) -> None:
        now_s, alive = now.field_s, self._keeps(lease, now.field_s)
        whose, target = lease.session_id, command.target
        self._state.record(
            ReleaseForced(space.name, now_s, now.utc_s, by, whose, target, lease.generation, command.reason, alive)
        )
        if lease.is_live:
            self._end(space, lease, "forced", now_s)
        else:
            self._state.record(LockDelayOver(space.name, lease.lease_id))

    def end_sessions(self, session_ids: list[str], reason: str, now_s: float) -> int:
        """All that these sessions hold and wait for is over; returns how many claims that were.

        They leave the line before anything is freed, so that nothing is given to the dead. `expired` sessions leave a
        lock delay behind: their process may still be in the middle of a write.
        """
        for session_id in session_ids:
            self._dismiss(session_id)
        delay_s = self._state.limits.lock_delay_s if reason == "expired" else 0.0
        n_ended = 0
        for session_id in session_ids:
            for name in sorted(self._state.spaces):
                space = self._state.spaces[name]
                for lease in space.leases.owned(session_id):
                    self._end(space, lease, reason, now_s, delay_s)
                    n_ended += 1
        return n_ended

    def _dismiss(self, session_id: str) -> None:
        """The requests of a session that is over wait no longer; whoever still listens is told."""
        for ticket in sorted(self._state.waiting_by_session.get(session_id, ())):
            self.withdraw(Ticket(ticket), "session ended")
            fate = self._sessions.fate(session_id)
            answer = Failed(UnknownAgent.code, f"agent {session_id!r} {fate}, and waits no longer: register anew")
            self._claiming.settled.append((Ticket(ticket), answer))

    def withdraw(self, ticket: Ticket, reason: str) -> None:
        """A waiter leaves the line."""
        waiter = self._state.waiting.get(ticket.number)
        if waiter is not None:
            self._state.record(WaiterLeft(waiter.space, waiter.ticket, reason))

    def undo(self, session_id: str, granted: Granted, now_s: float) -> None:
        """Take back a grant whose caller gave up before it heard of it; a renewal stays."""
        space = self._state.look(granted.space)
        for lease in space.leases.owned_on(session_id, granted.targets[0]):
            asked_again = granted.renewed or lease.renewed
            if lease.generation == granted.generation and lease.targets == granted.targets and not asked_again:
                self._end(space, lease, "released", now_s)
                return

    def undo_each(self, session_id: str, each: ClaimedEach, now_s: float) -> None:
        """The same for all grants of a batch; each has a generation of its own."""
        space = self._state.look(each.space)
        numbers = {generation + at for _, n_claims, generation in each.runs for at in range(n_claims)}
        for lease in space.leases.owned(session_id):
            if lease.generation in numbers and not lease.renewed:
                self._end(space, lease, "released", now_s)
        for one in each.apart:
            if one.granted is not None:
                self.undo(session_id, one.granted, now_s)

    def expire(self, now_s: float) -> None:
        """End what is due by itself."""
        for due in self._state.pop_due(now_s):
            if due.what in ("wait", "idle"):
                # What has become free before goes to those who waited for it, and not to waste.
                self._claiming.serve(now_s)
                self._expire_wait(due, now_s)
            else:
                space = self._state.spaces[due.space]
                lease = space.leases.leases.get(due.number)
                if lease is not None:
                    self._expire_lease(space, lease, due, now_s)
        self._state.trim_deadlines()

    def _expire_wait(self, due: Due, now_s: float) -> None:
        waiter = self._state.waiting.get(due.number)
        if waiter is None:
            return
        if due.what == "wait":
            self._claiming.time_out(waiter, now_s)
            return
        rested, again_at_s = self._claiming.rested_too_long(waiter, now_s)
        for lease in rested:
            self._end(self._state.spaces[waiter.space], lease, "idle", now_s)
        self._state.await_idle(waiter, again_at_s)

    def _expire_lease(self, space: ClaimSpace, lease: Lease, due: Due, now_s: float) -> None:
        if due.what == "delay":
            if not lease.is_live:
                self._state.record(LockDelayOver(space.name, lease.lease_id))
        elif lease.is_live and lease.fades:
            fades_at_s = lease.progress_at_s + self._state.limits.fade_s
            if fades_at_s > now_s:
                self._state.again(due, fades_at_s)
            else:
                self._end(space, lease, "faded", now_s)


def _none_released(texts: tuple[str, ...], why: str) -> Released:
    return Released(0, tuple([NotReleased(text, why) for text in texts]))
