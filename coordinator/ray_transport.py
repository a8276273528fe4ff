"""Requests to the actors through Ray handles. All of this process's calls to state actors go through here."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Any, Final, TypeAlias, cast

import ray
from ray.actor import ActorHandle
from ray.exceptions import ActorDiedError, ActorUnschedulableError, GetTimeoutError, RayActorError, RayError

from actors.runtime.errors import Misuse, Unavailable

Send: TypeAlias = Callable[[ActorHandle[Any]], Any]
_GONE: Final = (ActorDiedError, ActorUnschedulableError)
"""The actor is gone for good, the second with the node that it was pinned to: its name may be another one's now."""


class RayTransport:
    """Finds the actors of one namespace by name; safe to use from several threads."""

    def __init__(self, namespace: str) -> None:
        self._namespace = namespace
        self._handles: dict[str, ActorHandle[Any]] = {}
        self._pid = os.getpid()

    def call(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        """Send a request and wait for its reply. Raises `Unavailable`, which says what to do."""
        return cast(bytes, self._ask(domain, lambda handle: handle.submit.remote(raw), timeout_s))

    def describe(self, domain: str, timeout_s: float) -> dict[str, Any]:
        """The actor's own account of itself. Raises `Unavailable`."""
        return cast(dict[str, Any], self._ask(domain, lambda handle: handle.describe.remote(), timeout_s))

    def _ask(self, domain: str, send: Send, timeout_s: float) -> Any:
        """Send, and once more if the actor was taken away: another `up` may have made its successor.

        That is safe, as a request takes effect once, however often it arrives.
        """
        handle = self._handle(domain)
        try:
            return ray.get(send(handle), timeout=timeout_s)
        except _GONE:
            self._handles.pop(domain, None)
        except RayError as error:
            raise self._unavailable(domain, error, timeout_s) from error
        try:
            return ray.get(send(self._handle(domain)), timeout=timeout_s)
        except RayError as error:
            raise self._unavailable(domain, error, timeout_s) from error

    async def call_async(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        """As `call`, without blocking the event loop."""
        handle = self._handle(domain)
        try:
            async with asyncio.timeout(timeout_s):  # without a task of its own, as wait_for would have
                return cast(bytes, await handle.submit.remote(raw))
        except _GONE:
            self._handles.pop(domain, None)
        except (RayError, TimeoutError) as error:
            raise self._unavailable(domain, error, timeout_s) from error
        try:
            async with asyncio.timeout(timeout_s):
                return cast(bytes, await self._handle(domain).submit.remote(raw))
        except (RayError, TimeoutError) as error:
            raise self._unavailable(domain, error, timeout_s) from error

    def _handle(self, domain: str) -> ActorHandle[Any]:
        if os.getpid() != self._pid:
            raise forked(self._pid)
        if not ray.is_initialized():
            raise Unavailable("this process is no longer connected to Ray: call Coordinator.connect() again")
        handle = self._handles.get(domain)
        if handle is None:
            handle = self._handles[domain] = self._find(domain)
        return handle

    def _find(self, domain: str) -> ActorHandle[Any]:
        try:
            return ray.get_actor(domain, namespace=self._namespace)
        except ValueError as error:
            raise Unavailable(
                f"no coordinator runs in namespace {self._namespace!r} of this cluster (there is no actor {domain!r}): "
                "start it with `scentfield up`"
            ) from error

    def _unavailable(self, domain: str, error: Exception, timeout_s: float) -> Unavailable:
        if isinstance(error, (GetTimeoutError, TimeoutError)):
            return Unavailable(
                f"{domain} gave no answer within {timeout_s:g} s: this is no permission. "
                "Look at it with `scentfield status`"
            )
        if isinstance(error, RayActorError):
            self._handles.pop(domain, None)
        return Unavailable(
            f"{domain} cannot be reached ({type(error).__name__}): this is no permission. "
            "Look at it with `scentfield status`, start it with `scentfield up`"
        )


def forked(parent_pid: int) -> Misuse:
    """The error of a process that was forked from a connected one."""
    return Misuse(
        f"this process was forked from process {parent_pid} while that was connected to Ray, and Ray does not survive "
        "a fork: start it with the spawn method (multiprocessing.get_context('spawn')), or as a Ray task"
    )
