"""The way to the embedding actor: Ray handles, found beforehand so that no call has to look for one."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import ray
from ray.actor import ActorHandle
from ray.exceptions import ActorDiedError, RayError

from actors.embedding.messages import Vectors
from actors.runtime.errors import Unavailable
from coordinator.domain import EMBEDDING
from coordinator.embedding.line import EmbedCall


class RayEmbeddingLine:
    """The actor of one namespace; safe to use from several threads."""

    def __init__(self, namespace: str) -> None:
        self._namespace = namespace
        self._handle: ActorHandle[Any] | None = None
        self._pid = os.getpid()

    def connect(self) -> None:
        """Find the actor by its name."""
        if os.getpid() != self._pid or not ray.is_initialized():
            raise Unavailable("this process is not connected to Ray: call Coordinator.connect() first")
        if self._handle is not None:
            return
        try:
            self._handle = ray.get_actor(EMBEDDING, namespace=self._namespace)
        except (ValueError, RayError) as error:
            raise Unavailable(
                f"no embedding actor runs in namespace {self._namespace!r}: start it with `scentfield up`, and look "
                "whether model is off under [embedding]"
            ) from error

    def ask(self, method: str, arguments: tuple[Any, ...], timeout_s: float) -> Any:
        """Send and wait."""
        try:
            return ray.get(getattr(self._found(), method).remote(*arguments), timeout=timeout_s)
        except RayError as error:
            raise self._lost(error, timeout_s) from error

    def embed(self, calls: Sequence[EmbedCall], timeout_s: float) -> list[Any]:
        """Send all, then take one answer after the other: one is put together while the next is computed."""
        until_s = time.monotonic() + timeout_s
        try:
            return [
                _whole(ray.get(results, timeout=max(0.0, until_s - time.monotonic()))) for results in self._sent(calls)
            ]
        except RayError as error:
            raise self._lost(error, timeout_s) from error

    async def embed_async(self, calls: Sequence[EmbedCall], timeout_s: float) -> list[Any]:
        """Send all and await all."""
        try:
            return await asyncio.wait_for(asyncio.gather(*map(_awaited, self._sent(calls))), timeout_s)
        except (RayError, TimeoutError) as error:
            raise self._lost(error, timeout_s) from error

    def _sent(self, calls: Sequence[EmbedCall]) -> list[list[Any]]:
        """The results that each call will have."""
        handle = self._found()
        sent: list[list[Any]] = []
        for call in calls:
            if call.n_parts == 1:
                sent.append([handle.embed.remote(call.texts, call.within_s)])
            else:
                sent.append(handle.embed_in_parts.options(num_returns=call.n_parts).remote(*call))
        return sent

    def _found(self) -> Any:
        if self._handle is None or os.getpid() != self._pid or not ray.is_initialized():
            raise Unavailable("the embedding actor has not been found yet")
        return self._handle

    def _lost(self, error: Exception, timeout_s: float) -> Unavailable:
        if isinstance(error, ActorDiedError):
            self._handle = None  # taken away for good; another `up` may have made its successor
        if isinstance(error, TimeoutError):
            return Unavailable(f"the embedding actor gave no answer within {timeout_s:g} s")
        return Unavailable(f"the embedding actor cannot be reached ({type(error).__name__})")


async def _awaited(results: Sequence[Any]) -> Any:
    return _whole(await asyncio.gather(*results))


def _whole(results: Sequence[Any]) -> Any:
    """One call's answer, its rows in one piece again."""
    answer, *rest = results
    if rest and isinstance(answer, Vectors):
        return answer._replace(rows=np.concatenate([answer.rows, *rest]))
    return answer
