"""Who gets what: grants, refusals, and the line of those who wait.

A request gets its targets, all or none, when no foreign lease and no earlier waiter needs one of them. Rings of waiting
are found when somebody wants to queue up, before they can form.
"""

from __future__ import annotations

from typing import Any, Final

from actors.runtime.machine import Ticket
from actors.runtime.wire import BusyFor
from actors.scent_field.event import LeaseGranted, LeaseRenewed, WaiterLeft, WaiterQueued
from actors.scent_field.expiry import Expiry
from actors.scent_field.lease import Lease
from actors.scent_field.liveness import Liveness
from actors.scent_field.mark import marks_on
from actors.scent_field.messages import Claim, ClaimAny, Granted, Held
from actors.scent_field.refusal import Refusals, reason_of, rejected
from actors.scent_field.refusal_trail import RefusalTrail
from actors.scent_field.request import (
    Blockers,
    Request,
    blockers_of,
    check_claim,
    check_space,
)
from actors.scent_field.space import ClaimSpace
from actors.scent_field.state import FieldState
from actors.scent_field.target import Target, TargetKind, is_broad, parse_target
from actors.scent_field.wait_graph import WaitGraph
from actors.scent_field.waiter import Waiter

_NARROW: Final = (TargetKind.FILE, TargetKind.LABEL)


