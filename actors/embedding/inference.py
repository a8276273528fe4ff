"""One engine with its cache: what the actor's worker threads do for a call. Knows no loop and no queue."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import numpy as np
import numpy.typing as npt

from actors.embedding.cache import Key, VectorCache, keys_of
from actors.embedding.messages import DuplicateTexts, SimilarTexts, Vectors
from actors.embedding.nearness import most_similar, near_duplicates


class TextEngine(Protocol):
    """What makes vectors; see `engine.Engine`. Safe to use from several threads."""

    @property
    def model_id(self) -> str:
        """Names what the vectors depend on."""

    @property
    def n_dims(self) -> int:
        """The length of a vector."""

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Rows [len(texts), n_dims] float32 of unit length or zero."""


class Inference:
    """Answers for texts of one call; each distinct text that is not in the cache is computed once.

    `turn` is held around all that is kept between calls, and never while the engine computes: calls of several threads
    overlap there. A text that two of them bring at the same time is computed twice.
    """

    def __init__(self, engine: TextEngine, max_vectors: int, turn: AbstractContextManager[object]) -> None:
        self.engine = engine
        self._turn = turn
        self._cache = VectorCache(max_vectors, engine.n_dims)
        self.n_computed = 0
        self.n_cached = 0

    @property
    def n_kept(self) -> int:
        """Vectors in the cache."""
        return len(self._cache)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors [len(texts), n_dims]."""
        keys = keys_of(texts)
        with self._turn:
            rows, missing = self._cache.find(keys)
        if missing:
            text_of = {keys[index]: texts[index] for index in missing}
            computed = self.engine.embed(list(text_of.values()))
            self._keep(list(text_of), computed)
            if len(text_of) == len(texts):
                rows = computed  # all of them new and different, as nearly all long calls are: nothing to sort
            else:
                place = {key: number for number, key in enumerate(text_of)}
                rows[missing] = computed[[place[keys[index]] for index in missing]]
        with self._turn:
            self.n_cached += len(texts) - len(missing)
        return Vectors(self.engine.model_id, rows)

    def _keep(self, keys: Sequence[Key], rows: npt.NDArray[np.float32]) -> None:
        with self._turn:
            self._cache.put(keys, rows)
            self.n_computed += len(keys)

    def similar(self, query: str, texts: Sequence[str], n_wanted: int) -> SimilarTexts:
        """The texts nearest to the query."""
        model_id, rows = self.embed([query, *texts])
        return SimilarTexts(model_id, most_similar(rows[0], rows[1:], n_wanted))

    def near_duplicates(self, texts: Sequence[str], threshold: float, window: int) -> DuplicateTexts:
        """The texts that repeat one of the last `window` texts that do not."""
        model_id, rows = self.embed(texts)
        return DuplicateTexts(model_id, near_duplicates(rows, threshold, window))
