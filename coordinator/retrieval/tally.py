"""Counts what searches found, and writes the counts to the index now and then: no search waits for that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from actors.runtime.errors import ScentfieldError
from coordinator.retrieval.answer import Answer, Source
from coordinator.retrieval.index_file import IndexFile

FLUSH_S: Final = 1.0


class Tally:
    """Counts not yet written. What a process that is killed has counted in its last second is lost."""

    def __init__(self, index: IndexFile, monotonic: Callable[[], float]) -> None:
        self._index = index
        self._monotonic = monotonic
        self._counts: Counter[str] = Counter()
        self._flushed_at_s = monotonic()

    def searched(self, answer: Answer, by: Source) -> None:
        """Count one search: its kind, and who put forward what it shows."""
        self._counts[f"searches_{'words' if answer.no_meaning else by}"] += 1
        self._counts["searches_empty"] += not answer.passages
        self._counts["reread"] += answer.n_reread
        self._counts.update(f"passages_{source}" for source in answer.sources)
        if self._monotonic() - self._flushed_at_s >= FLUSH_S:
            self.flush()

    def flush(self) -> None:
        """Write the counts down, if nobody else writes just now."""
        self._flushed_at_s = self._monotonic()
        try:
            if self._index.exists and self._index.count(+self._counts):
                self._counts.clear()
        except ScentfieldError:
            return  # an index that cannot be written is told to whoever searches or indexes, not to who counts
