"""Where the index gets its vectors from: the embedding actor, or the static model in this process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from actors.embedding.messages import Vectors
from actors.embedding.source import STATIC
from actors.runtime.errors import ScentfieldError, Unavailable
from coordinator.folder import private_folder

if TYPE_CHECKING:
    from actors.embedding.engine import Engine
    from coordinator.settings import Settings

SPARING_S: Final = 2.0
RETRY_S: Final = 10.0
_SWITCHED_OFF: Final = "the embedding model is switched off: set model under [embedding], 'static' for example"


class Model(Protocol):
    """Whoever turns texts into vectors; the client of the embedding actor does."""

    def embed(self, texts: Sequence[str], timeout_s: float = ...) -> Vectors:
        """A row for each text. Raises one of our errors, which says why there is none."""


class StaticModel:
    """The static model without an actor: loaded at its first use, in 0.3 s, and kept. `folder` holds its graph."""

    def __init__(self, folder: Path, n_threads: int) -> None:
        self._folder = folder
        self._n_threads = n_threads
        self._engine: Engine | None = None
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str], timeout_s: float = 0.0) -> Vectors:  # noqa: ARG002  # it waits for nobody
        """A row for each text. Raises `Corrupt` where the model's files are not what they should be."""
        with self._lock:
            if self._engine is None:
                self._engine = self._load()
            return Vectors(self._engine.model_id, self._engine.embed(texts))

    def _load(self) -> Engine:
        # ONNX Runtime is a slow import, and whoever has the actor does without.
        from actors.embedding.engine import load_engine
        from actors.embedding.packaged import packaged_files

        return load_engine(packaged_files(STATIC, private_folder(self._folder)), n_threads=self._n_threads)


class NoModel:
    """Stands in where there is none."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def embed(self, texts: Sequence[str], timeout_s: float = 0.0) -> Vectors:  # noqa: ARG002  # the protocol's signature
        """Raise `Unavailable` with the reason."""
        raise Unavailable(self._reason)


class SparingModel:
    """A model for whoever cannot wait: asked for two seconds at most, and one that failed not again for ten.

    `monotonic` gives seconds.
    """

    def __init__(self, model: Model, monotonic: Callable[[], float]) -> None:
        self._model = model
        self._monotonic = monotonic
        self._failed: tuple[float, ScentfieldError] | None = None

    def embed(self, texts: Sequence[str], timeout_s: float = SPARING_S) -> Vectors:
        """A row for each text. Raises as the model does, at once where it has failed just before."""
        if self._failed is not None and self._monotonic() - self._failed[0] < RETRY_S:
            raise self._failed[1]
        try:
            vectors = self._model.embed(texts, min(timeout_s, SPARING_S))
        except ScentfieldError as error:
            self._failed = self._monotonic(), error
            raise
        self._failed = None
        return vectors


def model_for(settings: Settings, actor: Model | None) -> Model:
    """The embedding actor where there is a way to it; else the static model, if it is the one that is set."""
    wanted = settings.model
    if not wanted.is_wanted:
        return NoModel(_SWITCHED_OFF)
    if actor is not None:
        return actor
    if wanted.model == STATIC:
        return StaticModel(settings.state_dir / "models", wanted.n_threads)
    return NoModel(
        f"the embedding model {wanted.model!r} is asked through its actor, to which there is no way from here: "
        "connect over Ray, or set model = 'static' under [embedding]"
    )
