"""The embedding actor: a queue in front of one engine, whose status can always be asked.

Ray runs it as an async actor; it imports no Ray itself. Its loop only counts, checks and waits: a thread looks for the
model, fetches and loads it, and a few others compute. It keeps no state that is worth keeping: a restart loads the
model again.
"""

from __future__ import annotations

import asyncio
import gc
import math
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

import numpy as np

from actors.embedding.download import Progress
from actors.embedding.halves import Halves
from actors.embedding.inference import Inference, TextEngine
from actors.embedding.limit import EmbeddingLimits
from actors.embedding.messages import DuplicateTexts, NotReady, Refusal, SimilarTexts, Vectors
from actors.embedding.model_store import DownloadsOff, FetchRules, ModelStore
from actors.embedding.nearness import REDUNDANT, WINDOW
from actors.embedding.pace import Pace
from actors.embedding.source import Source, source_of
from actors.embedding.status import Lifecycle, Status
from actors.runtime.errors import Corrupt, Misuse, ScentfieldError
from actors.runtime.wire import BusyFor, Failed

if TYPE_CHECKING:
    from actors.embedding.engine import ModelFiles

Answer = TypeVar("Answer")
OpenEngine: TypeAlias = Callable[[Progress, Callable[[], None]], TextEngine]
"""Finds, fetches and loads, in a thread of its own; says how a download goes, and when the files are there."""

_FINAL: Final = (Misuse, Corrupt)
_MOST_AT_ONCE: Final = 2  # calls: while one is with the tokenizer or the graph, which need no Python, another goes on


@dataclass(frozen=True, slots=True)
class EmbeddingConfig:
    """All that the actor needs to start, in plain values that cross to its process; `folder` keeps the models."""

    model: str
    folder: str
    rules: FetchRules
    n_threads: int = 2
    limits: EmbeddingLimits = field(default_factory=EmbeddingLimits)


class Turn(Generic[Answer]):
    """One call's time with the engine, in a worker thread."""

    def __init__(self, run: Callable[[], Answer], monotonic: Callable[[], float], late_at_s: float) -> None:
        self._run = run
        self._monotonic = monotonic
        self._late_at_s = late_at_s
        self.took_s = 0.0

    def take(self) -> Answer | None:
        """The answer; None, and nothing is computed, when the turn comes too late."""
        began_s = self._monotonic()
        if began_s > self._late_at_s:
            return None
        answer = self._run()
        self.took_s = self._monotonic() - began_s
        return answer


