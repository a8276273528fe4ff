"""What an agent says about its work, task by task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple


class Status(StrEnum):
    """How one turn at a task ended.

    `landed`: the agent's edit was taken. `already_done`: it found the rewrite made, in a text it read or by the
    answer to its edit. `failed`: its last edit was refused. `gave_up`: it never found the place, or ran out of time.
    `held`: another agent had the claim, nothing was read.
    """

    LANDED = "landed"
    ALREADY_DONE = "already_done"
    FAILED = "failed"
    GAVE_UP = "gave_up"
    HELD = "held"


class Look(NamedTuple):
    """One view that an agent was shown: its mode, and the name of the rule that chose it."""

    mode: str
    source: str


@dataclass(frozen=True, slots=True)
class TaskReport:
    """One turn of one agent at one task.

    `started_at_s` is when the agent began to read for this task (after its claim was granted, where it claims);
    `ended_at_s` when it knew the outcome. Both in seconds on one clock for all agents. `n_tokens_read` counts all
    views and answers of this turn, `n_tokens_retried` those of them that a failed edit made necessary. `failures`
    counts the refused edits by cause. `looks` are its views in order, the automatic one first, `n_lessons` stood beside
    that.
    """

    agent_id: str
    task_id: str
    status: Status
    started_at_s: float
    ended_at_s: float
    n_tokens_read: int = 0
    n_tokens_retried: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)
    looks: tuple[Look, ...] = ()
    n_lessons: int = 0

    def to_json(self) -> dict[str, Any]:
        """The fields by name, ready for JSON."""
        names = ("agent_id", "task_id", "started_at_s", "ended_at_s", "n_tokens_read", "n_tokens_retried", "n_lessons")
        return {
            **{name: getattr(self, name) for name in names},
            "status": self.status.value,
            "failures": {**self.failures},
            "looks": [list(look) for look in self.looks],
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> TaskReport:
        """The inverse of `to_json`. Raises `TypeError` for unknown or missing fields, `ValueError` for a status."""
        looks = tuple(Look(*look) for look in fields["looks"])
        return cls(**{**fields, "status": Status(fields["status"]), "looks": looks})


@dataclass(frozen=True, slots=True)
class AgentReport:
    """All turns of one agent, in order, and how many of its claims were rejected."""

    agent_id: str
    turns: tuple[TaskReport, ...] = ()
    n_claims_rejected: int = 0

    def to_json(self) -> dict[str, Any]:
        """The fields by name, ready for JSON."""
        turns = [turn.to_json() for turn in self.turns]
        return {"agent_id": self.agent_id, "turns": turns, "n_claims_rejected": self.n_claims_rejected}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> AgentReport:
        """The inverse of `to_json`. Raises `TypeError` or `ValueError` as `TaskReport.from_json` does."""
        return cls(**{**fields, "turns": tuple(map(TaskReport.from_json, fields["turns"]))})
