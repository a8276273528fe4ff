"""What a call of an async Ray actor costs when the actor does nothing: the reference of the claims bench."""

from __future__ import annotations

from typing import Any, Final

import ray

from coordinator.cluster import MAX_CONCURRENT_CALLS

NOOP: Final = "bench_noop"


class Noop:
    """Sends back what it got."""

    async def noop(self, raw: bytes) -> bytes:
        """Nothing but the call itself."""
        return raw


def start_noop(namespace: str) -> Any:
    """The actor, created with the options of a state actor; it lives as long as the handle that is returned."""
    options: dict[str, Any] = {
        "name": NOOP,
        "namespace": namespace,
        "max_restarts": -1,
        "max_task_retries": -1,
        "max_concurrency": MAX_CONCURRENT_CALLS,
        "num_cpus": 0,
    }
    actor = ray.remote(Noop).options(**options).remote()
    ray.get(actor.noop.remote(b""), timeout=60.0)  # type: ignore[attr-defined]  # made by ray.remote
    return actor
