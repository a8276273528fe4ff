"""Processes that try changes, one for each processor. Results come in the order of the changes, whoever was first."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from typing import Final

from coordinator.processor import n_processors
from coordinator.replay.change import Change
from coordinator.replay.question import Question
from coordinator.replay.static_model import vectors_from
from coordinator.replay.trial import Trial, try_change

CHUNK: Final = 8
_CHUNKS_A_WORKER: Final = 4
"""So many wait at most: a long history is not read into memory at once."""


def try_all(changes: Iterable[Change], question: Question, n_workers: int | None = None) -> Iterator[Trial]:
    """Try every change, in `n_workers` processes (default: one for each processor; 1 is this one)."""
    n_workers = n_workers or n_processors()
    if n_workers == 1:
        for part in _chunks(changes):
            yield from try_chunk(part, question)
        return
    # Spawned, not forked: a child must not inherit threads or connections of whoever calls this.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_workers, mp_context=context) as pool:
        waiting: deque[Future[list[Trial]]] = deque()
        try:
            for part in _chunks(changes):
                waiting.append(pool.submit(try_chunk, part, question))
                if len(waiting) >= n_workers * _CHUNKS_A_WORKER:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def try_chunk(changes: Sequence[Change], question: Question) -> list[Trial]:
    """Try these changes in this process."""
    vectors_of = vectors_from(question.model_folder) if question.model_folder else None
    return [try_change(change, question, vectors_of) for change in changes]


def _chunks(changes: Iterable[Change]) -> Iterator[list[Change]]:
    remaining = iter(changes)
    while part := list(islice(remaining, CHUNK)):
        yield part
