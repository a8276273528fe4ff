"""Which tasks come up in which round, and who is given them: the same for every run.

Rounds deal a file's tasks out one after the other, so that most files come up again. Within a round a file is one
agent's, in the next round another's: what is remembered of a file then helps, or hinders, somebody else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from actors.runtime.errors import Misuse
from agents_demo.task import Task, read_source, spread
from agents_demo.tree import SourceTree
from coordinator.reading.policy import MAX_SMALL_FILE_LINES


@dataclass(frozen=True, slots=True)
class Backlog:
    """`rounds` holds for each round what each agent is given: numbers of `tasks`."""

    tasks: tuple[Task, ...]
    rounds: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def n_files(self) -> int:
        """How many files the tasks are in."""
        return len({task.path for task in self.tasks})


def deal(tasks: Sequence[Task], *, n_rounds: int, n_agents: int) -> Backlog:
    """Give each task to one agent in one round. Raises `Misuse` where a round would have fewer tasks than agents."""
    files = {path: place for place, path in enumerate(dict.fromkeys(task.path for task in tasks))}
    rounds: list[list[list[int]]] = [[[] for _ in range(n_agents)] for _ in range(n_rounds)]
    n_before = dict.fromkeys(files, 0)
    for number, task in enumerate(tasks):
        place = files[task.path]
        at = (place + n_before[task.path]) % n_rounds
        n_before[task.path] += 1
        # Whole rounds of files apart, so that an agent is not given the first task of each file.
        rounds[at][(place // n_rounds + at) % n_agents].append(number)
    fewest = min(sum(map(len, one)) for one in rounds)
    if fewest < n_agents:
        raise Misuse(
            f"{len(tasks)} tasks in {len(files)} files are too few for {n_rounds} rounds of {n_agents} agents: "
            "ask for fewer rounds or agents, or for more tasks"
        )
    return Backlog(tuple(tasks), tuple(tuple(map(tuple, one)) for one in rounds))


def teaching(tree: SourceTree, tasks: Sequence[Task], max_tasks: int, *, max_files: int | None = None) -> list[Task]:
    """At most `max_tasks` of those in files that are not shown whole anyway: no other view can teach anything.

    Of as many files as possible, `max_files` at most. Raises `Misuse` if there are none.
    """
    n_lines = {path: read_source(tree.root / path).count("\n") for path in {task.path for task in tasks}}
    long = [task for task in tasks if n_lines[task.path] > MAX_SMALL_FILE_LINES]
    if not long:
        raise Misuse(
            f"none of {tree.n_files} files with work in it has more than {MAX_SMALL_FILE_LINES} lines, so every view "
            "is whole and nothing can be learned: name a larger source tree"
        )
    return spread(long, max_tasks, max_files=max_files or max_tasks)
