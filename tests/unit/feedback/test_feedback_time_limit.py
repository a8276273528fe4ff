import asyncio
import concurrent.futures._base
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from coordinator.feedback.time_limit import MAX_PROBLEM_CHARACTERS, StepFailed, TimeLimit

LONG_S = 60.0
SHORT_S = 0.05


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """What hangs in a test waits for this; it opens at the end."""
    opened = threading.Event()
    yield opened
    opened.set()


def call(limit: TimeLimit, run: Callable[[], Any], timeout_s: float = LONG_S) -> Any:
    return limit.call("step", run, timeout_s)


def call_async(limit: TimeLimit, run: Callable[[], Any], timeout_s: float = LONG_S) -> Any:
    return asyncio.run(limit.call_async("step", run, timeout_s))


both = pytest.mark.parametrize("call", [call, call_async])


def raising(error: BaseException) -> Callable[[], Any]:
    def run() -> None:
        raise error

    return run


async def later(value: str) -> str:
    await asyncio.sleep(0)
    return value


async def never() -> None:
    await asyncio.Event().wait()


async def stubborn(opened: asyncio.Event) -> None:
    """Will not be cancelled."""
    while not opened.is_set():
        try:
            await opened.wait()
        except asyncio.CancelledError:
            continue


@both
def test_the_value_is_what_the_call_gives_at_once_or_awaited(call: Callable[..., Any]) -> None:
    limit = TimeLimit()
    assert call(limit, lambda: "at once") == "at once"
    assert call(limit, lambda: later("awaited")) == "awaited"
    assert limit.n_late == 0


@both
@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (ValueError("no\nsuch  thing"), "step raised ValueError: no such thing"),
        (KeyError(), "step raised KeyError"),
        (TimeoutError("of the code itself"), "step raised TimeoutError: of the code itself"),
        (SystemExit(3), "step raised SystemExit: 3"),
        (KeyboardInterrupt(), "step raised KeyboardInterrupt"),
        (StopIteration(), "step raised StopIteration"),
        (asyncio.CancelledError(), "step raised CancelledError"),
    ],
)
def test_whatever_the_code_raises_is_told_in_one_line(
    call: Callable[..., Any], error: BaseException, problem: str
) -> None:
    with pytest.raises(StepFailed) as failed:
        call(TimeLimit(), raising(error))
    assert failed.value.problem == problem


@both
def test_a_long_message_is_cut(call: Callable[..., Any]) -> None:
    with pytest.raises(StepFailed) as failed:
        call(TimeLimit(), raising(ValueError("x" * 10**6)))
    assert len(failed.value.problem) <= MAX_PROBLEM_CHARACTERS + len("step raised ValueError: ")


@both
def test_what_blocks_is_given_up_and_counted_until_it_ends(call: Callable[..., Any], gate: threading.Event) -> None:
    limit = TimeLimit()
    with pytest.raises(StepFailed, match=r"step gave no answer within 0\.05 s"):
        call(limit, gate.wait, SHORT_S)
    assert limit.n_late == 1
    gate.set()
    deadline = time.monotonic() + LONG_S
    while limit.n_late and time.monotonic() < deadline:
        threading.Event().wait(0.01)
    assert limit.n_late == 0


@both
def test_while_too_many_hang_no_other_begins(call: Callable[..., Any], gate: threading.Event) -> None:
    limit, begun = TimeLimit(max_late=2), list[int]()
    for _ in range(2):
        with pytest.raises(StepFailed):
            call(limit, gate.wait, SHORT_S)
    with pytest.raises(StepFailed, match="step was not called: 2 earlier calls hang"):
        call(limit, lambda: begun.append(1))
    assert begun == []


@both
def test_what_is_awaited_is_given_up_too(call: Callable[..., Any]) -> None:
    with pytest.raises(StepFailed, match="step gave no answer"):
        call_async(TimeLimit(), never, SHORT_S)
    assert call(TimeLimit(), lambda: later("after it")) == "after it"


def test_a_coroutine_that_hangs_does_not_hold_a_blocking_caller(gate: threading.Event) -> None:
    with pytest.raises(StepFailed, match="step gave no answer"):
        call(TimeLimit(), lambda: asyncio.to_thread(gate.wait), SHORT_S)


def test_a_coroutine_that_will_not_be_cancelled_is_not_waited_for() -> None:
    async def run() -> None:
        opened = asyncio.Event()
        with pytest.raises(StepFailed, match="step gave no answer"):
            await TimeLimit().call_async("step", lambda: stubborn(opened), SHORT_S)
        opened.set()
        await asyncio.sleep(0)

    asyncio.run(run())


def test_a_coroutine_that_comes_too_late_is_closed_without_a_warning(gate: threading.Event) -> None:
    limit = TimeLimit()

    def slow() -> Any:
        gate.wait()
        return later("too late")

    with pytest.raises(StepFailed):
        call_async(limit, slow, SHORT_S)
    gate.set()
    deadline = time.monotonic() + LONG_S
    while limit.n_late and time.monotonic() < deadline:
        threading.Event().wait(0.01)
    assert limit.n_late == 0  # an unawaited coroutine would be a warning, and warnings are errors


def test_cancelling_the_caller_cancels_what_it_awaits() -> None:
    ended = list[str]()

    async def watched() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    async def run() -> None:
        task = asyncio.create_task(TimeLimit().call_async("step", watched, LONG_S))
        while not task.done() and not ended:
            await asyncio.sleep(0.01)
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert ended in ([], ["cancelled"])  # [] where it had not begun yet


def test_an_interrupt_leaves_a_call_that_is_counted_as_late(gate: threading.Event) -> None:
    limit, main = TimeLimit(), threading.main_thread().ident or 0

    def is_waited_for() -> bool:
        stack = traceback.extract_stack(sys._current_frames()[main])
        return any(frame.filename == concurrent.futures._base.__file__ for frame in stack)

    def interrupts() -> None:
        deadline = time.monotonic() + LONG_S
        while not is_waited_for() and time.monotonic() < deadline:
            threading.Event().wait(0.01)
        signal.pthread_kill(main, signal.SIGINT)
        gate.wait()

    with pytest.raises(KeyboardInterrupt):
        call(limit, interrupts)
    assert limit.n_late == 1


def test_the_event_loop_goes_on_while_something_blocks(gate: threading.Event) -> None:
    async def run() -> str:
        waiting = asyncio.create_task(TimeLimit().call_async("step", gate.wait, LONG_S))
        await asyncio.sleep(0)
        gate.set()  # nobody could, if the loop stood still
        return "opened" if await waiting else "closed"

    assert asyncio.run(run()) == "opened"
