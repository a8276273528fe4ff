"""What Ray has to say of killed actors does not get into the standard output of the program that made them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(150)]
PROGRAM = """
import os, signal, sys, threading, time
from coordinator import Coordinator, Settings
from coordinator.cluster import down, up
from coordinator.ray_transport import RayTransport

settings = Settings(**eval(sys.argv[1]))
up(settings)
is_over = threading.Event()

def work(name):
    number = 0
    while not is_over.is_set():
        number += 1
        ann.claim(f"{name}/{number}.py")

with Coordinator.connect(agent="ann", root=sys.argv[2], settings=settings) as ann:
    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for _ in range(2):
        pid = RayTransport(settings.namespace).describe("scent_field", 60.0)["pid"]
        os.kill(pid, signal.SIGKILL)
        while RayTransport(settings.namespace).describe("scent_field", 60.0)["pid"] == pid:
            time.sleep(0.05)
    is_over.set()
    for thread in threads:
        thread.join()
down(settings)
print("done")
"""


def test_standard_output_is_the_programs_own(coordinator_up: Settings, tree: Path, tmp_path: Path) -> None:
    own = {"namespace": f"loud-{os.getpid()}", "data_dir": tmp_path / "state", "embedding": {"model": "off"}}
    settings = Settings.model_validate({**coordinator_up.model_dump(exclude_none=True), **own})
    plain = repr(settings.model_dump(mode="json", exclude_none=True))
    ran = subprocess.run([sys.executable, "-c", PROGRAM, plain, str(tree)], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr[-3_000:]
    assert ran.stdout == "done\n"
