"""The way to the embedding actor, as its client needs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol


class EmbedCall(NamedTuple):
    """One call of `embed`; its answer travels in `n_parts` results."""

    texts: list[str]
    within_s: float
    n_parts: int


class Line(Protocol):
    """How calls reach the actor. All of them raise `Unavailable` when there is no answer in time."""

    def connect(self) -> None:
        """Find the actor; may take as long as the cluster takes."""

    def ask(self, method: str, arguments: tuple[Any, ...], timeout_s: float) -> Any:
        """The answer to one call; only of an actor that was found."""

    def embed(self, calls: Sequence[EmbedCall], timeout_s: float) -> list[Any]:
        """The answers to calls of `embed` that are sent together."""

    async def embed_async(self, calls: Sequence[EmbedCall], timeout_s: float) -> list[Any]:
        """The same without blocking the event loop."""
