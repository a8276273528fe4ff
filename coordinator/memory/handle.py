"""`agent.playbook` and `agent.facts`: what a Python agent keeps, and finds again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from actors.memory.entry import Draft, Entry
from actors.memory.fact import Fact, FactDraft
from actors.memory.messages import Added, EvictedEntry, PlaybookView, Remembered
from coordinator.memory.checkpoint import Checkpoint
from coordinator.memory.fact_calls import BOTH, FactCalls
from coordinator.memory.playbook_calls import SESSION, PlaybookCalls
from coordinator.memory.recollection import Recollection
from coordinator.step import Operation

Value = TypeVar("Value")


class Do(Protocol):
    """Carries an operation out."""

    def __call__(self, operation: Operation[Value]) -> Value:
        """Blocking."""


class PlaybookHandle:
    """The agent's own playbook, and with `scope="project"` that of all agents of the space.

    Entries (`Strategy`, `Pitfall`, `Fact`, `FileRef`) are one line of up to 200 characters and never rewritten.
    """

    def __init__(self, calls: PlaybookCalls, do: Do) -> None:
        self._calls = calls
        self._do = do

    def add(self, kind: str, content: str, *, about: str = "", scope: str = SESSION) -> Added:
        """Append an entry, or confirm the one that says the same; `about` is the path or name that it concerns.

        Raises `Misuse` for what is too long, no entry, or looks like a secret.
        """
        return self._do(self._calls.add(kind, content, about, scope))

    def confirm(self, entry_id: int, *, scope: str = SESSION) -> Entry:
        """Say that an entry still holds: it is not forgotten for another 50 turns."""
        return self._do(self._calls.confirm(entry_id, scope)).entry

    def vote(self, entry_id: int, *, helpful: bool, scope: str = SESSION) -> Entry:
        """Say whether an entry helped; what harmed more often than it helped goes at the next checkpoint."""
        return self._do(self._calls.vote(entry_id, helpful, scope)).entry

    def evict(self, entry_id: int, *, scope: str = SESSION) -> EvictedEntry:
        """Remove an entry. Its number is not used again."""
        return self._do(self._calls.evict(entry_id, scope))

    def view(self, *, scope: str = SESSION) -> PlaybookView:
        """The entries with their votes and ages."""
        return self._do(self._calls.view(scope))

    def render(self, *, scope: str = SESSION) -> str:
        """The entries as text, one line each: what is added comes after what was there, byte for byte."""
        return self._do(self._calls.render(scope))

    def checkpoint(self, *drafts: Draft) -> Checkpoint:
        """Keep what this session did since the last one, and what is added here; what it was shown is a turn older.

        By fixed rules: edits that failed and how they were made then, tests that turned green, files that were edited,
        what was noted. The answer's `text` is the playbook that a later session can `resume`.
        """
        return self._do(self._calls.checkpoint(drafts))

    def note(self, kind: str, content: str, *, about: str = "") -> None:
        """Have the next checkpoint keep a decision, a lesson, a fact. Raises `Misuse` as `add`. Asks nobody."""
        self._calls.note(kind, content, about)

    def tests(self, outcomes: Mapping[str, bool]) -> None:
        """Tell which tests passed (`{"test_a": True}`); the next checkpoint keeps what turned green and what is red."""
        self._calls.tests(outcomes)

    def resume(self, from_agent: str) -> str:
        """Go on with the playbook of an earlier session, by its `agent_id`; returns it as text."""
        return self._do(self._calls.resume(from_agent))


class FactHandle:
    """What the agents of a space know: facts by category and key."""

    def __init__(self, calls: FactCalls, do: Do) -> None:
        self._calls = calls
        self._do = do

    def remember(
        self, category: str, key: str, value: str, *, confidence: float = 1.0, path: str = "", ttl_s: float = 0.0
    ) -> Remembered:
        """Keep a fact; the same again confirms it, another value is kept beside it and shown as a conflict.

        `path` is where it was found; after `ttl_s` seconds it expires (0: never). Raises `Misuse` for what is no fact,
        or looks like a secret: nothing is sent then.
        """
        return self._do(self._calls.remember(FactDraft(category, key, value, confidence, path, ttl_s)))

    def remember_each(self, drafts: Sequence[FactDraft]) -> list[Remembered]:
        """Keep many facts, 200 a call and commit."""
        return self._do(self._calls.remember_each(drafts))

    def recall(self, text: str = "", *, key: str = "", category: str = "", n: int = 10, by: str = BOTH) -> Recollection:
        """Facts of a `key`; else those nearest to `text`; else the most salient, of a `category` or all.

        `by` is `both`, `words` or `meaning`; where the embedding model is not ready, words decide, and `note` says so.
        """
        return self._do(self._calls.recall(text, key=key, category=category, n=n, by=by))

    def confirm(self, fact_id: int) -> Fact:
        """Say that a fact still holds; one that expires does so as long after now as it did."""
        return self._do(self._calls.confirm(fact_id)).fact

    def contradict(self, fact_id: int, value: str, *, confidence: float = 1.0, path: str = "") -> Remembered:
        """Say that a fact is otherwise: both are kept, and each recall shows the conflict, until one is forgotten."""
        return self._do(self._calls.contradict(fact_id, value, confidence, path))

    def forget(self, *fact_ids: int) -> int:
        """Remove facts: all of them, or none; returns how many."""
        return self._do(self._calls.forget(fact_ids)).n

    def index(self, n: int = 1_000) -> int:
        """Give facts that were remembered without the model their vectors; returns how many. Waits for no model."""
        return self._do(self._calls.index(n))
