"""Checkpoints as an agent makes them along the way, so that whoever comes after can go on with what it found out."""

from __future__ import annotations

from typing import Any, Final

from agents_demo.assignment import NumberedTask
from agents_demo.docket import Docket, Occupied
from agents_demo.report import TaskReport
from coordinator.memory.handle import PlaybookHandle
from coordinator.reading.token_count import count_tokens

TASKS_A_CHECKPOINT: Final = 10


class Keeper:
    """A docket that makes a checkpoint after every ten tasks, and one at the end by `keep`."""

    def __init__(self, docket: Docket, playbook: PlaybookHandle) -> None:
        self.n_claims_rejected = 0
        self._docket = docket
        self._playbook = playbook
        self._n_finished = 0

    def next(self, left_s: float) -> NumberedTask | Occupied | None:
        """The docket's next."""
        taken = self._docket.next(left_s)
        self.n_claims_rejected = self._docket.n_claims_rejected
        return taken

    def finish(self, task: NumberedTask, turn: TaskReport) -> None:
        """The turn at this task is over."""
        self._docket.finish(task, turn)
        self._n_finished += 1
        if self._n_finished % TASKS_A_CHECKPOINT == 0:
            self._playbook.checkpoint()

    def keep(self) -> dict[str, Any]:
        """The last checkpoint: how many entries the playbook has, how many mended a failure, and its tokens as text."""
        text = self._playbook.checkpoint().text
        entries = self._playbook.view().entries
        n_mended = sum(entry.is_mended for entry in entries)
        return {"entries": len(entries), "mended": n_mended, "tokens": count_tokens(text)}
