"""`AsyncCoordinator`: what an agent on an event loop holds in its hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from actors.coordination.messages import Alive, Wanted
from actors.quality_store.evidence import Evidence
from actors.quality_store.messages import EditQuality, OutcomesGone, ReadQuality, Savings, Statistics
from actors.runtime.errors import Misuse, ScentfieldError
from actors.runtime.layer_switch import LayerList, LayerNow
from actors.scent_field.messages import (
    Audit,
    Changes,
    Checked,
    FieldCounts,
    FieldView,
    Granted,
    Held,
    Loss,
    Released,
)
from actors.sessions.messages import SessionList
from actors.thresholds.event import ReplayRow
from actors.thresholds.messages import Forgotten, Imported, Learning, ReplayCounted
from coordinator.answer import AsyncClaimed, NotGranted
from coordinator.client import NoTransport, connect_core
from coordinator.close_work import CloseWork
from coordinator.core import Core, PathName, named_list
from coordinator.editing.edited import Edited
from coordinator.editing.request import EditRequest, replacements_of
from coordinator.efficacy.told import Efficacy, efficacy
from coordinator.feedback.handle import AsyncAnswerHandle
from coordinator.memory.async_handle import AsyncFactHandle, AsyncPlaybookHandle
from coordinator.memory.handing import HandOver
from coordinator.reading.budget import Budget
from coordinator.reading.mode import Wish
from coordinator.reading.reader import Reading
from coordinator.retrieval.answer import Answer
from coordinator.retrieval.indexer import Refreshed
from coordinator.retrieval.passage import Passage
from coordinator.retrieval.tree_retriever import By
from coordinator.settings import Settings
from coordinator.step import Operation, drive_async
from coordinator.waking.layout import Wakeup

if TYPE_CHECKING:
    from actors.embedding.messages import DuplicateTexts, SimilarTexts, Vectors
    from actors.embedding.status import Status as EmbeddingStatus

Value = TypeVar("Value")


class Connecting:
    """A connection that is about to be made: to be awaited, or entered with `async with`."""

    def __init__(self, make: Callable[[], AsyncCoordinator]) -> None:
        self._make = make
        self._made: AsyncCoordinator | None = None

    def __await__(self) -> Generator[Any, None, AsyncCoordinator]:
        return self._connect().__await__()

    async def _connect(self) -> AsyncCoordinator:
        self._made = self._make()
        await self._made.register()
        return self._made

    async def __aenter__(self) -> AsyncCoordinator:
        return await self._connect()

    async def __aexit__(self, *exc_info: object) -> None:
        if self._made is not None:
            await self._made.close()


class AsyncCoordinator:
    """`Coordinator` for event loops: the same names and meanings, to be awaited.

    A cancelled call is given up: it is refused if it has not run, and undone if it has.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    @classmethod
    def connect(
        cls,
        url: str = "",
        *,
        agent: str | None = None,
        root: PathName | None = None,
        settings: Settings | None = None,
        parent: str = "",
        kept_by: str = "heartbeat",
        task: str = "",
    ) -> Connecting:
        """Like `Coordinator.connect`: `await` it, or use it with `async with`."""
        return Connecting(lambda: cls(connect_core(settings, root, agent, parent, kept_by, task, url)))

    async def register(self) -> None:
        """Begin the session, if it has not begun; the first call that needs one does so too."""
        if self._core.transport is not None and self._core.session is None:
            await self._do(self._core.register())

    async def __aenter__(self) -> AsyncCoordinator:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        raise Misuse("an AsyncCoordinator cannot be pickled: connect in the other process, with parent=agent_id")

    def __repr__(self) -> str:
        return f"AsyncCoordinator({self.agent_id or 'no session'}, space={self._core.space!r})"

    async def _do(self, operation: Operation[Value]) -> Value:
        transport = self._core.transport
        return await drive_async(operation, NoTransport() if transport is None else transport)

    @property
    def agent_id(self) -> str:
        """Like `Coordinator.agent_id`."""
        session = self._core.session
        return "" if session is None else session.session_id

    @property
    def space(self) -> str:
        """Like `Coordinator.space`."""
        return self._core.space

    @property
    def root(self) -> Path:
        """Like `Coordinator.root`."""
        return self._core.workspace.root

    @property
    def wanted(self) -> tuple[Wanted, ...]:
        """Like `Coordinator.wanted`."""
        return self._core.wanted()

    @property
    def playbook(self) -> AsyncPlaybookHandle:
        """Like `Coordinator.playbook`."""
        return AsyncPlaybookHandle(self._core.playbook, self._do)

    @property
    def facts(self) -> AsyncFactHandle:
        """Like `Coordinator.facts`."""
        return AsyncFactHandle(self._core.facts, self._do)

    @property
    def answers(self) -> AsyncAnswerHandle:
        """Like `Coordinator.answers`."""
        return AsyncAnswerHandle(self._core.answers, self._do)

    async def wakeup(
        self, task: str = "", *, profile: str = "default", max_tokens: int | None = None, category: str = ""
    ) -> Wakeup:
        """Like `Coordinator.wakeup`."""
        return await self._do(self._core.waking.wakeup(task, profile, max_tokens, category))

    async def claim(
        self, targets: PathName | Sequence[PathName], *, shared: bool = False, wait_s: float = 0.0, intent: str = ""
    ) -> AsyncClaimed | NotGranted:
        """Like `Coordinator.claim`."""
        names = named_list(targets)
        asked = self._core.claim(names, shared=shared, wait_s=wait_s, intent=intent, any_of=False)
        return await self._own(await self._do(asked), intent)

    async def claim_any(
        self, targets: Sequence[PathName], *, shared: bool = False, wait_s: float = 0.0, intent: str = ""
    ) -> AsyncClaimed | NotGranted:
        """Like `Coordinator.claim_any`."""
        names = named_list(targets)
        asked = self._core.claim(names, shared=shared, wait_s=wait_s, intent=intent, any_of=True)
        return await self._own(await self._do(asked), intent)

    async def claim_each(
        self, targets: Sequence[str], *, shared: bool = False, intent: str = ""
    ) -> list[AsyncClaimed | NotGranted | ScentfieldError]:
        """Like `Coordinator.claim_each`."""
        answers = await self._do(self._core.claim_each(targets, shared=shared, intent=intent))
        is_valid, release = self._core.validity(), self._give_back
        return [
            AsyncClaimed(one, is_valid, release)
            if isinstance(one, Granted)
            else NotGranted(one)
            if isinstance(one, Held)
            else one
            for one in answers
        ]

    async def _own(self, answer: Granted | Held, intent: str) -> AsyncClaimed | NotGranted:
        if isinstance(answer, Held):
            return NotGranted(answer)
        close = await self._do(self._core.close_to(answer, intent))
        return AsyncClaimed(answer, self._core.validity(), self._give_back, self._core.lessons(answer), close)

    async def _give_back(self, granted: Granted, done: bool) -> Released:
        return await self._do(self._core.release_claim(granted, done))

    async def release(
        self, targets: PathName | Sequence[PathName] = (), *, generation: int = 0, done: bool = False
    ) -> Released:
        """Like `Coordinator.release`."""
        names = [] if generation and not targets else named_list(targets)
        return await self._do(self._core.release(names, generation=generation, done=done))

    async def transfer(self, generation: int, to_agent: str, *, note: str = "") -> Granted | NotGranted:
        """Like `Coordinator.transfer`."""
        answer = await self._do(self._core.transfer(generation, to_agent, note))
        return NotGranted(answer) if isinstance(answer, Held) else answer

    async def hand_over(self, to_agent: str, *, note: str = "") -> HandOver:
        """Like `Coordinator.hand_over`."""
        return await self._do(self._core.hand_over(to_agent, note))

    async def force_release(self, target: PathName, *, reason: str, even_if_alive: bool = False) -> Released:
        """Like `Coordinator.force_release`."""
        return await self._do(self._core.force_release(target, reason=reason, even_if_alive=even_if_alive))

    async def deposit(self, target: PathName, kind: str, *, intensity: float = 1.0) -> float:
        """Like `Coordinator.deposit`."""
        return (await self._do(self._core.deposit(target, kind, intensity))).intensity

    async def set_strictness(self, strictness: str) -> None:
        """Like `Coordinator.set_strictness`."""
        await self._do(self._core.set_strictness(strictness))

    async def sync(self, *, limit: int = 15) -> FieldView:
        """Like `Coordinator.sync`."""
        return await self._do(self._core.sync(limit))

    async def close_work(self, intent: str, *, n: int = 5) -> list[CloseWork]:
        """Like `Coordinator.close_work`."""
        return await self._do(self._core.close_work(intent, n))

    async def check(self, path: PathName, generation: int = 0) -> Checked:
        """Like `Coordinator.check`."""
        return await self._do(self._core.check(path, generation))

    async def watch(self, version: int, *, timeout_s: float = 30.0) -> Changes:
        """Like `Coordinator.watch`."""
        return await self._do(self._core.watch(version, timeout_s))

    async def losses(self) -> tuple[Loss, ...]:
        """Like `Coordinator.losses`."""
        return (await self._do(self._core.losses())).losses

    async def heartbeat(self) -> Alive:
        """Like `Coordinator.heartbeat`."""
        return await self._do(self._core.beat())

    async def register_anew(self) -> str:
        """Like `Coordinator.register_anew`."""
        return await self._do(self._core.register_anew())

    async def audit(self) -> Audit:
        """Like `Coordinator.audit`."""
        return await self._do(self._core.audit())

    async def sessions(self, *, limit: int = 100) -> SessionList:
        """Like `Coordinator.sessions`."""
        return await self._do(self._core.sessions(limit))

    async def statistics(self) -> tuple[FieldCounts, Statistics]:
        """Like `Coordinator.statistics`."""
        return await self._do(self._core.field_counts()), await self._do(self._core.quality_statistics())

    async def efficacy(self) -> Efficacy:
        """Like `Coordinator.efficacy`."""
        return await self._do(efficacy(self._core))

    async def edit_quality(self) -> EditQuality:
        """Like `Coordinator.edit_quality`."""
        return await self._do(self._core.edit_quality())

    async def read_quality(self) -> ReadQuality:
        """Like `Coordinator.read_quality`."""
        return await self._do(self._core.learned.read_quality())

    async def savings(self, *, n_days: int = 30) -> Savings:
        """Like `Coordinator.savings`."""
        return await self._do(self._core.learned.savings(n_days))

    async def evidence(self, *, n_days: int = 30) -> Evidence:
        """Like `Coordinator.evidence`."""
        return await self._do(self._core.learned.evidence(n_days))

    async def layers(self) -> tuple[LayerList, ...]:
        """Like `Coordinator.layers`."""
        return await self._do(self._core.learned.layers())

    async def switch_layer(self, layer: str, *, on: bool, reason: str = "") -> LayerNow:
        """Like `Coordinator.switch_layer`."""
        return await self._do(self._core.learned.switch_layer(layer, reason, is_on=on))

    async def forget_outcomes(self, extension: str = "") -> OutcomesGone:
        """Like `Coordinator.forget_outcomes`."""
        return await self._do(self._core.learned.forget_outcomes(extension))

    async def learning(self) -> Learning:
        """Like `Coordinator.learning`."""
        return await self._do(self._core.learned.learning())

    async def export_learning(self) -> bytes:
        """Like `Coordinator.export_learning`."""
        return (await self._do(self._core.learned.export())).text

    async def import_learning(self, text: bytes) -> Imported:
        """Like `Coordinator.import_learning`."""
        return await self._do(self._core.learned.merge(text))

    async def reset_learning(self, extension: str = "") -> Forgotten:
        """Like `Coordinator.reset_learning`."""
        return await self._do(self._core.learned.reset(extension))

    async def record_replay(self, history: str, rows: Sequence[ReplayRow]) -> ReplayCounted:
        """Like `Coordinator.record_replay`."""
        return await self._do(self._core.learned.record_replay(history, tuple(rows)))

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Like `Coordinator.embed`."""
        return await asyncio.to_thread(self._core.model().embed, texts)

    async def similar(self, query: str, texts: Sequence[str], *, n_wanted: int = 10) -> SimilarTexts:
        """Like `Coordinator.similar`."""
        return await asyncio.to_thread(self._core.model().similar, query, texts, n_wanted)

    async def near_duplicates(self, texts: Sequence[str]) -> DuplicateTexts:
        """Like `Coordinator.near_duplicates`."""
        return await asyncio.to_thread(self._core.model().near_duplicates, texts)

    async def embedding_status(self) -> EmbeddingStatus:
        """Like `Coordinator.embedding_status`."""
        return await asyncio.to_thread(self._core.model().status)

    def work_on(self, task: str) -> None:
        """Like `Coordinator.work_on`; asks nobody."""
        self._core.desk.focus.work_on(task)

    def searched(self, text: str) -> None:
        """Like `Coordinator.searched`; asks nobody."""
        self._core.searched(text)

    async def read(
        self, path: PathName, mode: str = "auto", *, query: str = "", budget: Budget | None = None
    ) -> Reading:
        """Like `Coordinator.read`."""
        return await self._do(self._core.read(path, Wish(mode, query, budget)))

    async def expand(self, path: PathName, unit: str) -> Reading:
        """Like `Coordinator.expand`."""
        return await self._do(self._core.expand(path, unit))

    async def search(self, query: str, *, top_k: int = 10, level: float = 0.0, by: By = "both") -> Answer:
        """Like `Coordinator.search`."""
        return await self._do(self._core.search(query, top_k, level, by))

    async def retrieve(self, query: str, *, top_k: int = 10, level: float = 0.0) -> list[Passage]:
        """Like `Coordinator.retrieve`."""
        return list((await self.search(query, top_k=top_k, level=level)).passages)

    async def index(self, *, rebuild: bool = False) -> Refreshed:
        """Like `Coordinator.index`."""
        return await self._do(self._core.index(rebuild=rebuild))

    async def edit(
        self,
        path: PathName,
        old: str = "",
        new: str = "",
        *,
        edits: Sequence[tuple[str, str]] | None = None,
        expect_hash: str | None = None,
        create: bool = False,
    ) -> Edited:
        """Like `Coordinator.edit`."""
        request = EditRequest(str(path), old, new, expect_hash, create, replacements_of(edits))
        return await self._do(self._core.edit(path, request))

    async def delete(self, path: PathName, *, expect_hash: str | None = None) -> Edited:
        """Like `Coordinator.delete`."""
        return await self._do(self._core.delete(path, expect_hash))

    async def move(self, path: PathName, new_path: PathName, *, expect_hash: str | None = None) -> Edited:
        """Like `Coordinator.move`."""
        return await self._do(self._core.move(path, new_path, expect_hash))

    async def undo(self, path: PathName) -> Edited:
        """Like `Coordinator.undo`."""
        return await self._do(self._core.undo(path))

    async def close(self) -> int:
        """Like `Coordinator.close`."""
        return await self._do(self._core.close())
