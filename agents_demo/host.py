"""Where the demo's coordinator comes from: one of its own, on the cluster that runs or else on a head of its own."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from actors.runtime.errors import Unavailable
from coordinator.address import address_of
from coordinator.cluster import down, up
from coordinator.gateway.settings import GatewaySettings
from coordinator.head import recorded_head, stop_head
from coordinator.settings import Settings
from coordinator.store_record import forget_stores


@contextlib.contextmanager
def state_folder() -> Iterator[Path]:
    """A temporary folder for a coordinator's state; what a process still holds on to in it is left behind."""
    with tempfile.TemporaryDirectory(prefix="scentfield-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextlib.contextmanager
def coordinator_for(settings: Settings, folder: Path, namespace: str | None = None) -> Iterator[Settings]:
    """The settings that agents connect with, while there is a coordinator for them.

    On the cluster of `settings` if there is one (a Ray job's, too), in a namespace of the demo's own: the user's own
    coordinator sees nothing of it. Without a cluster, on a head of its own. What was started is taken away again, also
    on an interrupt. State lies in `folder`; where an earlier coordinator has left some there, this one goes on with it
    under the same `namespace`. Raises `Unavailable` for a cluster that is named and does not answer.
    """
    was_attached = _is_attached()
    own = {
        "address": address_of(settings),
        "namespace": namespace or namespace_of(settings.namespace),
        "data_dir": folder,
        "store_url": None,
        "metrics": False,
        "gateway": GatewaySettings(enabled=False),
    }
    try:
        with _terminable(), _own(settings.model_copy(update=own)) as hosted:
            yield hosted
    finally:
        if not was_attached:
            _detach()


def namespace_of(namespace: str) -> str:
    """A namespace that nobody else has, not even an earlier demo by a process of the same number.

    Names of namespaces have room for 48 characters.
    """
    unique = f"-demo-{os.getpid()}-{secrets.token_hex(4)}"
    return namespace[: 48 - len(unique)] + unique


def space_of(column: str) -> str:
    """A claim space that nobody else is in."""
    return f"demo-{column}-{os.getpid()}-{time.time_ns()}"


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
        _, is_head_stopped = down(settings)
        if not is_head_stopped:
            # `up` noted in a cluster that goes on which stores the namespace's state is in.
            forget_stores(settings.namespace)
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
