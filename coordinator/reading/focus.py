"""What an agent is working on, for reads that name no query of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from actors.runtime.errors import Misuse
from coordinator.reading.query import Query

SEARCH_HOLDS_S: Final = 1_800.0
MAX_CHARACTERS: Final = 8_000


@dataclass(slots=True)
class Focus:
    """An agent's task, and what it searched for last, at `searched_at_s` in seconds since the epoch."""

    task: str = ""
    search: str = ""
    searched_at_s: float = 0.0

    def work_on(self, task: str) -> None:
        """From now on this is the task; "" for none. Raises `Misuse` for a text that is too long."""
        self.task = _checked("task", task)

    def searched(self, text: str, now_s: float) -> None:
        """The agent has just searched for this. Raises `Misuse` for a text that is too long."""
        self.search, self.searched_at_s = _checked("search", text), now_s

    def query(self, given: str, now_s: float) -> Query | None:
        """What to read by: what was given, else the task, else the last search of the last half hour."""
        if given.strip():
            return Query(given)
        if self.task:
            return Query(self.task, "task")
        is_fresh = 0 <= now_s - self.searched_at_s <= SEARCH_HOLDS_S
        return Query(self.search, "search") if self.search and is_fresh else None

    def to_plain(self) -> dict[str, Any]:
        """For a file."""
        return {"task": self.task, "search": self.search, "searched_at_s": self.searched_at_s}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Focus:
        """From a file. Raises `KeyError`, `TypeError` or `ValueError` for other data."""
        return cls(str(plain["task"]), str(plain["search"]), float(plain["searched_at_s"]))


def _checked(what: str, text: str) -> str:
    if not isinstance(text, str):
        raise Misuse(f"a {what} is text, not {text!r:.80}")
    if len(text) > MAX_CHARACTERS:
        raise Misuse(f"this {what} has {len(text)} characters, the limit is {MAX_CHARACTERS}: say it in fewer")
    return text.strip()
