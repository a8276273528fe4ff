"""Claims that ended without their holders' doing, kept until the holders have been told.

Bounded in all and for each session, the oldest out first: a session that dies with thousands of claims must not push
out what others have not heard yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from actors.runtime.errors import InvariantBroken

MAX_LOSSES: Final = 10_000
MAX_LOSSES_OF_SESSION: Final = 1_000


class LostClaim(NamedTuple):
    """A claim that ended without its holder's doing; numbers grow over all sessions."""

    number: int
    session_id: str
    space: str
    targets: tuple[str, ...]
    generation: int
    reason: str
    at_s: float


@dataclass(slots=True)
class LossBook:
    """The last lost claims, by number and by session."""

    last_number: int = 0
    _losses: dict[int, LostClaim] = field(default_factory=dict)
    _by_session: dict[str, dict[int, LostClaim]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._losses)

    def add(self, lost: LostClaim) -> None:
        """Take up a loss; its number must be the highest."""
        self.last_number = lost.number
        self._losses[lost.number] = lost
        own = self._by_session.setdefault(lost.session_id, {})
        own[lost.number] = lost
        if len(own) > MAX_LOSSES_OF_SESSION:
            self._drop(next(iter(own)))
        elif len(self._losses) > MAX_LOSSES:
            self._drop(next(iter(self._losses)))

    def _drop(self, number: int) -> None:
        lost = self._losses.pop(number)
        own = self._by_session[lost.session_id]
        del own[number]
        if not own:
            del self._by_session[lost.session_id]

    def after(self, session_id: str, number: int) -> list[LostClaim]:
        """The session's losses after that number, oldest first."""
        own = self._by_session.get(session_id)
        return [] if own is None else [lost for lost in own.values() if lost.number > number]

    def snapshot(self) -> Iterator[list[Any]]:
        """One row a loss."""
        return (list(lost) for lost in self._losses.values())

    def restore(self, row: list[Any]) -> None:
        """Take one `snapshot` row."""
        number, session_id, space, targets, *rest = row
        self.add(LostClaim(number, session_id, space, tuple(targets), *rest))

    def check_invariants(self) -> None:
        """Both indices hold the same losses."""
        if sorted(number for own in self._by_session.values() for number in own) != list(self._losses):
            raise InvariantBroken("the losses by session are not the losses by number")
