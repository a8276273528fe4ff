"""An agent of a chaos run in a process of its own: `python -m coordinator.chaos.agent CONFIG`.

It works until its standard input ends, and then says goodbye.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from random import Random
from typing import Any

from coordinator.chaos.diary import SUFFIX, Diary
from coordinator.chaos.fenced_folder import FencedFolder
from coordinator.chaos.routine import Routine
from coordinator.chaos.witness import Witness
from coordinator.client import Coordinator, connect_core
from coordinator.settings import Settings
from coordinator.step import drive


def begin(config: dict[str, Any]) -> Routine:
    """Connect and register; all requests from the first one on are in the diary."""
    name, root = config["name"], Path(config["root"])
    diary = Diary(Path(config["diaries"]) / f"{name}{SUFFIX}")
    core = connect_core(Settings(**config["settings"]), root, name, "", "heartbeat")
    if core.transport is None:
        raise RuntimeError("Scentfield is switched off")
    core.transport = Witness(core.transport, diary)
    drive(core.register(), core.transport)
    return Routine(
        Coordinator(core),
        diary=diary,
        resource=FencedFolder(Path(config["resource"])),
        root=root,
        place=config["place"],
        random=Random(config["seed"]),
    )


def main() -> None:
    """Say that it is there, and work."""
    routine = begin(json.loads(sys.argv[1]))
    is_over = threading.Event()

    def wait_for_the_end() -> None:
        sys.stdin.read()
        is_over.set()

    threading.Thread(target=wait_for_the_end, daemon=True).start()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while not is_over.is_set():
        routine.step()
    routine.close()


if __name__ == "__main__":
    main()
