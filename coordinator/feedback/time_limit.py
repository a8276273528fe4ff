"""Calls of code that is not ours, each within its time, whether it blocks or is awaited.

A thread cannot be stopped: a blocking call that is late goes on by itself, its result is dropped, and while eight of
them are under way no other begins. What is awaited is cancelled, and not waited for. Whatever the code raises comes out
as `StepFailed`, with one line that says what happened; only an interrupt of the main thread is let through. Steps
within steps are four deep at most, so that code which calls itself comes to an end.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, Final, TypeAlias

MAX_LATE: Final = 8
MAX_NESTED: Final = 4
MAX_PROBLEM_CHARACTERS: Final = 300
_LEFT: Final = "..."
_depth: Final[ContextVar[int]] = ContextVar("feedback_depth", default=0)
Check: TypeAlias = Callable[[Any], Any]
"""What is to be made of what a call gave; it may raise `StepFailed`."""


class StepFailed(Exception):
    """A step gave no result; `problem` says why, in one line of bounded length for people."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        text = " ".join("".join(one if one.isprintable() else " " for one in problem).split())
        self.problem = text if len(text) <= MAX_PROBLEM_CHARACTERS else text[: MAX_PROBLEM_CHARACTERS - 3] + _LEFT


def as_it_is(value: Any) -> Any:
    """The value: a check that asks for nothing."""
    return value


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

    def call(self, name: str, run: Callable[[], Any], timeout_s: float, check: Check = as_it_is) -> Any:
        """What `check` makes of the value of `run`, blocking; a coroutine of it is run on a loop of its own.

        Raises `StepFailed`.
        """
        future = self._start(name, lambda: _finished(name, run, timeout_s, check))
        try:
            is_done = bool(wait([future], timeout_s).done)
        except BaseException:  # an interrupt: nobody waits for the call any more
            self._leave(future)
            raise
        if not is_done:
            raise self._gave_up(name, future, timeout_s)
        return future.result()

    async def call_async(self, name: str, run: Callable[[], Any], timeout_s: float, check: Check = as_it_is) -> Any:
        """The same without blocking the event loop: a coroutine of `run` is awaited on it, the rest is in a thread."""
        loop = asyncio.get_running_loop()
        begun_s = loop.time()
        future = self._start(name, lambda: _at_once(run, check))
        try:
            await asyncio.wait([_told_when_done(future, loop)], timeout=timeout_s)
        except asyncio.CancelledError:
            self._leave(future)
            raise
        if not future.done():
            raise self._gave_up(name, future, timeout_s)
        value = future.result()
        if not inspect.isawaitable(value):
            return value
        return await _awaited(name, value, timeout_s, begun_s + timeout_s - loop.time(), check)

    def _start(self, name: str, run: Callable[[], Any]) -> Future[Any]:
        if self.n_late >= self._max_late:
            raise StepFailed(f"{name} was not called: {self._max_late} earlier calls hang; end them or this process")
        future: Future[Any] = Future()
        context = contextvars.copy_context()
        context.run(_go_deeper, name)
        thread = threading.Thread(
            target=context.run, args=(_fill, future, name, run), name=f"feedback-{name}", daemon=True
        )
        try:
            thread.start()
        except RuntimeError as error:
            raise StepFailed(f"{name} was not called: {error}; end other threads of this process") from error
        return future

    def _gave_up(self, name: str, future: Future[Any], timeout_s: float) -> StepFailed:
        self._leave(future)
        return _late(name, timeout_s)

    def _leave(self, future: Future[Any]) -> None:
        with self._lock:
            self._late.add(future)
        future.add_done_callback(_close_coroutine)


def _late(name: str, timeout_s: float) -> StepFailed:
    return StepFailed(f"{name} gave no answer within {timeout_s:g} s")


def _go_deeper(name: str) -> None:
    """Note in this context that it is within one more step. Raises `StepFailed` where these are too many."""
    depth = _depth.get()
    if depth >= MAX_NESTED:
        raise StepFailed(f"{name} was not called: it is within {depth} other steps, as code that calls itself is")
    _depth.set(depth + 1)


def _fill(future: Future[Any], name: str, run: Callable[[], Any]) -> None:
    try:
        value = run()
    except StepFailed as failure:
        future.set_exception(failure)
    except BaseException as error:  # whoever waits is told, whatever it is
        future.set_exception(failed(name, error))
    else:
        future.set_result(value)


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


def _at_once(run: Callable[[], Any], check: Check) -> Any:
    """The value, checked unless it has to be awaited."""
    value = run()
    return value if inspect.isawaitable(value) else check(value)


def _finished(name: str, run: Callable[[], Any], timeout_s: float, check: Check) -> Any:
    """The value, awaited if it has to be, and checked."""
    begun_s = time.monotonic()
    value = run()
    if not inspect.isawaitable(value):
        return check(value)
    return asyncio.run(_awaited(name, value, timeout_s, begun_s + timeout_s - time.monotonic(), check))


async def _awaited(name: str, value: Awaitable[Any], timeout_s: float, left_s: float, check: Check) -> Any:
    task = asyncio.ensure_future(_within(name, value))
    task.add_done_callback(lambda task: _let_go(task, value))
    try:
        done, _ = await asyncio.wait([task], timeout=max(0.0, left_s))
    finally:
        task.cancel()  # of no effect on one that is done; one that will not be cancelled is not waited for
    if not done:
        raise _late(name, timeout_s)
    try:
        return check(task.result())
    except StepFailed:
        raise
    except BaseException as error:  # also the cancellation of the code by itself, which is not that of this task
        raise failed(name, error) from error


async def _within(name: str, value: Awaitable[Any]) -> Any:
    """The value, one step deeper. An exit would end the event loop of the caller, and so is told as an error."""
    _go_deeper(name)
    try:
        return await value
    except SystemExit as error:
        raise failed(name, error) from error


def _let_go(task: asyncio.Future[Any], value: Awaitable[Any]) -> None:
    """Take note of an error that nobody waits for any more, and close what was never begun: Python reports both."""
    if not task.cancelled():
        task.exception()
    if inspect.iscoroutine(value):
        value.close()


def failed(name: str, error: BaseException) -> StepFailed:
    """What is said of an error: its type and its first words, if it has any that can be had."""
    try:
        said = str(error)
    except Exception:  # whatever somebody's class does
        said = ""
    failure = StepFailed(f"{name} raised {type(error).__name__}{': ' if said.strip() else ''}{said}")
    failure.__cause__ = error
    return failure
