"""A cluster of its own: started by `up`, killed whole, started again with all its state, stopped by `down`."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from coordinator.domain import DOMAINS, EMBEDDING
from coordinator.gateway.settings import GatewaySettings
from coordinator.head import Head
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(400)]


@pytest.fixture
def own_settings(tmp_path: Path) -> Any:
    """Settings that name no cluster; what they start is ended after the test, whatever happened."""
    data_dir = tmp_path / "state"
    plain = {"data_dir": data_dir, "namespace": "own", "space": "test", "ttl_s": 30.0, "metrics": False}
    yield Settings(**plain, metrics_port=0, gateway=GatewaySettings(enabled=False))
    with contextlib.suppress(FileNotFoundError, psutil.Error):
        _kill_family(_recorded(data_dir))


def _recorded(data_dir: Path) -> Head:
    return Head(**json.loads((data_dir / "head.json").read_text(encoding="utf-8")))


def _kill_family(head: Head) -> None:
    if not head.is_running:
        return
    process = psutil.Process(head.pid)
    family = [process, *process.children(recursive=True)]
    for one in family:
        with contextlib.suppress(psutil.Error):
            one.kill()
    psutil.wait_procs(family, timeout=10)


def test_a_cluster_that_died_whole_comes_back_with_all_its_state(
    run_alone: Callable[..., Any], own_settings: Settings, tree: Path
) -> None:
    plain = own_settings.model_dump(mode="json")
    first, second = run_alone(RAY_ADDRESS=None), run_alone(RAY_ADDRESS=None)
    first.tell("up", settings=plain)
    second.tell("up", settings=plain)
    reports = [first.answer(120.0), second.answer(120.0)]
    assert sorted(report["started_head"] for report in reports) == [False, True]
    assert reports[0]["pids"] == reports[1]["pids"]
    ann = first.ask("connect", settings=plain, agent="ann", root=str(tree))
    second.ask("connect", settings=plain, agent="bob", root=str(tree))
    held = first.ask("claim", targets=["src/a.py"], intent="fix a")
    second.ask("deposit", target="src/b.py", kind="AVOID", intensity=3.0)
    before = second.ask("sync")

    _kill_family(_recorded(own_settings.state_dir))
    first.kill()
    second.kill()

    third = run_alone(RAY_ADDRESS=None)
    report = third.ask("up", within_s=120.0, settings=plain)
    assert report["started_head"]
    assert sorted(report["created"]) == sorted([*DOMAINS, EMBEDDING])
    assert report["epochs"] == dict.fromkeys(DOMAINS, 2)
    third.ask("connect", settings=plain, agent="cat", root=str(tree))
    after = third.ask("sync")
    assert [(row["kind"], row["target"], row["agents"]) for row in after["rows"]] == [
        (row["kind"], row["target"], row["agents"]) for row in before["rows"]
    ]
    refused = third.ask("claim", targets=["src/a.py"])
    assert not refused["granted"]
    (conflict,) = refused["conflicts"]
    assert (conflict["holder"], conflict["generation"]) == (ann, held["generation"])
    assert own_settings.ttl_s - 15.0 < conflict["expires_in_s"] <= own_settings.ttl_s + own_settings.lock_delay_s
    next_one = third.ask("claim", targets=["src/c.py"])
    assert next_one["generation"] > held["generation"]

    stopped, head_stopped = third.ask("down", within_s=120.0, settings=plain)
    assert set(stopped) >= set(DOMAINS)
    assert head_stopped
    assert not (own_settings.state_dir / "head.json").exists()
