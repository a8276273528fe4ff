"""Load on one coordinator with a slow disk: `load.py SECONDS N_PROCESSES N_SESSIONS`; prints one JSON document.

So many processes with four agents each work without pause, while as many sessions as are asked for are kept alive.
At the end more requests than the mailbox may hold are sent at once.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import psutil
import ray

from actors.coordination.messages import SCHEMA, Heartbeat
from actors.runtime.wire import BusyFor, decode_reply, encode_request
from actors.scent_field.messages import Deposited, LeaveSignal
from actors.sessions.messages import Register
from coordinator import Settings
from coordinator.bench.crew import quantile
from coordinator.cluster import up
from coordinator.domain import SCENT_FIELD
from coordinator.embedding.settings import EmbeddingSettings
from coordinator.gateway.settings import GatewaySettings
from coordinator.head import start_head, stop_head
from coordinator.ray_transport import RayTransport

HERE = Path(__file__).parent
N_AGENTS = 4
TTL_S = 30.0
CALL_S = 120.0
HELD_S, FREE_S = 0.03, 0.02
N_FLOOD = 3_000
FLOOD_HELD_S = 1.5
A_CALL = 20
MIB = 2**20


class SlowDisk:
    """Keeps the store's file locked more than half of the time: each commit has to wait, as on a disk that is slow."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self._is_over.wait(FREE_S):
            self.hold(HELD_S)

    def hold(self, for_s: float) -> None:
        """Nobody commits for so long."""
        with self._lock, contextlib.closing(sqlite3.connect(self._file, isolation_level=None, timeout=20.0)) as held:
            held.execute("BEGIN IMMEDIATE")
            time.sleep(for_s)
            held.execute("ROLLBACK")

    def __enter__(self) -> SlowDisk:
        self._thread.start()
        return self

    def __exit__(self, *_exc_info: object) -> None:
        self._is_over.set()
        self._thread.join()


