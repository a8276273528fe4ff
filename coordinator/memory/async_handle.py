"""`agent.playbook` and `agent.facts` of the async client: the same names and meanings, to be awaited."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
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


class DoAsync(Protocol):
    """Carries an operation out."""

    def __call__(self, operation: Operation[Value]) -> Awaitable[Value]:
        """To be awaited."""


class AsyncPlaybookHandle:
    """`PlaybookHandle` for event loops."""

    def __init__(self, calls: PlaybookCalls, do: DoAsync) -> None:
        self._calls = calls
        self._do = do

    async def add(self, kind: str, content: str, *, about: str = "", scope: str = SESSION) -> Added:
        """Like `PlaybookHandle.add`."""
        return await self._do(self._calls.add(kind, content, about, scope))

    async def confirm(self, entry_id: int, *, scope: str = SESSION) -> Entry:
        """Like `PlaybookHandle.confirm`."""
        return (await self._do(self._calls.confirm(entry_id, scope))).entry

    async def vote(self, entry_id: int, *, helpful: bool, scope: str = SESSION) -> Entry:
        """Like `PlaybookHandle.vote`."""
        return (await self._do(self._calls.vote(entry_id, helpful, scope))).entry

    async def evict(self, entry_id: int, *, scope: str = SESSION) -> EvictedEntry:
        """Like `PlaybookHandle.evict`."""
        return await self._do(self._calls.evict(entry_id, scope))

    async def view(self, *, scope: str = SESSION) -> PlaybookView:
        """Like `PlaybookHandle.view`."""
        return await self._do(self._calls.view(scope))

    async def render(self, *, scope: str = SESSION) -> str:
        """Like `PlaybookHandle.render`."""
        return await self._do(self._calls.render(scope))

    async def checkpoint(self, *drafts: Draft) -> Checkpoint:
        """Like `PlaybookHandle.checkpoint`."""
        return await self._do(self._calls.checkpoint(drafts))

    def note(self, kind: str, content: str, *, about: str = "") -> None:
        """Like `PlaybookHandle.note`. Nobody is asked, so there is nothing to await."""
        self._calls.note(kind, content, about)

    def tests(self, outcomes: Mapping[str, bool]) -> None:
        """Like `PlaybookHandle.tests`. Nobody is asked, so there is nothing to await."""
        self._calls.tests(outcomes)

    async def resume(self, from_agent: str) -> str:
        """Like `PlaybookHandle.resume`."""
        return await self._do(self._calls.resume(from_agent))


class AsyncFactHandle:
    """`FactHandle` for event loops."""

    def __init__(self, calls: FactCalls, do: DoAsync) -> None:
        self._calls = calls
        self._do = do

    async def remember(
        self, category: str, key: str, value: str, *, confidence: float = 1.0, path: str = "", ttl_s: float = 0.0
    ) -> Remembered:
        """Like `FactHandle.remember`."""
        return await self._do(self._calls.remember(FactDraft(category, key, value, confidence, path, ttl_s)))

    async def remember_each(self, drafts: Sequence[FactDraft]) -> list[Remembered]:
        """Like `FactHandle.remember_each`."""
        return await self._do(self._calls.remember_each(drafts))

    async def recall(
        self, text: str = "", *, key: str = "", category: str = "", n: int = 10, by: str = BOTH
    ) -> Recollection:
        """Like `FactHandle.recall`."""
        return await self._do(self._calls.recall(text, key=key, category=category, n=n, by=by))

    async def confirm(self, fact_id: int) -> Fact:
        """Like `FactHandle.confirm`."""
        return (await self._do(self._calls.confirm(fact_id))).fact

    async def contradict(self, fact_id: int, value: str, *, confidence: float = 1.0, path: str = "") -> Remembered:
        """Like `FactHandle.contradict`."""
        return await self._do(self._calls.contradict(fact_id, value, confidence, path))

    async def forget(self, *fact_ids: int) -> int:
        """Like `FactHandle.forget`."""
        return (await self._do(self._calls.forget(fact_ids))).n

    async def index(self, n: int = 1_000) -> int:
        """Like `FactHandle.index`."""
        return await self._do(self._calls.index(n))
