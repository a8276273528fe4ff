"""Takes requests from one state actor to another, through Ray handles and without blocking the event loop."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import ray
from ray.actor import ActorHandle
from ray.exceptions import RayError

from actors.runtime.errors import Unavailable


class RayCourier:
    """Finds the state actors of one namespace by name; a `Send` of `actors.runtime.courier`."""

    def __init__(self, namespace: str) -> None:
        self._namespace = namespace
        self._handles: dict[str, ActorHandle[Any]] = {}

    async def __call__(self, receiver: str, raw: bytes) -> bytes:
        """Take a request to the actor of this name. Raises `Unavailable` if it is not there; it may come yet."""
        if receiver not in self._handles:
            # The look-up waits for the cluster's own store.
            self._handles[receiver] = await asyncio.to_thread(self._find, receiver)
        try:
            return cast(bytes, await self._handles[receiver].submit.remote(raw))
        except RayError as error:
            self._handles.pop(receiver, None)  # its successor has another handle
            raise Unavailable(f"{receiver} cannot be reached ({type(error).__name__}): it is tried again") from error

    def _find(self, receiver: str) -> ActorHandle[Any]:
        try:
            return ray.get_actor(receiver, namespace=self._namespace)
        except ValueError as error:
            raise Unavailable(f"there is no actor {receiver!r} in {self._namespace!r}: it is tried again") from error
