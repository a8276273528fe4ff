"""A house of a bench's own: a head, a store on the disk that is measured, and nothing left of either afterwards."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ray

from actors.runtime.errors import Misuse
from coordinator.cluster import attach, down, up
from coordinator.folder import private_folder
from coordinator.gateway.settings import GatewaySettings
from coordinator.head import start_head, stop_head
from coordinator.settings import Settings


@contextmanager
def store_folder() -> Iterator[Path]:
    """A folder beside the real stores, so that their disk is what is measured; removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="bench-", dir=private_folder(Settings().state_dir)))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def bench_head(folder: Path, **changes: Any) -> Iterator[Settings]:
    """A Ray head of its own, this process connected to it, and settings for it. `folder` is made.

    Raises `Misuse` in a process that is connected to a cluster already.
    """
    if ray.is_initialized():
        raise Misuse("this process is connected to a Ray cluster: run the bench in a process of its own")
    head = start_head(private_folder(folder))
    try:
        settings = Settings(
            address=head.address,
            data_dir=folder,
            store_url=None,
            namespace=f"bench-{os.getpid()}",
            space="bench",
            agent=None,
            disabled=False,
            metrics=False,
            gateway=GatewaySettings(enabled=False),
            ttl_s=300.0,  # a worker that is starved of its processor is not to be taken for dead
            **changes,
        )
        attach(settings)
        yield settings
    finally:
        ray.shutdown()
        stop_head(folder, head)


@contextmanager
def bench_house(folder: Path, **changes: Any) -> Iterator[Settings]:
    """The same with its state actors."""
    with bench_head(folder, **changes) as settings:
        up(settings)
        yield settings
        down(settings)