class Claiming:
    """Decides claims on the field's state."""

    def __init__(self, state: FieldState, sessions: Liveness, expiry: Expiry) -> None:
        self._state = state
        self._sessions = sessions
        self._expiry = expiry
        self._refusals = Refusals(state.limits, expiry)
        self._graph = WaitGraph(state, sessions)
        self.settled: list[tuple[Ticket, Any]] = []
        self.refused = RefusalTrail()

    def claim(self, session_id: str, command: Claim, now_s: float) -> Granted | Held | Ticket | BusyFor:
        """Give all the targets, or none. Raises `Misuse` or `BadTarget` for a request that makes no sense."""
        texts = command.targets
        if len(texts) > 1:
            texts = tuple(sorted(set(texts)))
        request = self._request(session_id, command, texts, any_of=False)
        lease = request.space.leases.same(session_id, request.targets, request.shared)
        if lease is not None:
            return self._renew(request, lease, now_s)
        blockers = blockers_of(request)
        return self._wait_or_refuse(request, command, blockers, now_s) if blockers else self._grant(request, now_s)

    def claim_any(self, session_id: str, command: ClaimAny, now_s: float) -> Granted | Held | Ticket | BusyFor:
        """Give the first target that is free, in the order in which they were named."""
        whole = self._request(session_id, command, tuple(dict.fromkeys(command.targets)), any_of=True)
        for request in whole.choices():
            if self._is_free(request):
                return self._renew_or_grant(request, now_s)
        return self._wait_or_refuse(whole, command, blockers_of(whole), now_s)

    def _request(self, session_id: str, command: Claim | ClaimAny, texts: tuple[str, ...], *, any_of: bool) -> Request:
        state = self._state
        check_claim(command, state.limits)
        space = state.spaces.get(command.space)
        if space is None:
            check_space(state, command.space)
            space = state.look(command.space)
        return Request(
            space,
            session_id,
            self._sessions.lineage(session_id),
            texts,
            (parse_target(texts[0]),) if len(texts) == 1 else tuple([parse_target(text) for text in texts]),
            command.mode == "shared",
            any_of,
            command.intent,
            None,
        )

    def _is_free(self, request: Request) -> bool:
        """Whether nothing is in the way; what the session holds already is free for it."""
        own = request.space.leases.same(request.session_id, request.targets, request.shared)
        return own is not None or not blockers_of(request)

    def _renew_or_grant(self, request: Request, now_s: float) -> Granted | BusyFor:
        lease = request.space.leases.same(request.session_id, request.targets, request.shared)
        return self._grant(request, now_s) if lease is None else self._renew(request, lease, now_s)

    def _renew(self, request: Request, lease: Lease, now_s: float) -> Granted:
        """The same claim again keeps its generation and is fresh."""
        self._state.record(LeaseRenewed(request.space.name, lease.lease_id, now_s))
        kept_by = self._sessions.kept_by(lease.session_id)
        return self._granted(request.space, lease, request.targets, kept_by, now_s, renewed=True)

    def _is_full(self) -> bool:
        return self._state.n_leases >= self._state.limits.max_leases

    def _grant(self, request: Request, now_s: float) -> Granted | BusyFor:
        state = self._state
        if state.n_leases >= state.limits.max_leases:
            return BusyFor(1.0, f"{state.n_leases} claims are held, which is the limit")
        space, session_id, shared = request.space, request.session_id, request.shared
        kept_by = self._sessions.kept_by(session_id)
        lease_id = state.last_lease + 1
        state.record(
            LeaseGranted(
                lease_id,
                space.name,
                session_id,
                request.texts,
                shared,
                self._generation(request) if shared else space.generation + 1,
                kept_by == "decay",
                now_s,
                request.intent,
            )
        )
        space = state.spaces[space.name]  # a space is made with its first fact
        return self._granted(space, space.leases.leases[lease_id], request.targets, kept_by, now_s, renewed=False)

    def _generation(self, request: Request) -> int:
        """A shared request gets the number of the group that it joins, else the next.

        It joins where nothing newer was granted since, as whoever has seen a newer number would refuse it: if the group
        is the newest of its space, or the request asks for nothing but what members hold that nobody has overtaken.
        """
        space = request.space
        groups = [[one for one in space.leases.sharers(target) if not one.overtaken] for target in request.targets]
        running = {lease.generation for group in groups for lease in group}
        if len(running) == 1 and (
            running == {space.generation}
            or all(
                any(one.includes(target) for one in group)
                for target, group in zip(request.targets, groups, strict=True)
            )
        ):
            return running.pop()
        return space.generation + 1

    def _granted(
        self, space: ClaimSpace, lease: Lease, targets: tuple[Target, ...], kept_by: str, now_s: float, *, renewed: bool
    ) -> Granted:
        return Granted(
            lease.generation,
            lease.targets,
            self._expiry.expires_in_s(lease, now_s),
            kept_by,
            renewed,
            marks_on(space.signals, targets, now_s) if space.signals.has_marks else (),
            _warnings(targets),
            space.name,
        )

    def _wait_or_refuse(
        self, request: Request, command: Claim | ClaimAny, blockers: list[Blockers], now_s: float
    ) -> Held | Ticket | BusyFor:
        cycle = self._graph.ring(request, blockers)
        if cycle:
            return self._refuse(request, blockers, "would_deadlock", now_s, cycle)
        if command.wait_s == 0.0:
            return self._refuse(request, blockers, reason_of(blockers), now_s)
        return self._queue(request, command.wait_s, now_s)

    def _queue(self, request: Request, wait_s: float, now_s: float) -> Ticket | BusyFor:
        state, limits = self._state, self._state.limits
        n_own = len(state.waiting_by_session.get(request.session_id, ()))
        if len(state.waiting) >= limits.max_waiters:
            return BusyFor(1.0, f"{len(state.waiting)} requests wait, which is the limit")
        if n_own >= limits.max_waiters_of_session:
            return BusyFor(1.0, f"{n_own} requests of {request.session_id} wait, which is the limit for one session")
        ticket = state.last_ticket + 1
        state.record(
            WaiterQueued(
                ticket,
                request.space.name,
                request.session_id,
                request.texts,
                request.shared,
                request.any_of,
                now_s,
                now_s + wait_s,
                request.intent,
            )
        )
        return Ticket(ticket)

    def _refuse(
        self, request: Request, blockers: list[Blockers], reason: str, now_s: float, cycle: tuple[str, ...] = ()
    ) -> Held:
        self._state.record(rejected(request, blockers))
        held = self._refusals.held(blockers, reason, now_s, cycle)
        self.refused.note(request.space.name, request.session_id, held, now_s)
        return held

    def serve(self, now_s: float) -> None:
        """Give what has become free to those who wait for it, in the order of the line."""
        while self._state.freed:
            freed, self._state.freed[:] = list(self._state.freed), []
            for waiter in self._candidates(freed):
                if waiter.ticket in self._state.waiting:
                    self._serve_one(waiter, now_s)

    def _candidates(self, freed: list[tuple[str, tuple[str, ...]]]) -> list[Waiter]:
        found: dict[int, Waiter] = {}
        for name, texts in freed:
            line = self._state.spaces[name].waiters
            if line.waiters:
                for text in texts:
                    found |= {waiter.ticket: waiter for waiter in line.interested(parse_target(text))}
        return [found[ticket] for ticket in sorted(found)]

    def _serve_one(self, waiter: Waiter, now_s: float) -> None:
        for request in self._graph.queued(waiter).choices():
            if not blockers_of(request):
                self._state.record(WaiterLeft(waiter.space, waiter.ticket, "busy" if self._is_full() else "granted"))
                answer = self._renew_or_grant(request, now_s)
                self.settled.append((Ticket(waiter.ticket), answer))
                return

    def time_out(self, waiter: Waiter, now_s: float) -> None:
        """A waiter's time is up: it is refused with what keeps it out now."""
        request = self._graph.queued(waiter)
        held = self._refuse(request, blockers_of(request), "timeout", now_s)
        self._state.record(WaiterLeft(waiter.space, waiter.ticket, "timeout"))
        self.settled.append((Ticket(waiter.ticket), held))

    def rested_too_long(self, waiter: Waiter, now_s: float) -> tuple[list[Lease], float]:
        """Claims that keep this waiter out and have rested for `idle_s`, and when to look again."""
        idle_s = self._state.limits.idle_s
        blockers = blockers_of(self._graph.queued(waiter))
        leases = {lease.lease_id: lease for blocker in blockers for lease in blocker.leases if lease.is_live}
        rested = [lease for _, lease in sorted(leases.items()) if lease.progress_at_s + idle_s <= now_s]
        others = [lease.progress_at_s for lease in leases.values() if lease.progress_at_s + idle_s > now_s]
        return rested, min(others, default=now_s) + idle_s

    def in_the_way(self, space: ClaimSpace, leases: list[Lease], to_session: str, now_s: float) -> Held | None:
        """What keeps leases from being handed to this session: other holders, or a ring of waiting."""
        lineage = self._sessions.lineage(to_session)
        blockers = []
        for lease in leases:
            for text in lease.targets:
                blocking = space.leases.blocking(parse_target(text), lineage, lease.shared)
                others = [other for other in blocking if other not in leases]
                if others:
                    blockers.append(Blockers(text, others, []))
        if blockers:
            return self._refusals.held(blockers, reason_of(blockers), now_s)
        with space.leases.as_if_moved(leases, to_session):
            ring = self._ring_on(space, [text for lease in leases for text in lease.targets])
        return self._refusals.held([], "would_deadlock", now_s, ring) if ring else None

    def _ring_on(self, space: ClaimSpace, texts: list[str]) -> tuple[str, ...]:
        """A ring of waiting that passes through somebody who waits for one of these targets, whoever that is."""
        for waiter in [one for text in texts for one in space.waiters.interested(parse_target(text))]:
            request = self._graph.queued(waiter)
            ring = self._graph.ring(request, blockers_of(request))
            if ring:
                return ring
        return ()

    def handed_over(self, space: ClaimSpace, leases: list[Lease], now_s: float) -> Granted:
        """The answer to whoever handed leases over, all under one generation."""
        texts = tuple(sorted({text for lease in leases for text in lease.targets}))
        kept_by = self._sessions.kept_by(leases[0].session_id)
        granted = self._granted(space, leases[0], tuple(map(parse_target, texts)), kept_by, now_s, renewed=False)
        return granted._replace(targets=texts)


def _warnings(targets: tuple[Target, ...]) -> tuple[str, ...]:
    warnings: tuple[str, ...] = ()
    for target in targets:
        if target.kind not in _NARROW and is_broad(target):
            warnings += (f"{target.text!r} covers very much: claim the folders or files that you will edit",)
    return warnings
