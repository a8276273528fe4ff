"""Two Ray nodes on this machine; the actors are on the second, which dies: `two_nodes.py sqlite`, or a server's URL.

Prints what became of them as one JSON document.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from coordinator import Coordinator, ScentfieldError, Settings
from coordinator.chaos.node import SecondNode
from coordinator.cluster import attach, up
from coordinator.domain import DOMAINS
from coordinator.embedding.settings import EmbeddingSettings
from coordinator.gateway.settings import GatewaySettings
from coordinator.head import start_head, stop_head
from coordinator.ray_transport import RayTransport

DEADLINE_S = 120.0
FILE, OTHER = "task:one", "task:other"


def main(store: str, folder: Path) -> dict[str, Any]:
    head = start_head(folder / "state", num_cpus=2)
    settings = Settings(
        address=head.address,
        data_dir=folder / "state",
        store_url=None if store == "sqlite" else store,
        namespace=f"nodes-{os.getpid()}",
        space="test",
        ttl_s=60.0,
        call_timeout_s=90.0,
        metrics=False,
        gateway=GatewaySettings(enabled=False),
        embedding=EmbeddingSettings(model="off"),
    )
    try:
        attach(settings)
        with SecondNode(head.address, folder) as node:
            up_on(node.await_node_id(), settings)
            move_to(node, settings)
            with Coordinator.connect(agent="ann", root=folder, settings=settings) as ann:
                claimed = ann.claim(FILE)
                assert claimed
                before = accounts(settings)
                on_second = sorted(domain for domain in DOMAINS if is_on(node, before[domain]["pid"]))
                node.kill()
                after = with_files if store == "sqlite" else with_server
                return {"on_second": on_second, **after(settings, ann, claimed.generation, before, folder)}
    finally:
        ray.shutdown()
        stop_head(folder / "state", head)


def up_on(node_id: str, settings: Settings) -> None:
    """`up`, as somebody on that node calls it."""
    where = NodeAffinitySchedulingStrategy(node_id, soft=False)
    start = ray.remote(lambda: up(settings).created).options(num_cpus=0, scheduling_strategy=where)
    ray.get(start.remote(), timeout=DEADLINE_S)


def accounts(settings: Settings) -> dict[str, dict[str, Any]]:
    transport = RayTransport(settings.namespace)
    return {domain: transport.describe(domain, DEADLINE_S) for domain in DOMAINS}


def is_on(node: SecondNode, pid: int) -> bool:
    return pid in [process.pid for process in node.family()]


def move_to(node: SecondNode, settings: Settings) -> None:
    """Where Ray chooses the node, it chooses again for an actor that is killed."""
    until_s = time.monotonic() + DEADLINE_S
    while not is_on(node, pid := RayTransport(settings.namespace).describe("scent_field", DEADLINE_S)["pid"]):
        assert time.monotonic() < until_s, "the actor does not come to the second node"
        with contextlib.suppress(psutil.Error):
            os.kill(pid, signal.SIGKILL)


def with_server(
    settings: Settings, ann: Coordinator, generation: int, before: dict[str, dict[str, Any]], _folder: Path
) -> dict[str, Any]:
    """The actors come back on the node that is left, with all their state."""
    started_s = time.monotonic()
    checked = ann.check(FILE, generation)
    other = ann.claim(OTHER)
    took_s = time.monotonic() - started_s
    after = accounts(settings)
    return {
        "holds": bool(checked),
        "next_generation": other.generation if other else 0,
        "generation": generation,
        "took_s": took_s,
        "epochs": [after["scent_field"]["epoch"] - before["scent_field"]["epoch"]],
        "same_store": after["scent_field"]["store_id"] == before["scent_field"]["store_id"],
        "other_process": after["scent_field"]["pid"] != before["scent_field"]["pid"],
    }


def with_files(
    settings: Settings, ann: Coordinator, generation: int, _before: dict[str, dict[str, Any]], folder: Path
) -> dict[str, Any]:
    """Nobody answers; a node without the files refuses to start empty, and one that has them goes on."""
    unanswered = error_of(lambda: ann.claim(OTHER))
    transport = RayTransport(settings.namespace)
    until_s = time.monotonic() + DEADLINE_S
    while "there is no actor 'scent_field'" not in error_of(lambda: transport.describe("scent_field", 5.0)):
        assert time.monotonic() < until_s, "Ray does not notice that the node is gone"
    elsewhere = settings.model_copy(update={"data_dir": folder / "elsewhere"})
    refused = error_of(lambda: up(elsewhere))
    n_made = len(list((folder / "elsewhere").glob("*.sqlite3")))
    created = up(settings).created
    checked = ann.check(FILE, generation)
    return {
        "unanswered": unanswered,
        "refused": refused,
        "n_made_elsewhere": n_made,
        "created": list(created),
        "holds": bool(checked),
    }


def error_of(act: Any) -> str:
    try:
        return f"no error: {act()!r}"
    except ScentfieldError as error:
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()):  # Ray prints there what has died
        document = main(sys.argv[1], Path.cwd())
    sys.stdout.write(json.dumps(document) + "\n")
