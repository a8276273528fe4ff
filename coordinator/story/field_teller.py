"""What the scent field's journal tells: who got what, who waited, who was kept out, and how claims ended.

Each event is told before it is applied, because it names a lease or a waiter by its number only: whose it was, and what
it covered, stands in the state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, TypeAlias

from actors.coordination.machine import Coordination
from actors.runtime.outbox import MAX_DELIVERY
from actors.runtime.received import NotesApplied
from actors.scent_field.event import (
    ChangeRefused,
    ClaimRejected,
    LeaseEnded,
    LeaseGranted,
    LeaseMoved,
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
from actors.scent_field.target import parse_target
from actors.sessions.registry import SessionEnded, SessionRegistered
from coordinator.story.fact import MAX_CAUSES, Draft
from coordinator.story.subject import TargetSubject
from coordinator.story.thread import Threads

Tell: TypeAlias = Callable[[Any], "Draft | None"]
_EVERYTHING: Final = "./"
_FREEING: Final = (LeaseEnded, LockDelayOver, LeaseShrunk, LeaseMoved)
_ENDINGS: Final = {"goodbye": "ended", "parent": "ended"}


class FieldTeller:
    """Tells the events of the field's journal; `machine` has applied all that came before."""

    letter = "f"

    def __init__(self, machine: Coordination, threads: Threads) -> None:
        self._sessions = machine.sessions
        self._state = machine.field.state
        self._received = machine.received
        self._threads = threads
        self._delivered: list[tuple[str, int]] = []
        self._freed: list[tuple[str, Draft]] = []
        self._won: dict[str, tuple[str, ...]] = {}
        self._tell: dict[type, Tell] = {
            SessionRegistered: self._registered,
            SessionEnded: self._session_ended,
            LeaseGranted: self._granted,
            LeasesGranted: self._granted_each,
            LeaseRenewed: self._renewed,
            LeaseShrunk: self._shrunk,
            LeaseEnded: self._ended,
            LockDelayOver: self._delay_over,
            LeaseMoved: self._moved,
            WaiterQueued: self._queued,
            WaiterLeft: self._left,
            ClaimRejected: self._rejected,
            ChangeRefused: self._rejected,
            SignalDeposited: self._deposited,
            SignalNoted: self._noted,
            StrictnessSet: self._strictness,
            ReleaseForced: self._forced,
            NotesApplied: self._notes_applied,
        }

    def begin_row(self) -> None:
        """The next events are of another commit."""
        self._delivered.clear()
        self._freed.clear()
        self._won.clear()

    def tell(self, event: Any) -> Draft | None:
        """What the event says; None for one that is no news to a reader."""
        tell = self._tell.get(type(event))
        return None if tell is None else tell(event)

    def told(self, event: Any, _draft: Draft, ref: str) -> None:
        """The event's fact has this reference."""
        if type(event) in _FREEING:
            self._freed.append((ref, _draft))
        elif type(event) is LeasesGranted:
            for lease_id in range(event.lease_id, event.lease_id + len(event.targets)):
                self._threads.know(("lease", lease_id), ref)

    def already(self) -> Iterator[Draft]:
        """What was so before the first row: claims that were held, and requests that waited."""
        for name in sorted(self._state.spaces):
            space = self._state.spaces[name]
            for lease in space.leases.leases.values():
                if lease.is_live:
                    key = ("lease", lease.lease_id)
                    yield Draft("held", lease.session_id, name, lease.targets, _claim(lease), known_as=key)
            for waiter in space.waiters.waiters.values():
                key = ("waiter", waiter.ticket)
                yield Draft("waited", waiter.session_id, name, waiter.targets, waiter.intent, known_as=key)

    def covering(self, space: str, target: str, but: str) -> tuple[str, ...]:
        """The grants that cover a target now and are not this agent's."""
        return self._threads.of_each(("lease", lease.lease_id) for lease in self._others(space, (target,), but))

    def holders(self, space: str, target: str, but: str) -> tuple[str, ...]:
        """Who has them."""
        return tuple(dict.fromkeys(lease.session_id for lease in self._others(space, (target,), but)))

    def _others(self, name: str, targets: Sequence[str], but: str) -> Iterator[Lease]:
        """A few live leases of others on what overlaps these targets."""
        space = self._state.spaces.get(name)
        if space is None:
            return iter(())
        found = (lease for text in targets for lease in space.leases.covering(parse_target(text)))
        return islice((lease for lease in found if lease.session_id != but), MAX_CAUSES)

    # Sessions

    def _registered(self, event: SessionRegistered) -> Draft:
        of = f"child of {event.parent}, " if event.parent else ""
        others = (event.parent,) if event.parent else ()
        key = ("session", event.session_id)
        return Draft(
            "registered",
            event.session_id,
            detail=f"{of}kept by {event.kept_by}",
            others=others,
            causes=self._threads.of("session", event.parent),
            known_as=key,
        )

    def _session_ended(self, event: SessionEnded) -> Draft:
        began = self._threads.of("session", event.session_id)
        return Draft(
            "gone", event.session_id, detail=event.reason, causes=began, known_as=("session", event.session_id)
        )

    # Claims

    def _granted(self, event: LeaseGranted) -> Draft:
        mode = "shared, " if event.shared else ""
        return self._grant(event, f"{mode}generation {event.generation}", event.lease_id)

    def _granted_each(self, event: LeasesGranted) -> Draft:
        last = event.generation + len(event.targets) - 1
        return self._grant(event, f"each for itself, generations {event.generation} to {last}", event.lease_id)

    def _grant(self, event: LeaseGranted | LeasesGranted, detail: str, lease_id: int) -> Draft:
        return Draft(
            "granted",
            event.session_id,
            event.space,
            event.targets,
            _with_intent(detail, event.intent),
            causes=self._won.pop(event.session_id, ()),
            known_as=("lease", lease_id),
        )

    def _lease(self, space: str, lease_id: int) -> Lease:
        return self._state.spaces[space].leases.leases[lease_id]

    def _about(self, what: str, event: Any, detail: str = "", **rest: Any) -> Draft:
        """Something about a lease, which follows from its grant."""
        lease = self._lease(event.space, event.lease_id)
        causes = self._threads.of("lease", event.lease_id)
        told = detail or f"generation {lease.generation}"
        return Draft(what, lease.session_id, event.space, lease.targets, told, causes=causes)._replace(**rest)

    def _renewed(self, event: LeaseRenewed) -> Draft:
        won = self._won.pop(self._lease(event.space, event.lease_id).session_id, ())
        told = self._about("renewed", event)
        return told._replace(causes=(*told.causes, *won))

    def _shrunk(self, event: LeaseShrunk) -> Draft:
        return self._about("gave back", event, targets=event.targets)

    def _ended(self, event: LeaseEnded) -> Draft:
        told = self._about(_ENDINGS.get(event.reason, event.reason), event, known_as=("end", event.lease_id))
        delay_s = event.blocked_until_s - event.at_s
        why = {"goodbye": "its agent said goodbye", "parent": "its agent ended with its parent"}.get(event.reason, "")
        notes = [told.detail, why, f"nobody gets it for {delay_s:g} s" if delay_s > 0.0 else ""]
        gone = self._threads.of("session", told.agent) if event.reason in ("expired", "goodbye", "parent") else ()
        forced = self._threads.of("forced", event.space, told.agent) if event.reason == "forced" else ()
        waiting = self._waiting_for(event.space, told.targets) if event.reason == "idle" else ()
        return told._replace(detail=", ".join(filter(None, notes)), causes=(*told.causes, *gone, *forced, *waiting))

    def _waiting_for(self, space: str, targets: Iterable[str]) -> tuple[str, ...]:
        line = self._state.spaces[space].waiters
        waiting = (one.ticket for text in targets for one in line.interested(parse_target(text)))
        return self._threads.of_each(("waiter", ticket) for ticket in islice(waiting, MAX_CAUSES))

    def _delay_over(self, event: LockDelayOver) -> Draft | None:
        lease = self._lease(event.space, event.lease_id)
        if lease.is_live:
            return None
        ended = self._threads.of("end", event.lease_id)
        return Draft("free", "", event.space, lease.targets, causes=ended, others=(lease.session_id,))

    def _moved(self, event: LeaseMoved) -> Draft:
        giver = self._lease(event.space, event.lease_id).session_id
        detail = f"to {event.session_id}, generation {event.generation}"
        note = f"{detail}: {event.note}" if event.note else detail
        key = ("lease", event.lease_id)
        return self._about("handed over", event, note, agent=giver, others=(event.session_id,), known_as=key)

    def _forced(self, event: ReleaseForced) -> Draft:
        was = "was alive" if event.was_alive else "was gone"
        detail = f"from {event.from_session}, which {was}, generation {event.generation}: {event.reason}"
        leases = self._state.spaces[event.space].leases.on(parse_target(event.target))
        taken = self._threads.of_each(("lease", one.lease_id) for one in leases if one.session_id == event.from_session)
        others, key = (event.from_session,), ("forced", event.space, event.from_session)
        return Draft("took away", event.by, event.space, (event.target,), detail, taken, others, key)

    # The line

    def _queued(self, event: WaiterQueued) -> Draft:
        others = list(self._others(event.space, event.targets, event.session_id))
        held = ", ".join(dict.fromkeys(lease.session_id for lease in others))
        span_s = event.deadline_s - event.at_s
        return Draft(
            "waits",
            event.session_id,
            event.space,
            event.targets,
            _with_intent(f"for {held or 'its turn'}, {span_s:.0f} s at most", event.intent),
            self._threads.of_each(("lease", lease.lease_id) for lease in others),
            tuple(lease.session_id for lease in others),
            ("waiter", event.ticket),
        )

    def _left(self, event: WaiterLeft) -> Draft | None:
        waiter = self._state.spaces[event.space].waiters.waiters[event.ticket]
        began = self._threads.of("waiter", event.ticket)
        if event.reason == "granted":  # the grant tells it
            self._won[waiter.session_id] = (*began, *self._freed_on(event.space, waiter.targets))
            return None
        return Draft("left the line", waiter.session_id, event.space, waiter.targets, event.reason, began)

    def _rejected(self, event: ClaimRejected | ChangeRefused) -> Draft:
        """A refusal; of one that prevented no new duplicate work the journal keeps who asked, and not for what."""
        leases = [self._state.spaces[event.space].leases.leases.get(one.lease_id) for one in event.prevented]
        holders = tuple(dict.fromkeys(lease.session_id for lease in leases if lease is not None))
        targets = tuple(dict.fromkeys(one.target for one in event.prevented))
        return Draft(
            "refused",
            event.session_id,
            event.space,
            targets,
            _held_by(event, holders),
            self._threads.of_each(("lease", one.lease_id) for one in event.prevented),
            holders,
        )

    # Signals

    def _deposited(self, event: SignalDeposited) -> Draft:
        """A signal; DONE follows from the claim's end, and what another domain reported from what it told."""
        ended = self._freed_on(event.space, (event.target,)) if event.kind == "DONE" else ()
        return self._signal(event, ended or self._reported(event))

    def _reported(self, event: SignalDeposited) -> tuple[str, ...]:
        """The fact that was reported, if this is the signal that it left.

        Each report of a delivery leaves one signal, in order. One that is known and about something else left none; of
        one that is not known, its fact is folded away.
        """
        while self._delivered:
            note = self._delivered.pop(0)
            causes = self._threads.of("note", *note, event.agent_id, event.target)
            if causes or not self._threads.of("note", *note):
                return causes
        return ()

    def _freed_on(self, space: str, targets: tuple[str, ...]) -> tuple[str, ...]:
        """The ends of claims in this commit that were on what overlaps these targets."""
        wanted = [TargetSubject(space, text) for text in targets]
        return tuple(ref for ref, draft in self._freed if any(one.concerns(draft) for one in wanted))

    def _noted(self, event: SignalNoted) -> Draft | None:
        """A signal that work left by the way; a read's HOT is told by the read."""
        return None if event.kind == "HOT" else self._signal(event, ())

    @staticmethod
    def _signal(event: SignalDeposited | SignalNoted, causes: tuple[str, ...]) -> Draft:
        detail = f"{event.kind} {event.intensity:.2f}"
        return Draft("signal", event.agent_id, event.space, (event.target,), detail, causes)

    def _notes_applied(self, event: NotesApplied) -> None:
        """The signals that follow are what another domain reported."""
        first = self._received.applied(event.source) + 1
        self._delivered = [
            (event.source, number) for number in range(max(first, event.number - MAX_DELIVERY + 1), event.number + 1)
        ]

    def _strictness(self, event: StrictnessSet) -> Draft:
        return Draft("strictness", "", event.space, (_EVERYTHING,), event.strictness)


def _claim(lease: Lease) -> str:
    mode = "shared, " if lease.shared else ""
    return _with_intent(f"{mode}generation {lease.generation}", lease.intent)


def _with_intent(detail: str, intent: str) -> str:
    return f"{detail}: {intent}" if intent else detail


def _held_by(event: ClaimRejected | ChangeRefused, holders: Sequence[str]) -> str:
    if not holders:
        return "again, or for another reason than a holder's work"
    way = f", said the {event.source}" if isinstance(event, ChangeRefused) else ""
    return f"held by {', '.join(holders)}{way}"
