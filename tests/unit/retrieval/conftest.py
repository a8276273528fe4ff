"""A tree to index, a model that is a table of words, and a retriever whose clock stands still."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from actors.embedding.messages import Vectors
from actors.runtime.errors import Unavailable
from coordinator.retrieval.index_file import IndexFile
from coordinator.retrieval.limit import RetrievalSettings
from coordinator.retrieval.tree_retriever import TreeRetriever

ALIKE = (("cat", "kitten", "feline"), ("car", "automobile", "vehicle"), ("rain", "drizzle", "weather"))


class WordModel:
    """Texts point to the groups of words that they hold. `failure` makes it raise."""

    def __init__(self) -> None:
        self.model_id = "words#1"
        self.failure = ""
        self.n_texts = 0

    def embed(self, texts: Sequence[str], timeout_s: float = 0.0) -> Vectors:  # noqa: ARG002  # the protocol's signature
        if self.failure:
            raise Unavailable(self.failure)
        self.n_texts += len(texts)
        rows = np.array([[sum(text.lower().count(word) for word in group) for group in ALIKE] for text in texts], "f4")
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return Vectors(self.model_id, rows / np.where(lengths > 0, lengths, 1))


class Site:
    """The tree, its index, and time."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "tree"
        self.root.mkdir()
        self.index_path = folder / "state" / "retrieval" / "tree.sqlite3"
        self.model = WordModel()
        self.now_s = 100.0
        self._opened: list[TreeRetriever] = []

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def retriever(self, **settings: float) -> TreeRetriever:
        """Another agent's, on the same index."""
        chosen = RetrievalSettings.model_validate(settings)
        made = TreeRetriever(self.root, IndexFile(self.index_path), self.model, chosen, monotonic=lambda: self.now_s)
        self._opened.append(made)
        return made

    def close(self) -> None:
        for one in self._opened:
            one.close()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = Site(tmp_path.resolve())
    yield made
    made.close()


@pytest.fixture
def found() -> Callable[..., list[str]]:
    """The titles that a search gives, the best first."""

    def titles(retriever: TreeRetriever, query: str, **handles: float) -> list[str]:
        return [one.title for one in retriever.search(query, **handles).passages]  # type: ignore[arg-type]  # handles by name

    return titles
