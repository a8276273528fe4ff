"""A long call on two threads while no other one keeps them busy."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Final

import numpy as np
import numpy.typing as npt

from actors.embedding.inference import TextEngine

FEWEST_TEXTS: Final = 128  # fewer are done before another thread has begun


class Halves:
    """A `TextEngine` over one whose vectors do not depend on what else is in the call.

    Calls of two threads overlap already, so only one that comes alone is cut: its second half goes to `helper`, which
    does nothing else.
    """

    def __init__(self, engine: TextEngine, helper: Executor) -> None:
        self.model_id = engine.model_id
        self.n_dims = engine.n_dims
        self._embed = engine.embed
        self._helper = helper
        self._turn = threading.Lock()
        self._n_inside = 0

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Rows [len(texts), n_dims], the same as those of the engine."""
        with self._entered() as is_alone:
            if not is_alone or len(texts) < FEWEST_TEXTS:
                return self._embed(texts)
            middle = len(texts) // 2
            rest = self._helper.submit(self._embed, texts[middle:])
            return np.concatenate([self._embed(texts[:middle]), rest.result()])

    @contextmanager
    def _entered(self) -> Iterator[bool]:
        """Whether nobody else was inside."""
        with self._turn:
            self._n_inside += 1
            is_alone = self._n_inside == 1
        try:
            yield is_alone
        finally:
            with self._turn:
                self._n_inside -= 1
