"""What the coordinator is told of an edit. Nothing that goes wrong here concerns the edit."""

from __future__ import annotations

from dataclasses import dataclass

from actors.quality_store.messages import DropEscalation, FollowMove, RecordOutcome
from actors.runtime.errors import ScentfieldError
from actors.scent_field.messages import Progress
from coordinator.desk import Desk
from coordinator.editing import refusal
from coordinator.editing.edited import Edited
from coordinator.editing.permit import Denied, EditPort
from coordinator.editing.refusal import Cause
from coordinator.session import AgentSession
from coordinator.step import Operation


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the caller gets, and what the coordinator is told.

    `mode` is that of the agent's last view of the file; `n_tokens` is what a failure cost. `voids_escalation`: what was
    pending for the file is no more; `moved_to`: it goes along to there.
    """

    edited: Edited
    outcome: str
    cause: str
    mode: str
    voids_escalation: bool = False
    n_tokens: int = 0
    moved_to: str = ""


class Reports:
    """Reports of one desk."""

    def __init__(self, desk: Desk, port: EditPort) -> None:
        self._desk = desk
        self._port = port

    def claimed(self, target: str, denied: Denied) -> Outcome:
        """Nothing was tried, because somebody else holds the file."""
        message = refusal.claimed(target, denied.message).message
        edited = Edited(target, False, Cause.CLAIMED, message, generation=denied.generation)
        return Outcome(edited, "failure", Cause.CLAIMED, self._desk.mode_of(target))

    def send(self, session: AgentSession | None, target: str, told: Outcome) -> Operation[None]:
        """Tell both actors what came of it, two seconds at most."""
        if session is None:
            return
        space = self._desk.workspace.space
        commands: list[RecordOutcome | DropEscalation | FollowMove] = []
        if told.voids_escalation:
            commands.append(DropEscalation(space, (target,)))
        arms = self._desk.arms_of(target)
        commands.append(RecordOutcome(space, target, told.mode, told.outcome, str(told.cause), told.n_tokens, arms))
        if told.moved_to:
            commands.append(FollowMove(space, target, told.moved_to))
        try:
            yield from self._port.quality_reports.request_many(session, commands)
            # What trouble it was the field hears from the quality store.
            yield from self._port.field_reports.request(session, Progress(space, target, 0.0, 0.0))
        except ScentfieldError:
            return
