"""What all that is asked of the memory for one agent stands on: who asks, in which space, and whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from actors.memory.messages import RecordRecall
from coordinator.asking import Asker
from coordinator.memory.session_trail import SessionTrail
from coordinator.session import AgentSession
from coordinator.step import Operation
from coordinator.workspace import Workspace

if TYPE_CHECKING:
    from coordinator.embedding.embedder import Embedder


@dataclass(frozen=True, slots=True)
class Ground:
    """`current` gives the session that may change something, `asking` one that may ask.

    `reports` waits a short time only, for what must not hold an agent up. `embedder` is None where there is no model.
    `recalled` hears of each recall: text, key and category. `trail` is what the agent did since its last checkpoint,
    `uncounted` the recalls that the memory has not been told of.
    """

    workspace: Workspace
    memory: Asker
    reports: Asker
    current: Callable[[], Operation[AgentSession]]
    asking: Callable[[], AgentSession]
    embedder: Embedder | None
    recalled: Callable[[str, str, str], None]
    trail: SessionTrail
    uncounted: list[RecordRecall]

    @property
    def space(self) -> str:
        """The claim space."""
        return self.workspace.space

    def change(self, command: Any) -> Operation[Any]:
        """Ask for something that changes state."""
        session: AgentSession = yield from self.current()
        return (yield from self.memory.request(session, command))

    def ask(self, command: Any) -> Operation[Any]:
        """Ask something that changes nothing."""
        return self.memory.query(self.asking(), command)
