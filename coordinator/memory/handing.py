"""Handing work over: the claims of an agent, and what it has found out, to another one in one step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from actors.runtime.errors import Misuse
from actors.scent_field.messages import Granted, Held
from coordinator.memory.checkpoint import Checkpoint
from coordinator.session import AgentSession
from coordinator.step import Operation


@dataclass(frozen=True, slots=True)
class HandOver:
    """What was handed over; true if all claims were. `print(hand_over)` prints what to tell the other agent.

    `given` are its claims now, `kept` those that somebody is in the way of, which stay with their holder. The
    `checkpoint` was made before them.
    """

    from_agent: str
    to_agent: str
    note: str
    given: tuple[Granted, ...]
    kept: tuple[Held, ...]
    checkpoint: Checkpoint

    def __bool__(self) -> bool:
        return not self.kept

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """The bundle: who hands what over and why, and the playbook."""
        note = f": {self.note}" if self.note else ""
        claims = [f"Yours now: {', '.join(one.targets)} (generation {one.generation})\n" for one in self.given]
        resume = f'Go on with agent.playbook.resume("{self.from_agent}"), which gives you:\n'
        playbook = resume + self.checkpoint.text if self.checkpoint.text else ""
        return f"Hand-over from {self.from_agent} to {self.to_agent}{note}\n{''.join(claims)}{playbook}"

    def to_dict(self) -> dict[str, Any]:
        """The bundle for programs."""
        return {
            "from_agent": self.from_agent,
            "to_agent": self.to_agent,
            "note": self.note,
            "given": [{"generation": one.generation, "targets": list(one.targets)} for one in self.given],
            "n_kept": len(self.kept),
            "checkpoint": self.checkpoint.to_dict(),
            "text": self.text,
        }


def hand_over(
    session: AgentSession,
    space: str,
    to_agent: str,
    note: str,
    *,
    checkpoint: Callable[[], Operation[Checkpoint]],
    transfer: Callable[[int], Operation[Granted | Held]],
) -> Operation[HandOver]:
    """Make a checkpoint, then hand over each claim of the space, the oldest first. Raises `Misuse` to oneself."""
    if to_agent == session.session_id:
        raise Misuse(f"{to_agent!r} is you: name the agent that takes over")
    taken: Checkpoint = yield from checkpoint()
    given: list[Granted] = []
    kept: list[Held] = []
    for generation in sorted({held[1] for held in session.held if held[0] == space}):
        answer = yield from transfer(generation)
        if isinstance(answer, Granted):
            given.append(answer)
        else:
            kept.append(answer)
    return HandOver(session.session_id, to_agent, note, tuple(given), tuple(kept), taken)
