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


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


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
        (Unspeakable(), "step raised Unspeakable"),
        (ValueError("a\x1b[31m\x00\ud800b"), "step raised ValueError: a [31m b"),
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

    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # the shell may have set it to be ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            call(limit, interrupts)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert limit.n_late == 1


def test_the_event_loop_goes_on_while_something_blocks(gate: threading.Event) -> None:
    async def run() -> str:
        waiting = asyncio.create_task(TimeLimit().call_async("step", gate.wait, LONG_S))
        await asyncio.sleep(0)
        gate.set()  # nobody could, if the loop stood still
        return "opened" if await waiting else "closed"

    assert asyncio.run(run()) == "opened"


@both
def test_an_exit_of_what_is_awaited_ends_nobody_s_loop(call: Callable[..., Any]) -> None:
    async def leaves() -> None:
        raise SystemExit(3)

    with pytest.raises(StepFailed, match="step raised SystemExit: 3"):
        call(TimeLimit(), leaves)


def test_what_is_awaited_for_a_blocking_caller_is_cancelled_when_it_is_late() -> None:
    limit, ended = TimeLimit(), threading.Event()

    async def watched() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    with pytest.raises(StepFailed, match="step gave no answer"):
        call(limit, watched, SHORT_S)
    assert ended.wait(LONG_S)
    deadline = time.monotonic() + LONG_S
    while limit.n_late and time.monotonic() < deadline:
        threading.Event().wait(0.01)
    assert limit.n_late == 0


def refusing(_: Any) -> Any:
    raise StepFailed("not that")


@pytest.mark.parametrize("run", [lambda: "at once", lambda: later("at once")])
def test_a_value_is_checked_whether_it_is_awaited_or_not(run: Callable[[], Any]) -> None:
    limit = TimeLimit()
    assert limit.call("step", run, LONG_S, len) == 7
    assert asyncio.run(limit.call_async("step", run, LONG_S, len)) == 7
    with pytest.raises(StepFailed, match=r"^not that$"):
        limit.call("step", run, LONG_S, refusing)
    with pytest.raises(StepFailed, match=r"^not that$"):
        asyncio.run(limit.call_async("step", run, LONG_S, refusing))


def test_a_check_has_the_time_of_its_call(gate: threading.Event) -> None:
    limit = TimeLimit()
    with pytest.raises(StepFailed, match="step gave no answer"):
        limit.call("step", str, SHORT_S, lambda _: gate.wait())
    with pytest.raises(StepFailed, match="step gave no answer"):
        asyncio.run(limit.call_async("step", str, SHORT_S, lambda _: gate.wait()))


@both
def test_a_step_within_itself_comes_to_an_end(call: Callable[..., Any]) -> None:
    limit, depths = TimeLimit(), list[int]()

    def deeper(depth: int = 1) -> Any:
        depths.append(depth)
        return call(limit, lambda: deeper(depth + 1))

    with pytest.raises(StepFailed, match="step was not called: it is within 4 other steps"):
        call(limit, deeper)
    assert depths == [1, 2, 3, 4]


def test_an_awaited_step_within_itself_comes_to_an_end() -> None:
    limit, depths = TimeLimit(), list[int]()

    async def deeper(depth: int) -> Any:
        depths.append(depth)
        return await limit.call_async("step", lambda: deeper(depth + 1), LONG_S)

    with pytest.raises(StepFailed, match="it is within 4 other steps"):
        asyncio.run(deeper(1))
    assert depths == [1, 2, 3, 4, 5]  # the first is no step


@both
def test_where_no_thread_can_be_started_that_is_told(call: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    async def started() -> None:
        monkeypatch.setattr(threading.Thread, "start", full)
        with pytest.raises(StepFailed, match="step was not called: can't start new thread"):
            await TimeLimit().call_async("step", str, LONG_S)

    if call is call_async:
        asyncio.run(started())
        return
    monkeypatch.setattr(threading.Thread, "start", full)
    with pytest.raises(StepFailed, match="step was not called: can't start new thread"):
        call(TimeLimit(), str)
