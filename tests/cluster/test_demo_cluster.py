"""The demo on real Ray: all columns on a coordinator that runs, and one of its own that is interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import ray
from ray.experimental import internal_kv

from agents_demo.demo import run_demo
from coordinator.cluster import attach
from coordinator.domain import DOMAINS
from coordinator.head import Head
from coordinator.ray_transport import RayTransport
from coordinator.settings import Settings

pytestmark = pytest.mark.cluster
FUNCTION = 'def f{n}(x, y):\n    p = "%s" % (x,)\n    q = y == None\n    return p, q\n\n\n'


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Six files with six tasks each."""
    root = tmp_path / "source"
    root.mkdir()
    for name in "abcdef":
        (root / f"{name}.py").write_text("".join(FUNCTION.format(n=n) for n in range(3)), encoding="utf-8")
    return root


@pytest.mark.timeout(240)
def test_with_coordination_no_task_is_done_twice_and_no_update_is_lost(
    coordinator_up: Settings, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    attach(coordinator_up)
    before = traces(coordinator_up)
    outcomes = run_demo(
        n_agents=4,
        n_tasks=36,
        think_ms=60.0,
        as_json=True,
        keep=tmp_path / "kept",
        source=source,
        settings=coordinator_up,
    )
    assert list(outcomes) == ["none", "split", "with", "killed"]
    assert json.loads(capsys.readouterr().out) == outcomes
    for name in ("with", "killed"):
        column = outcomes[name]
        assert (column["tasks"], column["tasks_done"]) == (36, 36)
        assert (column["tasks_done_twice"], column["updates_lost"], column["files_changed"]) == (0, 0, {})
        assert "y == None" not in (tmp_path / "kept" / name / "a.py").read_text(encoding="utf-8")
    for column in outcomes.values():
        assert {"edits_failed", "claims_rejected", "tokens_read_net", "seconds"} <= set(column)
    assert outcomes["none"]["tokens_read_net"] > outcomes["with"]["tokens_read_net"]
    assert outcomes["none"]["claims_rejected"] == 0
    _check_accident(outcomes["killed"])
    assert traces(coordinator_up) == before


def traces(settings: Settings) -> tuple[Any, ...]:
    """What is in the cluster, and how far the user's own coordinator has written."""
    named = sorted((one["namespace"], one["name"]) for one in ray.util.list_named_actors(all_namespaces=True))
    noted = sorted(internal_kv._internal_kv_list(b"scentfield:"))
    transport = RayTransport(settings.namespace)
    return named, noted, [transport.describe(domain, 10.0)["seq"] for domain in DOMAINS]


@pytest.mark.timeout(240)
def test_on_a_cluster_without_a_coordinator_the_demo_brings_its_own_and_takes_it_away(
    settings: Settings, source: Path, head: Head
) -> None:
    outcomes = run_demo(n_agents=2, n_tasks=4, with_accident=False, source=source, settings=settings)
    assert list(outcomes) == ["none", "split", "with"]
    assert outcomes["with"]["tasks_done"] == 4
    attach(settings)
    named = [one["namespace"] for one in ray.util.list_named_actors(all_namespaces=True)]
    assert [namespace for namespace in named if "-demo-" in namespace] == []
    assert [key for key in internal_kv._internal_kv_list(b"scentfield:") if b"-demo-" in key] == []
    assert head.is_running


def _check_accident(column: dict[str, Any]) -> None:
    """Somebody was killed at work, and the others did what was left."""
    assert column["agent_killed"].startswith("agent-")
    assert column["task_finished_by"] != column["agent_killed"]
    assert 0.0 < column["claims_free_after_s"] < 30.0
    assert column["tasks_done_by_others_after"] >= 1
    assert sum(column["landed_by"].values()) >= 35  # the dead one may have landed an edit that it told nobody of


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder for temporary files with a short name: Ray's sockets have no room for long ones."""
    with tempfile.TemporaryDirectory(prefix="d", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.mark.timeout(240)
def test_an_interrupted_demo_takes_its_head_and_its_agents_along(
    tmp_path: Path, short_folder: Path, wait_until: Callable[..., Any]
) -> None:
    folder = tmp_path / "project"
    (folder / "actors").mkdir(parents=True)
    (folder / "actors" / "__init__.py").write_text("raise RuntimeError('the wrong actors')\n", encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    environment |= {"SCENTFIELD_DATA_DIR": str(tmp_path / "state"), "TMPDIR": str(short_folder)}
    with (tmp_path / "demo.log").open("w") as log:
        demo = subprocess.Popen(
            [sys.executable, "-P", "-m", "agents_demo.demo", "--agents", "2", "--think-ms", "1000", "--json"],
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until(lambda: _n_agents(demo.pid) == 2 or demo.poll() is not None, 150.0)
        assert demo.poll() is None, (tmp_path / "demo.log").read_text()
        started = psutil.Process(demo.pid).children(recursive=True)
        assert len(started) > 3  # the agents, the head, and what the head has started
        demo.send_signal(signal.SIGINT)
        assert demo.wait(60.0) == 130, (tmp_path / "demo.log").read_text()
        _, alive = psutil.wait_procs(started, timeout=20.0)
        assert alive == []
        assert list(short_folder.glob("scentfield-*")) == []
    finally:
        demo.kill()
        demo.wait(10.0)


def _n_agents(pid: int) -> int:
    try:
        children = psutil.Process(pid).children()
        return sum("agents_demo.agent" in child.cmdline() for child in children)
    except psutil.Error:
        return 0
