"""Where the demo's coordinator comes from: the one that runs, else one of the demo's own, taken away afterwards."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from actors.runtime.errors import Unavailable
from coordinator.cluster import actor_names, address_of, attach, down, up
from coordinator.domain import DOMAINS
from coordinator.head import recorded_head, stop_head
from coordinator.settings import Settings


@contextlib.contextmanager
def coordinator_for(settings: Settings, folder: Path) -> Iterator[Settings]:
    """The settings that agents connect with, while there is a coordinator for them.

    Uses the coordinator of `settings` if it runs, in claim spaces of the demo's own. On a cluster without one (a Ray
    job's), puts actors there under a namespace of its own. Without a cluster, starts a head. What it started it takes
    away again, also on an interrupt. State that is the demo's lies in `folder`. Raises `Unavailable` for a cluster that
    is named and does not answer.
    """
    was_attached = _is_attached()
    address = address_of(settings)
    own = settings.model_copy(update={"data_dir": folder, "store_url": None, "address": address})
    try:
        with _terminable():
            if (was_attached or address is not None) and _is_running(settings):
                yield own.model_copy(update={"address": attach(settings)})
            else:
                named = f"scentfield-demo-{os.getpid()}-{time.time_ns()}"
                with _own(own.model_copy(update={"namespace": named, "metrics_port": 0})) as hosted:
                    yield hosted
    finally:
        if not was_attached:
            _detach()


def space_of(column: str) -> str:
    """A claim space that nobody else is in."""
    return f"demo-{column}-{os.getpid()}-{time.time_ns()}"


def _is_running(settings: Settings) -> bool:
    attach(settings)
    there = actor_names(settings)
    return all(name in there for name in DOMAINS)


@contextlib.contextmanager
def _own(settings: Settings) -> Iterator[Settings]:
    try:
        with _uninterrupted():
            report = up(settings)
        yield settings.model_copy(update={"address": report.address})
    finally:
        with _uninterrupted():
            _take_away(settings)


def _take_away(settings: Settings) -> None:
    try:
        down(settings)
    except Unavailable:  # it never came up, or its head was stopped by somebody else
        head = recorded_head(settings.state_dir)
        if head is not None:
            stop_head(settings.state_dir, head)


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM back until the block is over: half a start cannot be taken away, nor half a stop."""
    held: list[int] = []
    with _handled((signal.SIGINT, signal.SIGTERM), held.append):
        yield
    if held:
        raise KeyboardInterrupt


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM, which a stopped job gets, end the block as Ctrl-C does: what was started is taken away."""

    def interrupt(number: int) -> None:
        raise KeyboardInterrupt(f"signal {number}")

    with _handled((signal.SIGTERM,), interrupt):
        yield


@contextlib.contextmanager
def _handled(numbers: tuple[signal.Signals, ...], handle: Callable[[int], object]) -> Iterator[None]:
    """Handle these signals for the block; Python lets only the main thread do so, others go without."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, lambda got, _frame: handle(got)) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _is_attached() -> bool:
    import ray

    return bool(ray.is_initialized())


def _detach() -> None:
    import ray

    if ray.is_initialized():
        ray.shutdown()
