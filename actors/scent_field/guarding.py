"""Changes that are about to be kept, a commit for example: whether they go over the claims of others.

Looks at claims and takes none. What is refused here was made already, so it counts apart from claims that were refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from actors.runtime.errors import Misuse
from actors.scent_field.event import ChangeRefused
from actors.scent_field.expiry import Expiry
from actors.scent_field.lease import Lease
from actors.scent_field.liveness import Liveness
from actors.scent_field.messages import Check, Guard, Guarded, Overtaken
from actors.scent_field.refusal import Refusals, prevented_by
from actors.scent_field.report import Report
from actors.scent_field.request import Blockers, check_space
from actors.scent_field.space import STRICTNESSES
from actors.scent_field.state import FieldState
from actors.scent_field.target import parse_target

SOURCES: Final = ("guard", "hook")
MAX_GUARDED: Final = 1_024
MAX_NAMED: Final = 64
_NOBODY: Final = "nobody"


class Guarding:
    """Judges changes. `agents` are the sessions that have made them, none if they are not known."""

    def __init__(self, state: FieldState, sessions: Liveness, expiry: Expiry) -> None:
        self._state = state
        self._sessions = sessions
        self._report = Report(state, sessions, expiry)
        self._refusals = Refusals(state.limits, expiry)

    def guard(self, agents: Sequence[str], command: Guard, now_s: float) -> Guarded:
        """What is in the way. Where it is refused for claims of others, that is counted."""
        check_space(self._state, command.space)
        _check(command)
        strictness = command.strictness or self._state.look(command.space).strictness
        blockers = self._blockers(agents, command, now_s)
        if blockers and strictness == "deny":
            self._count(_asker(agents, command), command, blockers)
        held = self._refusals.held(blockers, "claimed", now_s)
        overtaken = self._overtaken(command, now_s)
        max_shown = self._state.limits.max_conflicts
        return Guarded(
            strictness,
            tuple(agents[:MAX_NAMED]),
            held.conflicts,
            held.n_more,
            tuple(overtaken[:max_shown]),
            max(0, len(overtaken) - max_shown),
        )

    def _blockers(self, agents: Sequence[str], command: Guard, now_s: float) -> list[Blockers]:
        lineage = {one for agent in agents for one in self._sessions.lineage(agent)}
        ages_s = command.ages_s or (0.0,) * len(command.targets)
        found = []
        for target, age_s in zip(command.targets, ages_s, strict=True):
            leases = [
                lease
                for lease in self._covering(command.space, target)
                if lease.session_id not in lineage and lease.granted_at_s <= now_s - age_s
            ]
            if leases:
                found.append(Blockers(target, leases, []))
        return found

    def _covering(self, space: str, target: str) -> list[Lease]:
        return self._state.look(space).leases.covering(parse_target(target))

    def _overtaken(self, command: Guard, now_s: float) -> list[Overtaken]:
        if not command.generation:
            return []
        asked = [Check(command.space, target, command.generation, "") for target in command.targets]
        checked = [(one.path, self._report.check(one, now_s)) for one in asked]
        return [Overtaken(target, one.why) for target, one in checked if not one.holds]

    def _count(self, asker: str, command: Guard, blockers: list[Blockers]) -> None:
        prevented = prevented_by(asker, blockers)
        if prevented:
            self._state.record(ChangeRefused(command.space, asker, command.source, prevented))


def _asker(agents: Sequence[str], command: Guard) -> str:
    """Under whom a refusal is remembered, so that asking again does not count again."""
    return next(iter((*agents, *command.names, *command.seats)), _NOBODY)


def _check(command: Guard) -> None:
    """Raise `Misuse` for what makes no sense."""
    if len(command.targets) > MAX_GUARDED:
        raise Misuse(f"{len(command.targets)} targets at once are over the limit of {MAX_GUARDED}: ask in parts")
    if command.ages_s and len(command.ages_s) != len(command.targets):
        raise Misuse(f"{len(command.ages_s)} ages for {len(command.targets)} targets: give one for each, or none")
    if len(command.names) > MAX_NAMED or len(command.seats) > MAX_NAMED:
        raise Misuse(f"changes are by at most {MAX_NAMED} names and {MAX_NAMED} processes: name fewer")
    if command.source not in SOURCES:
        raise Misuse(f"source {command.source[:40]!r} is not one of {', '.join(SOURCES)}")
    if command.strictness and command.strictness not in STRICTNESSES:
        raise Misuse(f"strictness {command.strictness[:40]!r} is not one of {', '.join(STRICTNESSES)}")
