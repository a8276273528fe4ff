"""Which task an agent takes next: its own list as it stands, or what it can claim of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import PurePosixPath
from typing import Final, Protocol, TypeVar

from actors.runtime.errors import UnknownAgent
from actors.scent_field.messages import Changes
from agents_demo.assignment import NumberedTask
from agents_demo.report import Status, TaskReport
from agents_demo.turn import SESSION_ENDED
from coordinator.answer import Claimed, NotGranted
from coordinator.client import Coordinator

MAX_WAIT_S: Final = 10.0
"""How long an agent stands in line at most, before it looks again at what else there is."""

MAX_PUT_BACK: Final = 3
"""How often an agent takes a task up again whose turn was cut off by the end of its session."""

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Occupied:
    """The task's claim was not granted: somebody else is at work there."""

    task: NumberedTask


class Docket(Protocol):
    """An agent's list of tasks. A task that came from `next` is ended by `finish` before the next one is asked for."""

    n_claims_rejected: int

    def next(self, left_s: float) -> NumberedTask | Occupied | None:
        """What to work on now; None when nothing is left. Waits for others at most `left_s` seconds."""

    def finish(self, task: NumberedTask, turn: TaskReport) -> None:
        """The turn at this task is over."""


class OwnList:
    """One task after the other; nobody is asked and nobody is told."""

    def __init__(self, tasks: Iterable[NumberedTask]) -> None:
        self.n_claims_rejected = 0
        self._left = deque(tasks)

    def next(self, left_s: float) -> NumberedTask | None:  # noqa: ARG002  # the protocol's signature
        """The next on the list."""
        return self._left.popleft() if self._left else None

    def finish(self, task: NumberedTask, turn: TaskReport) -> None:
        """Nothing to do."""


class ClaimedList:
    """The next task that nobody has done and that can be claimed, the task and its file in one set.

    Why no task is done twice: a turn begins after its task was claimed and ends before it is released, in the order
    edit, DONE, release; so whoever is granted the task later sees DONE with the grant. Only where an agent dies between
    its edit and DONE, the next one finds out by reading.
    """

    def __init__(
        self,
        coordinator: Coordinator,
        tasks: Iterable[NumberedTask],
        *,
        on_claim: Callable[[NumberedTask], None] = lambda _: None,
    ) -> None:
        self.n_claims_rejected = 0
        self._coordinator = coordinator
        self._left = deque(tasks)
        self._on_claim = on_claim
        self._done: set[str] = set()
        self._n_put_back: dict[int, int] = {}
        self._n_refused_in_a_row = 0
        self._version = coordinator.sync(limit=1).version

    def next(self, left_s: float) -> NumberedTask | Occupied | None:
        """Claim the first that is free; where all that is left is held by others, stand in line."""
        self._hear_news()
        while self._left:
            task = self._left.popleft()
            if task.label in self._done:
                continue
            claimed = self._claim(task, left_s)
            if isinstance(claimed, NotGranted):
                self.n_claims_rejected += 1
                self._n_refused_in_a_row += 1
                self._left.append(task)
                return Occupied(task)
            self._n_refused_in_a_row = 0
            if not self._is_done(task, claimed):
                self._on_claim(task)
                return task
        return None

    def _claim(self, task: NumberedTask, left_s: float) -> Claimed | NotGranted:
        all_are_held = self._n_refused_in_a_row > len(self._left)
        wait_s = max(0.0, min(MAX_WAIT_S, left_s)) if all_are_held else 0.0
        targets = _targets(task)
        return self._alive(lambda: self._coordinator.claim(targets, wait_s=wait_s, intent=task.task.kind))

    def _is_done(self, task: NumberedTask, claimed: Claimed) -> bool:
        """Whether somebody has left DONE on the task; then the claim is given back."""
        if not any(note.kind == "DONE" and note.target == task.label for note in claimed.signals):
            return False
        self._done.add(task.label)
        self._alive(claimed.release)
        return True

    def _alive(self, ask: Callable[[], Answer]) -> Answer:
        """Ask; with a new session if the old one has ended, which nothing is held by any more."""
        try:
            return ask()
        except UnknownAgent:
            self._coordinator.register_anew()
            return ask()

    def _hear_news(self) -> None:
        """Learn in one call which tasks others have finished; the grants would say so too, one by one."""
        while True:
            news: Changes = self._coordinator.watch(self._version, timeout_s=0.0)
            self._done.update(one.target for one in news.changes if one.what == "signal" and one.detail == "DONE")
            is_all = news.version == self._version or news.resync
            self._version = news.version
            if is_all:
                return

    def finish(self, task: NumberedTask, turn: TaskReport) -> None:
        """Say that the task is done, if it is, and give the task and its file back."""
        if turn.status in (Status.LANDED, Status.ALREADY_DONE):
            self._leave_done(task)
        try:
            self._coordinator.release(_targets(task))
        except UnknownAgent:
            self._coordinator.register_anew()
        if SESSION_ENDED in turn.failures:
            self._put_back(task)

    def _leave_done(self, task: NumberedTask) -> None:
        self._done.add(task.label)
        try:
            is_told = self._coordinator.release(task.label, done=True).n_released > 0
        except UnknownAgent:
            self._coordinator.register_anew()
            is_told = False
        if not is_told:
            self._coordinator.deposit(task.label, "DONE")

    def _put_back(self, task: NumberedTask) -> None:
        n_before = self._n_put_back.get(task.number, 0)
        if n_before < MAX_PUT_BACK:
            self._n_put_back[task.number] = n_before + 1
            self._left.append(task)


def _targets(task: NumberedTask) -> list[str | PathLike[str]]:
    """What is claimed for a task: its label, and its file by its literal name."""
    return [task.label, PurePosixPath(task.task.path)]