class Sessions:
    """Sessions without processes: registered, and kept alive by one thread that beats for all of them."""

    def __init__(self, transport: RayTransport, n_sessions: int) -> None:
        self._transport = transport
        self._tokens = {f"{number:032x}": f"simulated-{number}" for number in range(n_sessions)}
        self._ids: list[tuple[str, str]] = []
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._beat)
        self.n_lost = 0

    def register(self) -> None:
        requests = [
            ("", "", 0, 0, [], [SCHEMA.wire_of(Register(name, token, "", "heartbeat", TTL_S))])
            for token, name in self._tokens.items()
        ]
        answers = [answer for batch in batches(requests) for answer in self._ask(batch)]
        self._ids = [(answer.session_id, token) for answer, token in zip(answers, self._tokens, strict=True)]

    def _ask(self, envelopes: list[Any]) -> list[Any]:
        reply = self._transport.call(SCENT_FIELD, encode_request(envelopes), CALL_S)
        return [answers[0] for answers in decode_reply(reply, SCHEMA)]

    def _beat(self) -> None:
        while not self._is_over.is_set():
            beats = [(one, token, 0, 0, [], [SCHEMA.wire_of(Heartbeat(0))]) for one, token in self._ids]
            pause_s = TTL_S / 3.0 / max(1, len(beats) // A_CALL)
            for batch in batches(beats):
                self.n_lost += sum(type(answer).__name__ != "Alive" for answer in self._ask(batch))
                if self._is_over.wait(pause_s):
                    return

    def __enter__(self) -> Sessions:
        self.register()
        self._thread.start()
        return self

    def __exit__(self, *_exc_info: object) -> None:
        self._is_over.set()
        self._thread.join()


def batches(envelopes: list[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(envelopes), A_CALL):
        yield envelopes[start : start + A_CALL]


class Workers:
    """The processes."""

    def __init__(self, settings: Settings, folder: Path, n_processes: int) -> None:
        self._log = (folder / "workers.log").open("wb")
        self._processes = [self._start(settings, folder, number) for number in range(n_processes)]
        for process in self._processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n", (folder / "workers.log").read_text(errors="replace")[-2_000:]

    def _start(self, settings: Settings, folder: Path, number: int) -> subprocess.Popen[str]:
        config = {
            "settings": settings.model_dump(mode="json"),
            "name": f"worker-{number}",
            "n_agents": N_AGENTS,
            "root": str(folder),
        }
        return subprocess.Popen(
            [sys.executable, str(HERE / "load_worker.py"), json.dumps(config)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            cwd=folder,
            text=True,
        )

    def tell(self) -> None:
        for process in self._processes:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()

    def accounts(self) -> list[dict[str, Any]]:
        return [
            account
            for process in self._processes
            if process.stdout is not None
            for account in json.loads(process.stdout.readline())
        ]

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_exc_info: object) -> None:
        for process in self._processes:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
        self._log.close()


def main(for_s: float, n_processes: int, n_sessions: int, folder: Path) -> dict[str, Any]:
    head = start_head(folder / "state", num_cpus=4)
    settings = Settings(
        address=head.address,
        data_dir=folder / "state",
        namespace=f"load-{os.getpid()}",
        space="load",
        ttl_s=TTL_S,
        call_timeout_s=CALL_S,
        metrics=False,
        gateway=GatewaySettings(enabled=False),
        embedding=EmbeddingSettings(model="off"),
    )
    try:
        up(settings)
        transport = RayTransport(settings.namespace)
        with Sessions(transport, n_sessions) as sessions, Workers(settings, folder, n_processes) as workers:
            with SlowDisk(folder / "state" / "scent_field.sqlite3") as disk:
                workers.tell()
                memory, queued = watch(transport, for_s)
                workers.tell()
                accounts = workers.accounts()
                flooded = flood(settings, transport, disk)
            after = transport.describe(SCENT_FIELD, CALL_S)
        return {
            **figures(accounts),
            **flooded,
            "memory_mib": memory,
            "max_queued": queued,
            "n_lost": sessions.n_lost,
            "trouble": after["trouble"],
            "n_failed_commits": after["n_failed_commits"],
        }
    finally:
        ray.shutdown()
        stop_head(folder / "state", head)


def watch(transport: RayTransport, for_s: float) -> tuple[list[float], int]:
    """The actor's memory after a fifth of the time and at the end, and the longest queue that was seen."""
    started_s = time.monotonic()
    memory: list[float] = []
    queued = 0
    while (elapsed_s := time.monotonic() - started_s) < for_s:
        account = transport.describe(SCENT_FIELD, CALL_S)
        queued = max(queued, account["n_queued"])
        if elapsed_s > for_s / 5.0:
            memory.append(psutil.Process(account["pid"]).memory_info().rss / MIB)
        time.sleep(0.5)
    return [round(memory[0], 1), round(memory[-1], 1)], queued


def flood(settings: Settings, transport: RayTransport, disk: SlowDisk) -> dict[str, Any]:
    """One session asks for more at once than an actor remembers for it, while nothing can be committed."""
    token = "f" * 32
    register = encode_request([("", "", 0, 0, [], [SCHEMA.wire_of(Register("flood", token, "", "decay", TTL_S))])])
    ((registered,),) = decode_reply(transport.call(SCENT_FIELD, register, CALL_S), SCHEMA)
    holder = threading.Thread(target=disk.hold, args=(FLOOD_HELD_S,))
    holder.start()
    actor = ray.get_actor(SCENT_FIELD, namespace=settings.namespace)
    replies = ray.get(
        [actor.submit.remote(deposit(registered.session_id, token, number)) for number in range(1, N_FLOOD + 1)],
        timeout=CALL_S,
    )
    holder.join()
    answers = Counter(type(decode_reply(raw, SCHEMA)[0][0]) for raw in replies)
    pid = transport.describe(SCENT_FIELD, CALL_S)["pid"]
    return {
        "n_flood": N_FLOOD,
        "n_flood_done": answers[Deposited],
        "n_flood_busy": answers[BusyFor],
        "memory_after_flood_mib": round(psutil.Process(pid).memory_info().rss / MIB, 1),
    }


def deposit(session_id: str, token: str, number: int) -> bytes:
    """A request that is to be remembered: its caller has received nothing so far."""
    command = LeaveSignal("load", "DONE", f"task:{number}", 1.0)
    return encode_request([(session_id, token, number, 0, [], [SCHEMA.wire_of(command)])])


def figures(accounts: list[dict[str, Any]]) -> dict[str, Any]:
    counts = [len(account["took_s"]) for account in accounts]
    took_s = sorted(one for account in accounts for one in account["took_s"])
    return {
        "n_agents": len(accounts),
        "n_rounds": sum(counts),
        "fewest": min(counts),
        "median": median(counts),
        "p50_s": round(quantile(took_s, 0.5), 3),
        "p99_s": round(quantile(took_s, 0.99), 3),
        "longest_s": round(took_s[-1], 3),
        "n_refused": sum(account["n_refused"] for account in accounts),
        "n_unavailable": sum(account["n_unavailable"] for account in accounts),
        "faults": [fault for account in accounts for fault in account["faults"]],
    }


if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()):  # Ray prints there what it has to say
        document = main(float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), Path.cwd())
    sys.stdout.write(json.dumps(document) + "\n")
