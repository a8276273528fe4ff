"""Vectors of lines without an actor: a replay's processes stand alone, and the static model needs one file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from actors.embedding.engine import load_engine
from actors.embedding.packaged import packaged_files
from actors.embedding.source import STATIC

if TYPE_CHECKING:
    from coordinator.reading.redundancy import Vectors, VectorsOf


def build_static_model(folder: Path) -> None:
    """Put the model's graph into `folder`, so that processes which start together do not all build it."""
    packaged_files(STATIC, folder)


@lru_cache(maxsize=1)
def vectors_from(folder: str) -> VectorsOf:
    """What gives the static model's vectors of texts, in one thread."""
    engine = load_engine(packaged_files(STATIC, Path(folder)), n_threads=1)

    def vectors_of(texts: Sequence[str]) -> Vectors:
        return engine.embed(texts)

    return vectors_of
