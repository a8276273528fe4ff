"""What a checkpoint came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from actors.memory.messages import CheckpointTaken


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """`text` is the session's playbook after it: what a later session goes on with. `print(checkpoint)` prints it.

    `session` says what became of the session's playbook, and `project` what of the project's, whose entries that this
    session was shown are a turn older. `n_dropped` findings were forgotten before they could be kept: there were too
    many since the last checkpoint.
    """

    text: str
    session: CheckpointTaken
    project: CheckpointTaken
    n_dropped: int

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """The checkpoint for programs."""
        return {
            "text": self.text,
            "session": _plain(self.session),
            "project": _plain(self.project),
            "n_dropped": self.n_dropped,
        }


def _plain(taken: CheckpointTaken) -> dict[str, Any]:
    evicted = [one._asdict() for one in taken.evicted]
    return {**taken._asdict(), "entry_ids": list(taken.entry_ids), "evicted": evicted}
