"""Where a chaos run takes place: a Ray head of its own, state actors on it, and a tree of files."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import psutil
import ray
import sqlalchemy as sa

from actors.runtime.errors import Misuse, Unavailable
from actors.runtime.store import Store
from actors.runtime.table import metadata
from coordinator.chaos.plan import Plan
from coordinator.chaos.routine import counter_line
from coordinator.cluster import down, up
from coordinator.domain import DOMAINS
from coordinator.embedding.settings import EmbeddingSettings
from coordinator.folder import private_folder
from coordinator.gateway.settings import GatewaySettings
from coordinator.head import Head, start_head, stop_head
from coordinator.ray_transport import RayTransport
from coordinator.settings import Settings
from coordinator.simulation.universe import FILES, SPACES

BACK_S: Final = 60.0
_POLL_S: Final = 0.05


class Stage:
    """The cluster and the folders. `settings` change when the cluster is started anew."""

    def __init__(self, folder: Path, plan: Plan, store_url: str | None) -> None:
        self.folder = private_folder(folder)
        self.root = private_folder(folder / "tree")
        self.diaries = private_folder(folder / "diaries")
        self.resource = private_folder(folder / "resource")
        self._head = start_head(folder / "state")
        self._transport: RayTransport | None = None
        self.settings = Settings(
            address=self._head.address,
            data_dir=folder / "state",
            store_url=store_url,
            namespace=f"chaos-{os.getpid()}-{time.time_ns() % 1_000_000:06d}",
            space=SPACES[0],
            agent=None,
            disabled=False,
            metrics=False,
            gateway=GatewaySettings(enabled=False),
            ttl_s=plan.ttl_s,
            lock_delay_s=plan.lock_delay_s,
            call_timeout_s=plan.call_timeout_s,
            half_lives_s={},
            embedding=EmbeddingSettings(model="off"),
        )
        self._write_tree(plan.n_agents)

    def _write_tree(self, n_places: int) -> None:
        for path in FILES:
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("".join(counter_line(place, 0) for place in range(n_places)), encoding="utf-8")

    def up(self) -> None:
        """Start the state actors. Raises as `cluster.up` does."""
        up(self.settings)
        self._transport = RayTransport(self.settings.namespace)

    def describe(self, domain: str) -> dict[str, Any]:
        """An actor's account of itself, as soon as it serves. Raises `Unavailable` if it does not within a minute."""
        until_s = time.monotonic() + BACK_S
        while True:
            with suppress(Unavailable):
                account = self.transport.describe(domain, max(1.0, until_s - time.monotonic()))
                if account["trouble"] is None:
                    return account
            if time.monotonic() > until_s:
                raise Unavailable(f"{domain} did not come back within {BACK_S:g} s")
            time.sleep(_POLL_S)

    def started_s(self, domain: str) -> float:
        """When an actor that serves began to, at the earliest, on the wall clock."""
        asked_s = time.time()
        return asked_s - float(self.describe(domain)["uptime_s"])

    @property
    def transport(self) -> RayTransport:
        """The way to the actors."""
        if self._transport is None:
            raise Misuse("the stage is not up")
        return self._transport

    def kill_cluster(self) -> None:
        """Kill Ray with all that it has started, actors among them, all at once."""
        ray.shutdown()  # a driver that stays connected would be ended with its cluster
        self._transport = None
        family = _family(self._head)
        for process in family:
            with suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(family, timeout=BACK_S)

    def start_again(self) -> None:
        """A new cluster over the same stores."""
        self._head = start_head(self.settings.state_dir)
        self.settings = self.settings.model_copy(update={"address": self._head.address})
        self.up()

    def down(self) -> None:
        """Commit what is relaxed, and stop the actors."""
        down(self.settings)

    def close(self) -> None:
        """Stop the head, whatever state it is in, and leave no rows on a server."""
        if ray.is_initialized():
            ray.shutdown()
        stop_head(self.settings.state_dir, self._head)
        if self.settings.store_url is not None:
            forget(self.settings)


def _family(head: Head) -> list[psutil.Process]:
    process = psutil.Process(head.pid)
    return [process, *process.children(recursive=True)]


def forget(settings: Settings) -> None:
    """Remove the rows of a namespace from its server."""
    for domain in DOMAINS:
        url, key = settings.store_url_of(domain), settings.store_key_of(domain)
        with closing(Store(url, key)) as store, store.writing(alone=True) as connection:
            for table in metadata.sorted_tables:
                connection.execute(sa.delete(table).where(table.c.domain == key))


@contextmanager
def staged(folder: Path, plan: Plan, store_url: str | None) -> Iterator[Stage]:
    """A stage with its actors up; its processes are gone afterwards. Raises `Misuse` in a connected process."""
    if ray.is_initialized():
        raise Misuse("this process is connected to a Ray cluster: run chaos in a process of its own")
    stage = Stage(private_folder(folder), plan, store_url)
    try:
        stage.up()
        yield stage
    finally:
        stage.close()
