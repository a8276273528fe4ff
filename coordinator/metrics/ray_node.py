"""Where the nodes of the Ray cluster show their own metrics, for Prometheus to find (its HTTP service discovery)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

PATIENCE_S: Final = 4.0
_ELSEWHERE: Final = (b"AutoscalerMetricsAddress", b"DashboardMetricsAddress")
"""Ray's own entries for the two parts of a head that show metrics on a port of their own."""

Targets = Callable[[], list[str]]


def ray_targets() -> list[str]:
    """host:port of each node that is alive, then of the head's parts; asks the cluster, and waits for it."""
    # Ray is a slow import and not needed by whoever tests the page.
    from ray.experimental.internal_kv import _internal_kv_get

    nodes = [(one["NodeManagerAddress"], one["MetricsExportPort"]) for one in _alive()]
    parts = [address.decode() for key in _ELSEWHERE if (address := _internal_kv_get(key))]
    return [_joined(host, port) for host, port in sorted(nodes)] + parts


def _alive() -> list[dict[str, Any]]:
    import ray

    return [one for one in ray.nodes() if one["Alive"]]  # type: ignore[no-untyped-call]  # Ray leaves it untyped


def _joined(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class RayNodePage:
    """Answers with Prometheus' list of targets.

    The cluster is asked once at a time, however many ask, in a thread. One that does not answer within `patience_s` is
    a 503: Prometheus then keeps the targets that it knows.
    """

    def __init__(self, targets: Targets, *, patience_s: float = PATIENCE_S) -> None:
        self._targets = targets
        self._patience_s = patience_s
        self._asked: asyncio.Task[list[str]] | None = None

    async def answer(self, _request: Request) -> Response:
        """The page."""
        if self._asked is None or self._asked.done():
            self._asked = asyncio.create_task(asyncio.to_thread(self._targets))
        await asyncio.wait([self._asked], timeout=self._patience_s)
        if not self._asked.done():
            return _unavailable(f"Ray gave no answer within {self._patience_s:g} s")
        problem = self._asked.exception()
        if problem is not None:
            return _unavailable(f"Ray cannot be asked for its nodes: {problem}")
        return JSONResponse([{"targets": self._asked.result(), "labels": {}}])


def _unavailable(problem: str) -> Response:
    return JSONResponse({"problem": problem}, status_code=503)
