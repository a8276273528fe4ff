"""A Ray head of our own, on loopback, for machines where no cluster is named.

The head is one process that keeps all others (`ray start --block`); it is recorded in the state folder with its
process id and start time, and stopped by them alone.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import psutil

from actors.runtime.errors import NOT_OURS, Unavailable
from coordinator.folder import private_folder

HOST: Final = "127.0.0.1"
_START_S: Final = 180.0
_STOP_S: Final = 20.0
_POLL_S: Final = 0.05
_children: dict[int, subprocess.Popen[bytes]] = {}  # the heads that this process has started


@dataclass(frozen=True, slots=True)
class Head:
    """A head that `up` has started."""

    address: str
    dashboard_url: str
    pid: int
    started_at_s: float
    temp_dir: str

    @property
    def is_running(self) -> bool:
        """Whether that very process is there; a recycled process id is somebody else's."""
        try:
            process = psutil.Process(self.pid)
            return abs(process.create_time() - self.started_at_s) < 1.0 and process.status() != psutil.STATUS_ZOMBIE
        except (psutil.Error, OverflowError, ValueError):  # no process, or a number that is none's
            return False


def recorded_head(state_dir: Path) -> Head | None:
    """The head of this state folder, if it runs."""
    head = _last_head(state_dir)
    return head if head is not None and head.is_running else None


def _last_head(state_dir: Path) -> Head | None:
    try:
        kept = json.loads((state_dir / "head.json").read_text(encoding="utf-8"))
        texts = str(kept["address"]), str(kept["dashboard_url"]), str(kept["temp_dir"])
        return Head(texts[0], texts[1], int(kept["pid"]), float(kept["started_at_s"]), texts[2])
    except (FileNotFoundError, *NOT_OURS):
        return None


def start_head(state_dir: Path, *, num_cpus: int | None = None) -> Head:
    """Start a head on loopback with a token; returns when it answers. Raises `Unavailable` with the end of its log.

    A start that fails, as it does now and then on a busy machine, is tried once more.
    """
    private_folder(state_dir)
    protect_token()
    before = _last_head(state_dir)
    if before is not None and not before.is_running:
        shutil.rmtree(before.temp_dir, ignore_errors=True)  # it was killed, and could not clean up
    try:
        return _start(state_dir, num_cpus)
    except Unavailable:
        return _start(state_dir, num_cpus)


def _start(state_dir: Path, num_cpus: int | None) -> Head:
    gcs, dashboard, *others = free_ports(6)
    temp_dir = _temp_dir()
    log = state_dir / "head.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*_command(gcs, dashboard, others, num_cpus), f"--temp-dir={temp_dir}"],
            env=node_environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=state_dir,
            start_new_session=True,
        )
    _children[process.pid] = process
    started_at_s = psutil.Process(process.pid).create_time()
    head = Head(f"{HOST}:{gcs}", f"http://{HOST}:{dashboard}", process.pid, started_at_s, temp_dir)
    try:
        _await_ready(process, log)
    except BaseException:  # an interrupt too must not leave a head behind that nobody knows of
        _stop(head)
        raise
    (state_dir / "head.json").write_text(json.dumps(asdict(head)), encoding="utf-8")
    return head


def node_environment() -> dict[str, str]:
    """For the processes of a node that keeps to loopback and asks for the token."""
    return {**os.environ, "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token"}


def _command(gcs: int, dashboard: int, others: list[int], num_cpus: int | None) -> list[str]:
    client, agent_http, agent_grpc, metrics = others
    command = [
        str(Path(sys.executable).with_name("ray")),
        "start",
        "--head",
        "--block",
        f"--node-ip-address={HOST}",
        f"--port={gcs}",
        "--include-dashboard=true",
        f"--dashboard-host={HOST}",
        f"--dashboard-port={dashboard}",
        f"--dashboard-agent-listen-port={agent_http}",
        f"--dashboard-agent-grpc-port={agent_grpc}",
        f"--metrics-export-port={metrics}",
        f"--ray-client-server-port={client}",
        "--min-worker-port=0",
        "--max-worker-port=0",
        "--disable-usage-stats",
    ]
    return command if num_cpus is None else [*command, f"--num-cpus={num_cpus}"]


def _await_ready(process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        text = log.read_text(encoding="utf-8", errors="replace")
        if "Ray runtime started" in text:
            return
        if process.poll() is not None:
            raise Unavailable(f"Ray's head did not start (exit {process.returncode}): {text[-800:]}")
        time.sleep(_POLL_S)
    raise Unavailable(f"Ray's head did not start within {_START_S:g} s: see {log}")


def _temp_dir() -> str:
    """A private folder for Ray's sockets and logs, so that heads on one machine are not taken for each other.

    Its path has to be short: a socket's name has 107 characters at most.
    """
    return tempfile.mkdtemp(prefix="scentfield-", dir="/tmp" if Path("/tmp").is_dir() else None)


def stop_head(state_dir: Path, head: Head) -> None:
    """Stop a head by its own process id, and with it the processes that it started."""
    _stop(head)
    (state_dir / "head.json").unlink(missing_ok=True)


def _stop(head: Head) -> None:
    with suppress(psutil.Error):
        process = psutil.Process(head.pid)
        family = [*process.children(recursive=True), process]
        process.send_signal(signal.SIGTERM)
        for one in _alive_after(family, _STOP_S):
            with suppress(psutil.Error):
                one.kill()
        _alive_after(family, _STOP_S)
    child = _children.pop(head.pid, None)
    if child is not None:
        child.poll()
    shutil.rmtree(head.temp_dir, ignore_errors=True)


def _alive_after(family: list[psutil.Process], within_s: float) -> list[psutil.Process]:
    """Those that still run when all have ended or the time is up. A zombie has ended, whoever has to bury it."""
    deadline = time.monotonic() + within_s
    while True:
        alive = [one for one in family if _runs(one)]
        if not alive or time.monotonic() > deadline:
            return alive
        time.sleep(_POLL_S)


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def protect_token() -> None:
    """Make Ray's token where there is none, readable by its owner only."""
    if "RAY_AUTH_TOKEN" in os.environ or "RAY_AUTH_TOKEN_PATH" in os.environ:
        return
    path = Path.home() / ".ray" / "auth_token"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    if not path.exists():
        with suppress(FileExistsError):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(secrets.token_hex(32))
    path.chmod(0o600)


def free_ports(count: int) -> list[int]:
    """Different TCP ports on loopback that nobody listens on right now."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_STREAM) for _ in range(count)]
    try:
        for one in sockets:
            one.bind((HOST, 0))
        return [int(one.getsockname()[1]) for one in sockets]
    finally:
        for one in sockets:
            one.close()
