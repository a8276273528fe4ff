"""What the field tells those who only ask."""

from __future__ import annotations

from actors.runtime.machine import Ticket
from actors.runtime.wire import BusyFor
from actors.scent_field.expiry import Expiry
from actors.scent_field.lease import Lease
from actors.scent_field.liveness import Liveness
from actors.scent_field.loss import LostClaim
from actors.scent_field.mark import heat_on
from actors.scent_field.messages import (
    Audit,
    Changes,
    Check,
    Checked,
    CheckHeat,
    Count,
    FieldCounts,
    FieldRow,
    FieldView,
    Heat,
    ListAudit,
    ListLosses,
    Loss,
    Losses,
    Sync,
    Watch,
)
from actors.scent_field.request import check_space
from actors.scent_field.signal import SignalKind, SignalRow
from actors.scent_field.space import ClaimSpace
from actors.scent_field.state import FieldState
from actors.scent_field.target import Target, TargetKind, covers, parse_target

_MAX_NOTICES = 64
_MAX_AUDIT = 100
_MAX_CHANGES = 1_000
_MAX_AGENTS = 64


class Watcher:
    """One long poll; it is not state, and a restart of the actor ends it."""

    __slots__ = ("deadline_s", "space", "ticket", "version")

    def __init__(self, ticket: int, space: str, version: int, deadline_s: float) -> None:
        self.ticket = ticket
        self.space = space
        self.version = version
        self.deadline_s = deadline_s


