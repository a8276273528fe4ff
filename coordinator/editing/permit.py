"""Leave to change files: a claim for as long as that lasts, and whether it is still believed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from actors.runtime.errors import ScentfieldError, Unavailable, UnknownAgent
from actors.scent_field.messages import Check, Checked, Claim, GiveBack, Granted, Held
from coordinator.answer import NotGranted
from coordinator.asking import Asker
from coordinator.conversation import value_of
from coordinator.session import AgentSession
from coordinator.step import Operation


@dataclass(frozen=True, slots=True)
class EditPort:
    """Whom an editor talks to: the field for claims, and both actors for reports, which have a short time limit."""

    claims: Asker
    field_reports: Asker
    quality_reports: Asker
    when_unavailable: str
    monotonic: Callable[[], float] = field(default=time.monotonic)
    utc: Callable[[], float] = field(default=time.time)


@dataclass(frozen=True, slots=True)
class Permit:
    """Leave to change `targets`: the claim's generation, whether it is this edit's own, and what to say about it."""

    targets: tuple[str, ...]
    generation: int
    is_own: bool
    warnings: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()

    def signed_by(self, session: AgentSession | None) -> tuple[str, int | None]:
        """Who uses the permit, and the claim's generation if there is a claim; for the edit log."""
        agent_id = "nobody (no coordinator)" if session is None else session.session_id
        return agent_id, self.generation or None


@dataclass(frozen=True, slots=True)
class Denied:
    """Somebody else holds one of the targets: who, since when and what to do, and the claim's generation."""

    message: str
    generation: int


class Gate:
    """Asks the field of one space. A `session` that is None means that nobody can be asked."""

    def __init__(self, space: str, port: EditPort) -> None:
        self._space = space
        self._port = port

    def ask(self, session: AgentSession | None, targets: tuple[str, ...]) -> Operation[Permit | Denied]:
        """Leave to change all of these files, or a refusal that names who holds one. Raises `Unavailable`."""
        if session is None:
            return self._without_coordinator(targets, "there is no coordinator")
        try:
            return (yield from self._claim(session, targets))
        except Unavailable as error:
            return self._without_coordinator(targets, error.message)

    def _without_coordinator(self, targets: tuple[str, ...], why: str) -> Permit:
        if self._port.when_unavailable == "refuse":
            raise Unavailable(
                f"{why}, so nobody can say whether the file is free: nothing was written. Start it with "
                "`scentfield up`, or set when_unavailable = 'warn' to edit without"
            )
        return Permit(targets, 0, is_own=False, warnings=(f"edited without a coordinator: {why}",))

    def _claim(self, session: AgentSession, targets: tuple[str, ...]) -> Operation[Permit | Denied]:
        claim = Claim(self._space, targets, "exclusive", 0.0, "edit")
        commands = [claim, Check(self._space, targets[0], 0, session.session_id)]
        answers = yield from self._port.claims.request_many(session, commands)
        granted: Granted | Held = value_of(answers[0])
        checked: Checked = value_of(answers[1])
        if isinstance(granted, Granted):
            return Permit(targets, granted.generation, is_own=not granted.renewed)
        foreign = NotGranted(granted).message
        if checked.strictness == "deny":
            return Denied(foreign, max([conflict.generation for conflict in granted.conflicts], default=0))
        if checked.strictness == "observe":
            return Permit(targets, 0, is_own=False, hints=(f"[scent: {foreign}]",))
        return Permit(targets, 0, is_own=False, warnings=(foreign,))

    def check(self, session: AgentSession | None, permit: Permit) -> None:
        """Raise `UnknownAgent` past the client's own deadline, whether or not anybody has said so."""
        if session is not None and not self.is_ours(session, permit):
            raise session.end or UnknownAgent(
                f"agent {session.session_id!r} has not been heard for its TTL or has lost the claim, the file may be "
                "somebody else's by now: nothing was written. Register anew, read the file again, then edit"
            )

    def is_ours(self, session: AgentSession, permit: Permit) -> bool:
        """Whether the permit may still be believed, by what this process knows."""
        lost = permit.generation and session.has_lost(self._space, permit.generation)
        return session.is_valid(self._port.monotonic()) and not lost

    def give_back(self, session: AgentSession | None, permit: Permit) -> Operation[None]:
        """Release the edit's own claim, unless this agent has claimed the same meanwhile."""
        if session is None or not permit.is_own:
            return
        try:
            command = GiveBack(self._space, permit.targets, permit.generation)
            # No report: a claim that is not given back would shut others out for as long as this session lives.
            yield from self._port.claims.request(session, command)
        except ScentfieldError:
            return  # the claim ends with the session then
