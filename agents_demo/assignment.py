"""What one agent of the demo is told when it starts: its name, its way of working, and the tasks."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from agents_demo.task import Task


class Way(StrEnum):
    """How agents share the work: not at all, by the task's number, or by claims."""

    NONE = "none"
    SPLIT = "split"
    WITH = "with"


class NumberedTask(NamedTuple):
    """A task and its number, which all agents know it by."""

    number: int
    task: Task

    @property
    def label(self) -> str:
        """The target that stands for the task."""
        return f"task:{self.number}"


@dataclass(frozen=True, slots=True)
class Assignment:
    """One agent's part of a column.

    `number` counts the agents from 0. `think_s` is slept between reading and deciding, in place of a model; `max_s`
    ends the work, None does not. `rereads` says that an edit without coordination is made in the file as it is then,
    and not as it was read. `settings` are those of the coordinator, None without one. `dealt` are the numbers of the
    tasks that nobody else is given, None where the way of working decides. `learns` says that automatic views go by
    what the coordinator has learned; otherwise by the rule from before anything was. `remembers` is the root of a tree
    that the agent knows by heart, None for an agent that knows what it is shown. `resumes` is the session whose
    playbook it goes on with; with `checkpoints` it keeps its own for whoever comes after.
    """

    name: str
    number: int
    n_agents: int
    way: Way
    root: str
    tasks: tuple[Task, ...]
    think_s: float = 0.0
    max_s: float | None = None
    rereads: bool = False
    settings: Mapping[str, Any] | None = None
    dealt: tuple[int, ...] | None = None
    learns: bool = True
    remembers: str | None = None
    resumes: str | None = None
    checkpoints: bool = False

    def own_tasks(self) -> list[NumberedTask]:
        """The tasks that this agent takes up, in its own order."""
        numbered = [NumberedTask(number, task) for number, task in enumerate(self.tasks)]
        if self.dealt is not None:
            numbered = [numbered[number] for number in self.dealt]
        elif self.way is Way.SPLIT:
            numbered = numbered[self.number :: self.n_agents]
        return own_order(numbered, self.name)

    def to_json(self) -> dict[str, Any]:
        """The fields by name, ready for JSON."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**fields, "way": self.way.value, "tasks": [task.to_json() for task in self.tasks]}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Assignment:
        """The inverse of `to_json`. Raises `TypeError` for unknown or missing fields, `ValueError` for a way."""
        tasks = tuple(Task.from_json(task) for task in fields["tasks"])
        dealt = None if fields["dealt"] is None else tuple(fields["dealt"])
        return cls(**{**fields, "way": Way(fields["way"]), "tasks": tasks, "dealt": dealt})


def own_order(tasks: Sequence[NumberedTask], name: str) -> list[NumberedTask]:
    """The tasks shuffled by the agent's name: the same name, the same order, on every machine."""
    shuffled = list(tasks)
    random.Random(name).shuffle(shuffled)
    return shuffled