class Report:
    """Answers queries on the field's state; changes nothing."""

    def __init__(self, state: FieldState, sessions: Liveness, expiry: Expiry) -> None:
        self._state = state
        self._sessions = sessions
        self._expiry = expiry
        self._watchers: dict[int, Watcher] = {}
        self._last_watcher = 0

    def sync(self, command: Sync, now_s: float) -> FieldView:
        """The strongest rows of a space."""
        check_space(self._state, command.space)
        space = self._state.look(command.space)
        limit = max(0, min(command.limit, self._state.limits.max_rows))
        rows = space.signals.strongest(now_s, limit)
        return FieldView(
            tuple(self._row(space, row, now_s) for row in rows),
            space.signals.n_rows() - len(rows),
            space.leases.n_live,
            len(space.waiters),
            space.strictness,
            space.version,
        )

    def _row(self, space: ClaimSpace, row: SignalRow, now_s: float) -> FieldRow:
        agents = tuple([one.agent_id for one in row.deposits[:_MAX_AGENTS]])
        idle_s = now_s - max([one.at_s for one in row.deposits])
        held = [space.leases.owned_on(agent, row.target) for agent in agents] if row.kind is SignalKind.CLAIMED else []
        oldest = min([leases[0] for leases in held if leases], key=lambda lease: lease.lease_id, default=None)
        if oldest is None:
            return FieldRow(row.kind, row.target, row.intensity, agents, idle_s, 0, idle_s, "")
        age_s = now_s - oldest.granted_at_s
        return FieldRow(row.kind, row.target, row.intensity, agents, age_s, oldest.generation, idle_s, oldest.intent)

    def check(self, command: Check, now_s: float) -> Checked:
        """Whether a claim still covers a path; if not, who overtook it or why it ended.

        Of several holders those come first that would be in this session's way; its parents never are.
        """
        check_space(self._state, command.space)
        target = parse_target(command.path)
        space = self._state.look(command.space)
        leases = space.leases.covering(target)
        own = [one for one in leases if self._is_meant(one, command) and _is_covered(target, one)]
        lineage = self._sessions.lineage(command.session_id)
        foreign = [one for one in leases if one.session_id not in lineage]
        candidates = own or foreign or leases
        shown = candidates[0] if candidates else None
        why = "" if own else self._why_not(space, command, shown)
        return self._checked(space, bool(own), why, shown, now_s)

    def heat(self, command: CheckHeat, now_s: float) -> Heat:
        """How hot others have made a file."""
        check_space(self._state, command.space)
        target = parse_target(command.path)
        return heat_on(self._state.look(command.space).signals, target, command.session_id, now_s)

    def _is_meant(self, lease: Lease, command: Check) -> bool:
        return lease.generation == command.generation and command.session_id in ("", lease.session_id)

    def _why_not(self, space: ClaimSpace, command: Check, holder: Lease | None) -> str:
        ended = space.ended.get(command.generation)
        how = f"the claim with generation {command.generation} has ended ({ended.reason})" if ended else ""
        if holder is not None:
            now = f"{holder.session_id} holds {command.path!r} with generation {holder.generation}"
            return f"{how}; {now}" if how else now
        return how or "nobody holds it"

    def _checked(self, space: ClaimSpace, holds: bool, why: str, lease: Lease | None, now_s: float) -> Checked:
        if lease is None:
            return Checked(holds, why, "", 0, 0.0, 0.0, "", space.strictness)
        return Checked(
            holds,
            why,
            lease.session_id,
            lease.generation,
            now_s - lease.granted_at_s,
            self._expiry.expires_in_s(lease, now_s),
            lease.intent,
            space.strictness,
        )

    def watch(self, command: Watch, now_s: float) -> Changes | Ticket | BusyFor:
        """The changes after a version, at once or when there are some."""
        check_space(self._state, command.space)
        answer = self._changes(command.space, command.version)
        timeout_s = min(command.timeout_s, self._state.limits.max_watch_s)
        if answer.changes or answer.resync or timeout_s <= 0.0:
            return answer
        if len(self._watchers) >= self._state.limits.max_watchers:
            return BusyFor(1.0, f"{len(self._watchers)} callers watch, which is the limit")
        self._last_watcher -= 1
        self._watchers[self._last_watcher] = Watcher(
            self._last_watcher, command.space, command.version, now_s + timeout_s
        )
        return Ticket(self._last_watcher)

    def _changes(self, name: str, version: int) -> Changes:
        space = self._state.look(name)
        resync, changes = space.changes.after(version)
        shown = changes[:_MAX_CHANGES]
        return Changes(shown[-1].version if shown else space.version, resync, shown)

    def take_watched(self, now_s: float) -> list[tuple[Ticket, Changes]]:
        """The long polls that have something to say, or whose time is up."""
        spaces = self._state.spaces
        versions = {name: spaces[name].version if name in spaces else 0 for name in self._watched()}
        ready = [
            one for one in self._watchers.values() if versions[one.space] != one.version or one.deadline_s <= now_s
        ]
        for watcher in ready:
            del self._watchers[watcher.ticket]
        return [(Ticket(one.ticket), self._changes(one.space, one.version)) for one in ready]

    def _watched(self) -> dict[str, None]:
        return dict.fromkeys([watcher.space for watcher in self._watchers.values()])

    def next_watch_s(self) -> float | None:
        """When the next long poll has to be answered with nothing."""
        return min((watcher.deadline_s for watcher in self._watchers.values()), default=None)

    @property
    def n_watchers(self) -> int:
        """How many long polls wait."""
        return len(self._watchers)

    def losses(self, command: ListLosses, now_s: float) -> Losses:
        """What a session lost, and who has it now."""
        return self.losses_after(command.session_id, 0, now_s)

    def losses_after(self, session_id: str, number: int, now_s: float) -> Losses:
        """The same after a number that the session has seen, 64 at most."""
        lost = self._state.losses.after(session_id, number)
        return Losses(tuple([self._loss(one, now_s) for one in lost[:_MAX_NOTICES]]))

    def _loss(self, lost: LostClaim, now_s: float) -> Loss:
        leases = self._state.look(lost.space).leases
        holders = (one.session_id for text in lost.targets for one in leases.covering(parse_target(text)))
        ago_s = now_s - lost.at_s
        return Loss(lost.number, lost.space, lost.targets, lost.generation, lost.reason, ago_s, next(holders, ""))

    def audit(self, command: ListAudit) -> Audit:
        """The last forced releases."""
        check_space(self._state, command.space)
        return Audit(tuple(self._state.look(command.space).audit)[-_MAX_AUDIT:])

    def counts(self, now_s: float) -> FieldCounts:
        """Gauges and counters over all spaces; O(spaces)."""
        signals = dict.fromkeys(SignalKind, 0)
        for space in self._state.spaces.values():
            for kind, count in space.signals.totals(now_s).items():
                signals[kind] += count
        gauges = [
            Count("leases", self._state.n_leases),
            Count("waiters", len(self._state.waiting)),
            Count("watchers", self.n_watchers),
            Count("spaces", len(self._state.spaces)),
            *(Count(f"signals_{kind.lower()}", count) for kind, count in signals.items()),
        ]
        return FieldCounts(tuple(gauges), tuple(Count(name, value) for name, value in self._state.counters.items()))


def _is_covered(asked: Target, lease: Lease) -> bool:
    """Whether the lease covers all of what was asked for, and not a part of it."""
    return any(_covers_all(parse_target(text), asked) for text in lease.targets)


def _covers_all(held: Target, asked: Target) -> bool:
    if held.text == asked.text:
        return True
    if asked.kind is TargetKind.FILE:
        return covers(held, asked.parts)
    return held.kind is TargetKind.FOLDER and held.parts == asked.anchor[: len(held.parts)]
