"""A second Ray node on this machine: `python -m coordinator.chaos.node ADDRESS`, until its standard input ends.

Ray's command line starts none on loopback, where all of ours has to stay; its test utility does as is done here.
"""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final

import psutil
import ray

from actors.runtime.errors import Unavailable
from coordinator.head import HOST, free_ports, node_environment

SECOND: Final = "second"
"""The resource that only this node has."""
_START_S: Final = 90.0
_POLL_S: Final = 0.1
_MAX_LOG: Final = 1_000


def main() -> None:
    """Start a raylet that joins the cluster, and keep it."""
    from ray._private.node import Node
    from ray._private.parameter import RayParams

    agent_http, agent_grpc, metrics = free_ports(3)
    parameters = RayParams(
        gcs_address=sys.argv[1],
        node_ip_address=HOST,
        num_cpus=2,
        resources={SECOND: 1},
        dashboard_agent_listen_port=agent_http,
        metrics_agent_port=agent_grpc,
        metrics_export_port=metrics,
    )
    node = Node(parameters, head=False, shutdown_at_exit=True, spawn_reaper=True)
    sys.stdin.read()
    node.kill_all_processes(check_alive=False, allow_graceful=True)


class SecondNode:
    """The node's processes; the cluster must be one that this process is connected to."""

    def __init__(self, address: str, folder: Path) -> None:
        self._log = folder / "second-node.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "coordinator.chaos.node", address],
                env=node_environment(),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=folder,
                start_new_session=True,
            )

    def __enter__(self) -> SecondNode:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def await_node_id(self) -> str:
        """Ray's name for the node, as soon as the cluster knows it. Raises `Unavailable`."""
        until_s = time.monotonic() + _START_S
        while time.monotonic() < until_s and self._process.poll() is None:
            for node in ray.nodes():  # type: ignore[no-untyped-call]  # Ray does not annotate it
                if node["Alive"] and SECOND in node["Resources"]:
                    return str(node["NodeID"])
            time.sleep(_POLL_S)
        log = self._log.read_text(encoding="utf-8", errors="replace")[-_MAX_LOG:]
        raise Unavailable(f"a second node did not start: {log}")

    def family(self) -> list[psutil.Process]:
        """Its raylet and all that runs on it, actors among them."""
        try:
            process = psutil.Process(self._process.pid)
            return [process, *process.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []

    def kill(self) -> None:
        """End all of it at once, as a loss of power does."""
        family = self.family()
        for process in family:
            with suppress(psutil.Error):
                process.kill()
        self._process.wait()
        psutil.wait_procs(family, timeout=_START_S)
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()


if __name__ == "__main__":
    main()
