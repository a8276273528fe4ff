"""The processes that measure, and how they start a round together."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from actors.runtime.errors import Unavailable
from coordinator.settings import Settings

_HEAD_START_S: Final = 0.05
_STOP_S: Final = 15.0


@dataclass(frozen=True, slots=True)
class Round:
    """What one round of several processes came to; the times are those of single calls."""

    ops_per_s: float
    p50_ms: float
    p99_ms: float


class Crew:
    """Up to as many workers as were ever asked for; each keeps its session from round to round.

    `module` is what a worker runs; it is given `more` besides the settings, its name and the folder.
    """

    def __init__(self, settings: Settings, folder: Path, module: str = "coordinator.bench.worker", **more: Any) -> None:
        self._settings = settings
        self._folder = folder
        self._module = module
        self._more = more
        self._workers: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Crew:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            with suppress(OSError):
                _pipe(worker.stdin).close()
        for worker in self._workers:
            try:
                worker.wait(timeout=_STOP_S)
            except subprocess.TimeoutExpired:
                worker.kill()
                worker.wait()
            _pipe(worker.stdout).close()

    def grow(self, n_processes: int) -> None:
        """Have at least so many workers, all of them connected."""
        new = [self._start(number) for number in range(len(self._workers), n_processes)]
        for worker in new:
            self._hear(worker)

    def _start(self, number: int) -> subprocess.Popen[str]:
        config = {
            "settings": self._settings.model_dump(mode="json"),
            "name": f"bench-{number}",
            "root": str(self._folder),
            **self._more,
        }
        with (self._folder / f"worker-{number}.log").open("wb") as log:
            worker = subprocess.Popen(
                [sys.executable, "-m", self._module, json.dumps(config)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                encoding="utf-8",
                cwd=self._folder,
            )
        self._workers.append(worker)
        return worker

    def round(self, n_processes: int, *, for_s: float, n_a_call: int = 1, **load: Any) -> Round:
        """Let the first `n_processes` workers call for `for_s` seconds, all from the same moment on.

        `load` is what their `prepare` takes. A call is `n_a_call` operations.
        """
        workers = self._workers[:n_processes]
        self._order(workers, do="prepare", **load)
        told = self._order(workers, do="run", at_s=time.monotonic() + _HEAD_START_S, for_s=for_s)
        self._order(workers, do="tidy")
        return round_of(told, n_a_call)

    def _order(self, workers: Sequence[subprocess.Popen[str]], **order: Any) -> list[dict[str, Any]]:
        for worker in workers:
            with suppress(BrokenPipeError):  # its answer says that it has ended
                _pipe(worker.stdin).write(json.dumps(order) + "\n")
                _pipe(worker.stdin).flush()
        return [self._hear(worker) for worker in workers]

    def _hear(self, worker: subprocess.Popen[str]) -> dict[str, Any]:
        line = _pipe(worker.stdout).readline()
        if not line:
            log = self._folder / f"worker-{self._workers.index(worker)}.log"
            raise Unavailable(f"a worker has ended: {log.read_text(encoding='utf-8', errors='replace')[-800:]}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def round_of(told: Sequence[dict[str, Any]], batch: int) -> Round:
    """The workers' rates added up, and the quantiles over all their calls."""
    took_s = sorted(one for answer in told for one in answer["took_s"])
    ops_per_s = sum(len(answer["took_s"]) * batch / answer["elapsed_s"] for answer in told)
    return Round(ops_per_s, quantile(took_s, 0.5) * 1e3, quantile(took_s, 0.99) * 1e3)


def quantile(ordered: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all does not exceed."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _pipe(pipe: Any) -> Any:
    if pipe is None:
        raise RuntimeError("a worker is started with pipes")
    return pipe
