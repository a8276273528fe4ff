"""One-shot escalations: after a failed edit, the path's next automatic read shows the file in full."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Any, NamedTuple


class Escalation(NamedTuple):
    """A path whose next automatic read is `full`, since `armed_at` (UTC seconds)."""

    space: str
    path: str
    armed_at: float


class Escalations:
    """The pending escalations, oldest first."""

    def __init__(self) -> None:
        self._armed_at: dict[tuple[str, str], float] = {}

    def __len__(self) -> int:
        return len(self._armed_at)

    def __contains__(self, where: tuple[str, str]) -> bool:
        return where in self._armed_at

    def get(self, space: str, path: str, not_before_s: float) -> Escalation | None:
        """The path's escalation, unless there is none or it was armed before `not_before_s`."""
        armed_at = self._armed_at.get((space, path))
        return None if armed_at is None or armed_at < not_before_s else Escalation(space, path, armed_at)

    def n_live(self, not_before_s: float) -> int:
        """How many were armed at `not_before_s` or later."""
        return sum(armed_at >= not_before_s for armed_at in self._armed_at.values())

    def lapsed(self, not_before_s: float) -> list[Escalation]:
        """Those armed before `not_before_s`; touches no others."""
        old = takewhile(lambda item: item[1] < not_before_s, self._armed_at.items())
        return [Escalation(*where, armed_at) for where, armed_at in old]

    def oldest(self) -> Escalation:
        """The one to evict."""
        where, armed_at = next(iter(self._armed_at.items()))
        return Escalation(*where, armed_at)

    def arm(self, escalation: Escalation) -> None:
        """Add one, or arm it anew; it takes its place by age, after those of the same moment."""
        self._armed_at.pop(escalation[:2], None)
        newest = next(reversed(self._armed_at.values()), escalation.armed_at)
        self._armed_at[escalation[:2]] = escalation.armed_at
        if escalation.armed_at < newest:
            self._armed_at = dict(sorted(self._armed_at.items(), key=lambda item: item[1]))

    def move(self, space: str, path: str, new_path: str) -> None:
        """Let one go along with its file, with its age and in its place."""
        moved = {(space, path): (space, new_path)}
        self._armed_at = {moved.get(where, where): armed_at for where, armed_at in self._armed_at.items()}

    def end(self, space: str, path: str) -> None:
        """Forget one."""
        del self._armed_at[space, path]

    def rows(self) -> Iterator[list[Any]]:
        """The state, in order."""
        return ([*where, armed_at] for where, armed_at in self._armed_at.items())

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        self._armed_at[row[0], row[1]] = row[2]
