"""Makes clients of the embedding actor; Ray comes with it, so it is imported by whoever connects."""

from __future__ import annotations

from coordinator.embedding.embedder import Embedder
from coordinator.embedding.ray_line import RayEmbeddingLine


def ray_embedder(namespace: str) -> Embedder:
    """A client of the embedding actor in this namespace; nobody is asked before it is used."""
    return Embedder(RayEmbeddingLine(namespace))
