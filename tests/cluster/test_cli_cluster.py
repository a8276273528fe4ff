"""The command line on real Ray, in processes of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from coordinator.domain import DOMAINS
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

CALL_S = 120


class CommandLine:
    """`scentfield(...)` runs the command in the tree against the test's namespace."""

    def __init__(self, settings: Settings, tree: Path) -> None:
        self._tree = tree
        names = ("namespace", "address", "data_dir", "space", "ttl_s", "lock_delay_s", "metrics_port")
        mine = {f"SCENTFIELD_{name.upper()}": str(getattr(settings, name)) for name in names}
        self._environment = {**os.environ, **mine, "SCENTFIELD_GATEWAY__PORT": "0"}

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", "from coordinator.cli.entry import run; run()", *arguments],
            cwd=self._tree,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        process = self.start(*arguments)
        out, err = process.communicate(timeout=CALL_S)
        return process.returncode, out, err

    def json(self, *arguments: str, expect: int = 0) -> Any:
        code, out, err = self(*arguments, "--json")
        assert code == expect, (code, out, err)
        return json.loads(out)


@pytest.fixture
def scentfield(settings: Settings, tree: Path) -> CommandLine:
    return CommandLine(settings, tree)


def test_processes_that_come_and_go_are_one_agent_by_name(coordinator_up: Settings, scentfield: CommandLine) -> None:
    granted = scentfield.json("claim", "src/a.py", "--agent", "ann")
    refused = scentfield.json("claim", "src/a.py", "--agent", "bob", expect=3)
    assert refused["conflicts"][0]["holder"] == granted["agent"]
    assert scentfield.json("release", "src/a.py", "--agent", "ann")["n_released"] == 1
    assert scentfield.json("claim", "src/a.py", "--agent", "bob")["generation"] > granted["generation"]


def test_unnamed_processes_are_the_one_that_called_them(coordinator_up: Settings, scentfield: CommandLine) -> None:
    granted = scentfield.json("claim", "src/a.py")
    assert f"-{os.getpid()}-" in granted["agent"]
    assert scentfield("release", "src/a.py")[0] == 0


def test_two_processes_of_one_agent_at_once_do_not_disturb_each_other(
    coordinator_up: Settings, scentfield: CommandLine
) -> None:
    scentfield.json("claim", "src/a.py", "--agent", "bob")
    waiting = scentfield.start("claim", "src/a.py", "--wait", "60", "--agent", "ann", "--json")
    for name in ("b", "c"):
        assert scentfield.json("claim", f"src/{name}.py", "--agent", "ann")["granted"] is True
    scentfield.json("release", "src/a.py", "--agent", "bob")
    out, err = waiting.communicate(timeout=CALL_S)
    assert (waiting.returncode, json.loads(out)["targets"]) == (0, ["src/a.py"]), err


def test_all_is_well_on_real_ray(coordinator_up: Settings, scentfield: CommandLine) -> None:
    found = {one["name"]: one["state"] for one in scentfield.json("doctor")["findings"]}
    assert (found["cluster"], found["scent_field"], found["quality_store"]) == ("ok", "ok", "ok")
    assert (found["write and read back"], found["state folder"]) == ("ok", "ok")


def test_a_store_is_not_cut_under_a_live_actor(coordinator_up: Settings, scentfield: CommandLine) -> None:
    stores = scentfield.json("doctor", "--store")["stores"]
    assert [one["state"] for one in stores] == ["sound"] * len(DOMAINS)


def test_up_and_down_from_the_shell(settings: Settings, scentfield: CommandLine) -> None:
    assert scentfield.json("status", expect=4)["error"]["code"] == "unavailable"
    report = scentfield.json("up")
    assert report["created"] == ["scent_field", "quality_store", "thresholds", "memory", "embedding"]
    assert report["address"] == settings.address
    assert "scentfield_up" in scentfield("metrics")[1]
    stopped = scentfield.json("down")
    assert {"scent_field", "quality_store"} <= set(stopped["stopped"])
    assert stopped["head_stopped"] is False
    assert scentfield("down")[:2] == (0, "nothing runs\n")


@pytest.mark.parametrize("after_s", [2.0, 8.0])
def test_a_watch_is_ended_by_an_interrupt_without_an_error(
    coordinator_up: Settings, scentfield: CommandLine, after_s: float
) -> None:
    """While it still loads or connects (then it was interrupted), and while it watches (then that is its end)."""
    watching = scentfield.start("sync", "--watch")
    time.sleep(after_s)
    watching.send_signal(signal.SIGINT)
    _, err = watching.communicate(timeout=CALL_S)
    assert watching.returncode in {0, 130}
    assert err == ""


def test_what_was_backed_up_is_served_again_after_restore_and_up(
    coordinator_up: Settings, scentfield: CommandLine, tmp_path: Path
) -> None:
    saved = str(tmp_path / "saved.backup")
    held = scentfield.json("claim", "src/a.py", "--agent", "ann", "--intent", "before")
    scentfield.json("backup", saved)
    scentfield.json("claim", "src/c.py", "--agent", "ann", "--intent", "after")
    scentfield.json("down")
    scentfield.json("restore", saved, "--replace")
    scentfield.json("up")
    refused = scentfield.json("claim", "src/a.py", "--agent", "bob", expect=3)
    (conflict,) = refused["conflicts"]
    assert (conflict["generation"], conflict["intent"]) == (held["generation"], "before")
    assert scentfield.json("claim", "src/c.py", "--agent", "bob")["granted"]
    assert scentfield.json("check", "src/a.py", "--generation", str(held["generation"]), "--agent", "ann")["holds"]
