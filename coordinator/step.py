"""Operations as generators: what has to happen, without saying how a process waits for it.

An operation yields a `Call` (bytes to an actor), a `Pause` or a `Work` (something that blocks on the disk), gets the
result sent back, and returns its value. The sync and the async client each have one driver, and share all operations.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from coordinator.tracing import TRACING, traced_call, traced_call_async

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Call:
    """Send a request to the actor of a domain; the result is the reply's bytes. Raises `Unavailable`."""

    domain: str
    raw: bytes
    timeout_s: float


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait for so many seconds."""

    for_s: float


@dataclass(frozen=True, slots=True)
class Work:
    """Run a function that reads or writes files; the result is its value."""

    run: Callable[[], Any]


Step: TypeAlias = Call | Pause | Work
Operation: TypeAlias = Generator[Step, Any, Value]


class Transport(Protocol):
    """How requests reach the actors."""

    def call(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        """Send and wait. Raises `Unavailable` if no answer came within `timeout_s` seconds."""

    async def call_async(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        """The same without blocking the event loop."""

    def describe(self, domain: str, timeout_s: float) -> dict[str, Any]:
        """The actor's own account of where and how it runs. Raises `Unavailable`."""


def drive(operation: Operation[Value], transport: Transport) -> Value:
    """Carry an operation out, blocking."""
    result: Any = None
    failure: BaseException | None = None
    while True:
        try:
            step = operation.throw(failure) if failure is not None else operation.send(result)
        except StopIteration as done:
            value: Value = done.value
            return value
        result, failure = None, None
        try:
            result = _carry_out(step, transport)
        except BaseException as error:  # the operation decides what an interrupt means for its request
            failure = error


def _carry_out(step: Step, transport: Transport) -> Any:
    if isinstance(step, Call):
        if TRACING.tracer is not None:
            return traced_call(step, transport)
        return transport.call(step.domain, step.raw, step.timeout_s)
    if isinstance(step, Work):
        return step.run()
    return time.sleep(step.for_s)


async def drive_async(operation: Operation[Value], transport: Transport) -> Value:
    """Carry an operation out on an event loop; work on files runs in a thread.

    A thread cannot be cancelled, so a cancelled task first learns how its work ended, and is cancelled at its next step
    that can be: what was written is also logged.
    """
    result: Any = None
    failure: BaseException | None = None
    cancelled: asyncio.CancelledError | None = None
    while True:
        try:
            step = operation.throw(failure) if failure is not None else operation.send(result)
        except StopIteration as done:
            value: Value = done.value
            if cancelled is not None:
                raise cancelled from None
            return value
        result, failure = None, None
        try:
            if isinstance(step, Work):
                result, cancelled = await _worked(step, cancelled)
            elif cancelled is not None:
                failure, cancelled = cancelled, None
            else:
                result = await _carry_out_async(step, transport)
        except BaseException as error:  # the same, and for a cancelled task too
            failure = error


async def _worked(step: Work, cancelled: asyncio.CancelledError | None) -> tuple[Any, asyncio.CancelledError | None]:
    """The value of a step of work, and a cancellation that came meanwhile."""
    working = asyncio.ensure_future(asyncio.to_thread(step.run))
    while not working.done():
        try:
            await asyncio.shield(asyncio.wait([working]))
        except asyncio.CancelledError as error:
            cancelled = error
    return working.result(), cancelled


async def _carry_out_async(step: Call | Pause, transport: Transport) -> Any:
    if isinstance(step, Call):
        if TRACING.tracer is not None:
            return await traced_call_async(step, transport)
        return await transport.call_async(step.domain, step.raw, step.timeout_s)
    return await asyncio.sleep(step.for_s)
