"""The last changes of a claim space, for those who watch it.

One fact changes all its targets in the same way, and hardly anybody asks: so what is kept is the fact, and the changes
are spelled out for whoever does ask. Nothing depends on how changes were grouped.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from actors.scent_field.messages import Change

MAX_CHANGES: Final = 2_048


class _Entry(NamedTuple):
    """Changes of several targets at once; `version` is that of the first."""

    version: int
    what: str
    targets: tuple[str, ...]
    agent: str
    detail: str


class ChangeLog:
    """The last 2,048 changes; `version` counts all there ever were."""

    def __init__(self) -> None:
        self.version = 0
        self._entries: deque[_Entry] = deque()
        self._n_kept = 0

    def __len__(self) -> int:
        return min(self._n_kept, MAX_CHANGES)

    def __iter__(self) -> Iterator[Change]:
        return self._since(self.version - len(self))

    def note(self, what: str, targets: tuple[str, ...], agent_id: str, detail: str) -> None:
        """Count a change of each of the targets, and keep it."""
        if targets:
            self._entries.append(_Entry(self.version + 1, what, targets, agent_id, detail))
            self.version += len(targets)
            self._n_kept += len(targets)
            while self._n_kept - len(self._entries[0].targets) >= MAX_CHANGES:
                self._n_kept -= len(self._entries.popleft().targets)

    def restore(self, change: Change) -> None:
        """Keep a change that has been counted before."""
        self._entries.append(_Entry(change.version, change.what, (change.target,), change.agent, change.detail))
        self._n_kept += 1

    def after(self, version: int) -> tuple[bool, tuple[Change, ...]]:
        """(some were missed, the changes after `version`)."""
        if version > self.version or version < self.version - len(self):
            return True, ()
        return False, tuple(self._since(version))

    def _since(self, version: int) -> Iterator[Change]:
        newer: list[_Entry] = []
        for entry in reversed(self._entries):
            if entry.version + len(entry.targets) - 1 <= version:
                break
            newer.append(entry)
        for first, what, targets, agent, detail in reversed(newer):
            start = max(0, version + 1 - first)
            for number, target in enumerate(islice(targets, start, None), first + start):
                yield Change(number, what, target, agent, detail)
