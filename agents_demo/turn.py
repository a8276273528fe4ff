"""One turn of an agent at one task: look, think, edit; where the edit is refused, look again.

An agent has the task, the text that it was shown and, if it has one, its memory, which it quotes from where the first
view does not show the place; and it takes the care that the lessons beside that view ask for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from actors.runtime.errors import UnknownAgent
from agents_demo.care import CARELESS, care_for
from agents_demo.hands import EditAnswer, Hands, Shown
from agents_demo.proposal import AlreadyDone, NotVisible, Proposal, propose
from agents_demo.report import Look, Status, TaskReport
from agents_demo.task import Task
from coordinator.editing.refusal import Cause

Recall = Callable[[Task], str]
"""What the agent knows by heart around a task's place; empty for nothing."""

MAX_TRIES: Final = 3
"""Edits that an agent attempts at one task in one turn."""

SESSION_ENDED: Final = "session_ended"
"""The cause of an edit that was not tried because the agent's session had ended."""


class Turn:
    """Counts what one turn costs. `clock` gives seconds that all agents share, `think` takes the model's time."""

    def __init__(
        self,
        task: Task,
        hands: Hands,
        *,
        clock: Callable[[], float],
        think: Callable[[], None],
        recall: Recall = lambda _: "",
    ) -> None:
        self._task = task
        self._hands = hands
        self._recall = recall
        self._clock = clock
        self._think = think
        self._n_tokens = 0
        self._n_tokens_retried = 0
        self._failures: Counter[str] = Counter()
        self._looks: list[Look] = []
        self._n_lessons = 0
        self._care = CARELESS

    def take(self, agent_id: str) -> TaskReport:
        """Work on the task until its outcome is known."""
        started_at_s = self._clock()
        try:
            status = self._try_out()
        except UnknownAgent:
            self._failures[SESSION_ENDED] += 1
            status = Status.GAVE_UP
        return TaskReport(
            agent_id,
            self._task.task_id,
            status,
            started_at_s,
            self._clock(),
            self._n_tokens,
            self._n_tokens_retried,
            dict(sorted(self._failures.items())),
            tuple(self._looks),
            self._n_lessons,
        )

    def _try_out(self) -> Status:
        answer: EditAnswer | None = None
        for _ in range(MAX_TRIES):
            found = self._look(answer)
            self._think()
            if isinstance(found, AlreadyDone):
                return Status.ALREADY_DONE
            if isinstance(found, NotVisible):
                return Status.GAVE_UP if answer is None else Status.FAILED
            answer = self._hands.edit(self._task.path, found.old, found.new)
            self._pay(answer.n_tokens, is_retry=answer.cause != "" and not answer.already_done)
            if answer.landed:
                return Status.LANDED
            if answer.already_done:
                return Status.ALREADY_DONE
            self._failures[answer.cause] += 1
        return Status.FAILED

    def _look(self, refused: EditAnswer | None) -> Proposal | NotVisible | AlreadyDone:
        """What to do, by the first text that shows the place: the refusal's own, then views, the short ones first."""
        found: Proposal | NotVisible | AlreadyDone = NotVisible("nothing was read yet")
        if refused is not None:
            trusts_orphans = refused.cause != Cause.AMBIGUOUS
            found = self._propose(refused.text, trusts_orphans=trusts_orphans)
        views = self._views() if refused is None else self._whole(is_retry=True)
        while isinstance(found, NotVisible) and (text := next(views, None)) is not None:
            found = self._propose(text)
        return found

    def _propose(self, text: str, *, trusts_orphans: bool = True) -> Proposal | NotVisible | AlreadyDone:
        n_neighbours = self._care.n_neighbours
        return propose(self._task, text, n_neighbours=n_neighbours, trusts_orphans=trusts_orphans)

    def _views(self) -> Iterator[str]:
        shown = self._hands.read(self._task.path, "auto")
        self._care, self._n_lessons = care_for(shown.lessons), len(shown.lessons)
        yield self._seen(shown, is_retry=False)
        if not shown.is_whole:
            if not self._care.looks_first:
                yield self._recall(self._task)
            unit = self._hands.expand(self._task.path, self._task.unit)
            if unit is not None:
                yield self._seen(unit, is_retry=False)
            yield from self._whole(is_retry=False)

    def _whole(self, *, is_retry: bool) -> Iterator[str]:
        yield self._seen(self._hands.read(self._task.path, "full"), is_retry=is_retry)

    def _seen(self, shown: Shown, *, is_retry: bool) -> str:
        self._looks.append(Look(shown.mode, shown.source))
        self._pay(shown.n_tokens, is_retry=is_retry)
        return shown.text

    def _pay(self, n_tokens: int, *, is_retry: bool) -> None:
        self._n_tokens += n_tokens
        self._n_tokens_retried += n_tokens if is_retry else 0