class EmbeddingActor:
    """Vectors of texts, by one model. Answers are values; only a bug raises.

    A model that is on this machine is loaded at once; one that has to be downloaded waits until somebody needs it.
    """

    def __init__(
        self,
        config: EmbeddingConfig,
        *,
        open_engine: OpenEngine | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._config = config
        self._monotonic = monotonic
        self._stop = threading.Event()
        self._source = source_of(config.model)
        self._store = ModelStore(Path(config.folder), config.rules, self._stop, self._load)
        self._open_engine = open_engine or self._open_from_store
        self._lifecycle = Lifecycle(config.model, "nobody has needed it yet: the first call, or `warm`, loads it")
        self._inference: Inference | None = None
        self._n_at_once = min(_MOST_AT_ONCE, config.n_threads)
        self._workers = ThreadPoolExecutor(max_workers=self._n_at_once, thread_name_prefix="embedding")
        self._helper = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedding-half")
        self._loop = asyncio.get_running_loop()
        self._pace = Pace(config.limits.max_queued_texts, self._n_at_once)
        self._started_s = monotonic()
        self._counts = dict.fromkeys(("n_calls", "n_texts", "n_not_ready", "n_busy", "n_late", "n_failed"), 0)
        if self._source is None:
            self._lifecycle = Lifecycle(config.model, "embeddings are switched off (model = off)")
        elif open_engine is not None or self._store.is_here(self._source):
            self._begin()

    async def embed(self, texts: list[str], within_s: float = math.inf) -> Vectors | Refusal:
        """Vectors [len(texts), n_dims] float32.

        A call whose turn does not come within `within_s` seconds is dropped: its caller no longer waits. One that was
        begun is finished, and its vectors are in the cache for the next try.
        """
        return await self._answer(texts, within_s, lambda inference: inference.embed(texts))

    async def embed_in_parts(self, texts: list[str], within_s: float, n_parts: int) -> tuple[Any, ...]:
        """As `embed`, as `n_parts` results: the answer with the first rows, then the rest of the rows in order.

        Ray sends a small result with the reply and a large one by way of its object store, which takes longer.
        """
        answer = await self.embed(texts, within_s)
        if not isinstance(answer, Vectors):
            return (answer, *(None for _ in range(n_parts - 1)))
        first, *rest = np.array_split(answer.rows, n_parts)
        return (Vectors(answer.model_id, first), *rest)

    async def similar(
        self, query: str, texts: list[str], n_wanted: int = 10, within_s: float = math.inf
    ) -> SimilarTexts | Refusal:
        """The `n_wanted` texts nearest to the query by cosine, nearest first, ties by index."""
        return await self._answer(
            [query, *texts], within_s, lambda inference: inference.similar(query, texts, n_wanted)
        )

    async def near_duplicates(
        self, texts: list[str], threshold: float = REDUNDANT, window: int = WINDOW, within_s: float = math.inf
    ) -> DuplicateTexts | Refusal:
        """The texts whose cosine to one of the last `window` texts that stay is `threshold` or more."""
        return await self._answer(
            texts, within_s, lambda inference: inference.near_duplicates(texts, threshold, window)
        )

    async def status(self) -> Status:
        """How far the model is, and why no further. Starts nothing."""
        return self._lifecycle.status

    async def warm(self, is_asked: bool = False) -> Status:
        """Begin to load the model unless that is done or under way; does not wait for it.

        `is_asked`: a person says so, so that also what failed for good is tried again.
        """
        self._need(is_asked=is_asked)
        return self._lifecycle.status

    async def describe(self) -> dict[str, Any]:
        """Its account of itself: for `up`, `status` and the exporter."""
        inference = self._inference
        return {
            "pid": os.getpid(),
            "config": self._config,
            "uptime_s": self._monotonic() - self._started_s,
            "status": self._lifecycle.status,
            "n_queued_texts": self._pace.n_queued,
            "n_kept_vectors": 0 if inference is None else inference.n_kept,
            "n_computed": 0 if inference is None else inference.n_computed,
            "n_cached": 0 if inference is None else inference.n_cached,
            **self._counts,
        }

    def close(self) -> None:
        """Let threads end; for whoever runs it without Ray."""
        self._stop.set()
        self._workers.shutdown(wait=False, cancel_futures=True)
        self._helper.shutdown(wait=False)

    async def _answer(
        self, texts: Sequence[str], within_s: float, compute: Callable[[Inference], Answer]
    ) -> Answer | Refusal:
        self._counts["n_calls"] += 1
        try:
            self._config.limits.check(texts)
        except Misuse as error:
            return self._failed(error)
        inference = self._inference
        if inference is None:
            self._need(is_asked=False)
            self._counts["n_not_ready"] += 1
            return NotReady(self._lifecycle.status)
        if not self._pace.may_enter(len(texts)):
            self._counts["n_busy"] += 1
            return BusyFor(self._pace.wait_s, f"{self._pace.n_queued} texts wait for their vectors")
        return await self._in_turn(len(texts), within_s, partial(compute, inference))

    async def _in_turn(self, n_texts: int, within_s: float, run: Callable[[], Answer]) -> Answer | Refusal:
        turn = Turn(run, self._monotonic, self._monotonic() + within_s)
        self._pace.enter(n_texts)
        try:
            answer = await self._loop.run_in_executor(self._workers, turn.take)
        except ScentfieldError as error:
            return self._failed(error)
        finally:
            self._pace.leave(n_texts, turn.took_s)
        if answer is None:
            self._counts["n_late"] += 1
            return BusyFor(self._pace.wait_s, f"the call's {within_s:g} s were over before its turn came")
        self._counts["n_texts"] += n_texts
        return answer

    def _failed(self, error: ScentfieldError) -> Failed:
        self._counts["n_failed"] += 1
        return Failed(error.code, error.message)

    def _need(self, *, is_asked: bool) -> None:
        if self._source is not None and self._lifecycle.may_begin(self._monotonic(), is_asked=is_asked):
            self._begin()

    def _begin(self) -> None:
        self._lifecycle.begin()
        threading.Thread(target=self._warm_up, name="embedding-warm-up", daemon=True).start()

    def _warm_up(self) -> None:
        """Runs in a thread; everything that it finds out is told on the loop."""
        try:
            engine = self._open_engine(self._told_progress, partial(self._tell, self._lifecycle.load))
            inference = Inference(engine, self._config.limits.max_vectors, threading.Lock())
        except DownloadsOff as error:
            self._tell(partial(self._lifecycle.switch_off, error.message))
        except BaseException as error:  # whatever it is, the status says it, or it would be `loading` for ever
            self._tell(partial(self._gave_up, error))
        else:
            self._tell(partial(self._ready, inference))

    def _tell(self, what: Callable[[], None]) -> None:
        if not self._stop.is_set() and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(what)

    def _told_progress(self, n_bytes: int, n_total_bytes: int) -> None:
        self._tell(partial(self._lifecycle.download, n_bytes, n_total_bytes))

    def _ready(self, inference: Inference) -> None:
        gc.collect()  # tokens are many small objects: what stays is not looked through again because of them
        gc.freeze()
        self._inference = inference
        self._lifecycle.succeed(inference.engine.model_id, inference.engine.n_dims)

    def _gave_up(self, error: BaseException) -> None:
        reason = error.message if isinstance(error, ScentfieldError) else f"{type(error).__name__}: {error}"
        self._lifecycle.fail(reason, now_s=self._monotonic(), is_final=isinstance(error, _FINAL))

    def _open_from_store(self, progress: Progress, found: Callable[[], None]) -> TextEngine:
        files = self._store.files(_there(self._source), progress)
        found()
        return self._load(files)

    def _load(self, files: ModelFiles) -> TextEngine:
        # ONNX Runtime is a slow import: the actor answers before it is there.
        from actors.embedding.engine import load_engine

        # One call's texts are not shared out among the tokenizer's own threads: those of two calls would get into each
        # other's way.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        engine = load_engine(files, n_threads=self._config.n_threads)
        return Halves(engine, self._helper) if self._n_at_once > 1 and engine.topology.is_independent else engine


def _there(source: Source | None) -> Source:
    if source is None:
        raise Misuse("a model that is off is not loaded")
    return source
