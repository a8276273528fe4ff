"""What a claim is told of close work: who holds other files for something like its intent.

A refusal is nobody's business here: the claim is granted when this is looked for, and whatever goes wrong leaves it
without. The live claims are asked for every five seconds at most, so that an agent that claims all the time asks
rarely; one that was made in between is not told of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from actors.runtime.errors import ScentfieldError
from actors.scent_field.messages import FieldRow, FieldView, Sync
from coordinator.asking import Asker
from coordinator.close_work import MAX_ROWS, close_work
from coordinator.session import AgentSession
from coordinator.step import Operation, Work

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PINNED_S: Final = 5.0
RETRY_S: Final = 30.0
MAX_TOLD: Final = 3


@dataclass(slots=True)
class CloseDesk:
    """Asks through `scent_field`, which waits a short time only; `vectors_of` waits for no model."""

    scent_field: Asker
    space: str
    vectors_of: Callable[[list[str]], npt.NDArray[np.float32] | None]
    monotonic: Callable[[], float]
    _rows: Sequence[FieldRow] = ()
    _until_s: float = float("-inf")

    def told(self, session: AgentSession, intent: str) -> Operation[tuple[str, ...]]:
        """A line for each of the nearest, three at most; none for a claim without an intent."""
        if not intent.strip():
            return ()
        yield from self._refresh(session)
        rows, own = self._rows, session.session_id
        found = yield Work(lambda: close_work(intent, rows, own, self.vectors_of, MAX_TOLD))
        return tuple(f"close work: {work.line}" for work in found)

    def _refresh(self, session: AgentSession) -> Operation[None]:
        now_s = self.monotonic()
        if now_s < self._until_s:
            return
        try:
            view: FieldView = yield from self.scent_field.query(session, Sync(self.space, MAX_ROWS))
        except ScentfieldError:
            self._rows, self._until_s = (), now_s + RETRY_S
            return
        self._rows, self._until_s = view.rows, now_s + PINNED_S
