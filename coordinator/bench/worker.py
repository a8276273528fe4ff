"""A process that measures: `python -m coordinator.bench.worker CONFIG`, told what to do by JSON lines on its input.

`prepare` makes a load and answers; `run` waits for a moment on the machine's monotonic clock, so that all workers start
together, and answers with the time of each call; `tidy` takes back what the round did. The end of the input ends it.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from coordinator.bench.load import Calls, Claims, Load, Warmth, reference_commands
from coordinator.client import Coordinator, connect_core
from coordinator.settings import Settings
from coordinator.step import drive


class Worker:
    """One session in one process."""

    def __init__(self, settings: Settings, name: str, root: str) -> None:
        self._settings = settings
        self._name = name
        self._core = connect_core(settings, root, name, "", "heartbeat")
        self._agent = Coordinator(self._core)
        if self._core.transport is not None:
            drive(self._core.register(), self._core.transport)
        self._load: Load | None = None
        self._n_rounds = 0

    def prepare(self, *, what: str, batch: int, durable: bool) -> dict[str, Any]:
        """Make the load of the next round: `scentfield` or its `reference`."""
        self._n_rounds += 1
        prefix = f"src/{self._name}/r{self._n_rounds}"
        if what == "reference":
            commands = reference_commands(self._core.space, prefix, batch, durable=durable)
            self._load = Calls(self._settings.namespace, commands)
        elif durable:
            self._load = Claims(self._core, self._agent, prefix, batch)
        else:
            self._load = Warmth(self._core, f"src/{self._name}", batch)
        return {}

    def run(self, *, at_s: float, for_s: float) -> dict[str, Any]:
        """Call for so long, from a moment on; answers with what each call took, in seconds."""
        load = self._prepared()
        took_s = []
        time.sleep(max(0.0, at_s - time.monotonic()))
        started_s = ended_s = time.perf_counter()
        until_s = started_s + for_s
        while ended_s < until_s:
            before_s = ended_s
            load.call()
            ended_s = time.perf_counter()
            took_s.append(ended_s - before_s)
        return {"took_s": took_s, "elapsed_s": ended_s - started_s}

    def tidy(self) -> dict[str, Any]:
        """Take back what the round did."""
        self._prepared().tidy()
        return {}

    def _prepared(self) -> Load:
        if self._load is None:
            raise RuntimeError("prepare comes first")
        return self._load

    def close(self) -> None:
        """Say goodbye."""
        self._agent.close()


def main() -> None:
    """Serve until the input ends."""
    config = json.loads(sys.argv[1])
    worker = Worker(Settings(**config["settings"]), config["name"], config["root"])
    _answer({})
    for line in sys.stdin:
        order = json.loads(line)
        _answer(getattr(worker, order.pop("do"))(**order))
    worker.close()


def _answer(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
