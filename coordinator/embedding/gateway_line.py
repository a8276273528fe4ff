"""The way to the embedding actor for whoever has no Ray in the process: through a gateway, a request for each call."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Protocol

from coordinator.embedding.embedder import Embedder
from coordinator.embedding.line import EmbedCall
from coordinator.embedding.wire import pack_call, unpack_answer


class Transport(Protocol):
    """What carries a call to the gateway, and its answer back."""

    def embedding(self, raw: bytes, timeout_s: float) -> bytes:
        """Raises `Unavailable`."""

    async def embedding_async(self, raw: bytes, timeout_s: float) -> bytes:
        """The same without blocking the event loop."""


class GatewayEmbeddingLine:
    """The actor behind one gateway; safe to use from several threads."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def connect(self) -> None:
        """Nothing is needed: the gateway finds the actor."""

    def ask(self, method: str, arguments: tuple[Any, ...], timeout_s: float) -> Any:
        """Send and wait."""
        return unpack_answer(self._transport.embedding(pack_call(method, arguments), timeout_s))

    def embed(self, calls: Sequence[EmbedCall], timeout_s: float) -> list[Any]:
        """Send one after another: each is answered before the next is sent."""
        return [self.ask("embed", (call.texts, call.within_s), timeout_s) for call in calls]

    async def embed_async(self, calls: Sequence[EmbedCall], timeout_s: float) -> list[Any]:
        """Send all and await all."""
        sent = (
            self._transport.embedding_async(pack_call("embed", (call.texts, call.within_s)), timeout_s)
            for call in calls
        )
        return [unpack_answer(raw) for raw in await asyncio.gather(*sent)]


def gateway_embedder(transport: Transport) -> Embedder:
    """A client of the embedding actor behind a gateway; nobody is asked before it is used."""
    return Embedder(GatewayEmbeddingLine(transport))
