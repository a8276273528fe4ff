"""Calls of code that is not ours, each within its time, whether it blocks or is awaited.

A thread cannot be stopped: a blocking call that is late goes on by itself, its result is dropped, and while eight of
them are under way no other begins. What is awaited is cancelled, and not waited for. Whatever the code raises comes out
as `StepFailed`, with one line that says what happened.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import Any, Final

MAX_LATE: Final = 8
MAX_PROBLEM_CHARACTERS: Final = 300
_LEFT: Final = "..."


class StepFailed(Exception):
    """A step gave no result; `problem` says why, in one line for people."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class TimeLimit:
    """Runs steps within their time; safe to use from several threads."""

    def __init__(self, max_late: int = MAX_LATE) -> None:
        self._max_late = max_late
        self._late: set[Future[Any]] = set()
        self._lock = threading.Lock()

    @property
    def n_late(self) -> int:
        """How many blocking calls are late and still under way."""
        with self._lock:
            self._late = {future for future in self._late if not future.done()}
            return len(self._late)

    def call(self, name: str, run: Callable[[], Any], timeout_s: float) -> Any:
        """The value of `run`, blocking; a coroutine of it is run on a loop of its own. Raises `StepFailed`."""
        future = self._start(name, lambda: _finished(run()))
        try:
            is_done = bool(wait([future], timeout_s).done)
        except BaseException:  # an interrupt: nobody waits for the call any more
            self._leave(future)
            raise
        if not is_done:
            raise self._gave_up(name, future, timeout_s)
        return _value_of(name, future)

    async def call_async(self, name: str, run: Callable[[], Any], timeout_s: float) -> Any:
        """The same without blocking the event loop: a coroutine of `run` is awaited on it, the rest is in a thread."""
        loop = asyncio.get_running_loop()
        begun_s = loop.time()
        future = self._start(name, run)
        try:
            await asyncio.wait([_told_when_done(future, loop)], timeout=timeout_s)
        except asyncio.CancelledError:
            self._leave(future)
            raise
        if not future.done():
            raise self._gave_up(name, future, timeout_s)
        value = _value_of(name, future)
        if not inspect.isawaitable(value):
            return value
        return await _awaited(name, value, timeout_s, begun_s + timeout_s - loop.time())

    def _start(self, name: str, run: Callable[[], Any]) -> Future[Any]:
        if self.n_late >= self._max_late:
            raise StepFailed(f"{name} was not called: {self._max_late} earlier calls hang; end them or this process")
        future: Future[Any] = Future()
        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(_fill, future, run), name=f"feedback-{name}", daemon=True).start()
        return future

    def _gave_up(self, name: str, future: Future[Any], timeout_s: float) -> StepFailed:
        self._leave(future)
        return StepFailed(f"{name} gave no answer within {timeout_s:g} s")

    def _leave(self, future: Future[Any]) -> None:
        with self._lock:
            self._late.add(future)
        future.add_done_callback(_close_coroutine)


class _Raised(Exception):
    """Carries what the code raised, also what would end a thread or a process."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


def _fill(future: Future[Any], run: Callable[[], Any]) -> None:
    try:
        value = run()
    except BaseException as error:  # whoever waits is told, whatever it is
        future.set_exception(_Raised(error))
    else:
        future.set_result(value)


def _value_of(name: str, future: Future[Any]) -> Any:
    try:
        return future.result()
    except _Raised as raised:
        raise failed(name, raised.error) from raised.error


def _told_when_done(future: Future[Any], loop: asyncio.AbstractEventLoop) -> asyncio.Future[None]:
    told = loop.create_future()

    def settle() -> None:
        if not told.done():
            told.set_result(None)

    def tell(_: Future[Any]) -> None:
        with suppress(RuntimeError):  # the loop may be closed by then
            loop.call_soon_threadsafe(settle)

    future.add_done_callback(tell)
    return told


def _close_coroutine(future: Future[Any]) -> None:
    """A coroutine that came too late is never awaited; Python would warn of that."""
    if future.exception() is None and inspect.iscoroutine(future.result()):
        future.result().close()


def _finished(value: Any) -> Any:
    """The value, awaited if it has to be."""
    return asyncio.run(_wait_for(value)) if inspect.isawaitable(value) else value


async def _wait_for(value: Awaitable[Any]) -> Any:
    return await value


async def _awaited(name: str, value: Awaitable[Any], timeout_s: float, left_s: float) -> Any:
    task = asyncio.ensure_future(value)
    task.add_done_callback(_look_at)
    try:
        done, _ = await asyncio.wait([task], timeout=max(0.0, left_s))
    finally:
        task.cancel()  # of no effect on one that is done; one that will not be cancelled is not waited for
    if not done:
        raise StepFailed(f"{name} gave no answer within {timeout_s:g} s")
    try:
        return task.result()
    except BaseException as error:  # also the cancellation of the code by itself, which is not that of this task
        raise failed(name, error) from error


def _look_at(task: asyncio.Future[Any]) -> None:
    """Take note of an error that nobody waits for any more, so that the loop does not report it."""
    if not task.cancelled():
        task.exception()


def failed(name: str, error: BaseException) -> StepFailed:
    """What is said of an error: its type and its first words."""
    text = " ".join(str(error).split())
    shown = text if len(text) <= MAX_PROBLEM_CHARACTERS else text[: MAX_PROBLEM_CHARACTERS - len(_LEFT)] + _LEFT
    return StepFailed(f"{name} raised {type(error).__name__}{': ' if shown else ''}{shown}")
