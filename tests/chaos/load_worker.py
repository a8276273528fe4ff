"""One process of the load test: four agents, each in a thread of its own, claim and release without pause.

Told by its argument; says `ready`, begins at the first line of its input, ends at the next, with one JSON document.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from typing import Any

from coordinator import Busy, Coordinator, Settings, Unavailable

CROWDED = [f"task:crowded-{number}" for number in range(8)]
MAX_KEPT = 100_000


class Load:
    """One agent's work: a target of its own, a signal, and one of the few that all want."""

    def __init__(self, agent: Coordinator) -> None:
        self._agent = agent
        self._name = agent.agent_id.partition("#")[0]
        self.took_s: list[float] = []
        self.n_refused = self.n_busy = self.n_unavailable = 0
        self.faults: list[str] = []

    def run(self, is_over: threading.Event) -> None:
        number = 0
        while not is_over.is_set() and len(self.took_s) < MAX_KEPT:
            number += 1
            started_s = time.monotonic()
            try:
                self._round(number)
            except Busy:
                self.n_busy += 1
            except Unavailable:
                self.n_unavailable += 1
            except Exception as error:
                self.faults.append(f"{type(error).__name__}: {error}")
            self.took_s.append(time.monotonic() - started_s)

    def _round(self, number: int) -> None:
        target = CROWDED[number % len(CROWDED)] if number % 3 == 0 else f"task:{self._name}-{number % 50}"
        if number % 10 == 0:
            self._agent.deposit(target, "DONE")
        claim = self._agent.claim(target)
        if claim:
            claim.release()
        else:
            self.n_refused += 1

    def account(self) -> dict[str, Any]:
        return {
            "agent": self._agent.agent_id,
            "took_s": self.took_s,
            "n_refused": self.n_refused,
            "n_busy": self.n_busy,
            "n_unavailable": self.n_unavailable,
            "faults": self.faults[:5],
        }


def main() -> None:
    config = json.loads(sys.argv[1])
    settings = Settings(**config["settings"])
    names = [f"{config['name']}-{number}" for number in range(config["n_agents"])]
    loads = [Load(Coordinator.connect(agent=name, root=config["root"], settings=settings)) for name in names]
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    is_over = threading.Event()
    threads = [threading.Thread(target=load.run, args=(is_over,)) for load in loads]
    for thread in threads:
        thread.start()
    sys.stdin.readline()
    is_over.set()
    for thread in threads:
        thread.join()
    sys.stdout.write(json.dumps([load.account() for load in loads]) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
