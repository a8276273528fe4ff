"""One playbook: itemised entries that are appended, confirmed, voted on and evicted, and never rewritten.

Rewriting summaries of summaries loses what they knew (context collapse: Zhang et al. 2025, "Agentic Context
Engineering"); so an entry keeps its bytes and its number for as long as it lives, and a number is never used again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from actors.memory.entry import Draft, Entry
from actors.memory.limit import SAME_FROM


@dataclass(slots=True)
class Playbook:
    """The entries by number, in their order. `shown` holds for each session the last number that it was shown."""

    turn: int = 0
    last_id: int = 0
    n_evicted: int = 0
    entries: dict[int, Entry] = field(default_factory=dict)
    shown: dict[str, int] = field(default_factory=dict)

    def like(self, draft: Draft) -> Entry | None:
        """The entry that says what the draft says: the most like it, of several the first; None if there is none."""
        nearest = max(self.entries.values(), key=lambda entry: (entry.likeness(draft), -entry.entry_id), default=None)
        return nearest if nearest is not None and nearest.likeness(draft) >= SAME_FROM else None

    def least_salient(self) -> Entry:
        """The entry that goes where there is room for some only. Raises `ValueError` if there is none."""
        return min(self.entries.values(), key=lambda entry: entry.salience)

    def due(self) -> Iterator[tuple[int, str]]:
        """The entries that have to go at the end of a turn, and why."""
        return ((entry.entry_id, entry.is_due) for entry in self.entries.values() if entry.is_due)

    def copy(self) -> Playbook:
        """A playbook of its own with the same entries; nobody was shown it yet."""
        return Playbook(self.turn, self.last_id, self.n_evicted, dict(self.entries))
