"""What boards and rules ask has an answer in a real Prometheus that scrapes a coordinator at which agents work."""

from __future__ import annotations

import json
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from coordinator.boards.shipment import SHIPPED

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(400)]
VARIABLES = {"$__rate_interval": "1m", "$instance": ".*"}
BOARDS = sorted(SHIPPED.glob("dashboards/*.json"))


def expressions(board: Path) -> Iterator[tuple[str, str]]:
    """Each expression of a board with the title of its panel, as Grafana would send it."""
    for panel in json.loads(board.read_text(encoding="utf-8"))["panels"]:
        for target in panel.get("targets", []):
            expr = target["expr"]
            for name, value in VARIABLES.items():
                expr = expr.replace(name, value)
            assert "$" not in expr, f"a variable that this test does not know: {expr}"
            yield panel["title"], expr


def poll_until_empty(found: Callable[[], list[Any]]) -> list[Any]:
    """What is left after a minute at most."""
    until_s = time.monotonic() + 60.0
    while (left := found()) and time.monotonic() < until_s:
        time.sleep(1.0)
    return left


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.stem)
def test_every_expression_of_every_panel_has_data(board: Path, prometheus: Any) -> None:
    asked = dict.fromkeys(expressions(board))
    assert asked

    def without_data() -> list[tuple[str, str]]:
        return [one for one in asked if not prometheus.now(one[1])]

    left = poll_until_empty(without_data)
    assert not left, left


def test_every_rule_is_evaluated_without_complaint(prometheus: Any, poll: Callable[..., Any]) -> None:
    def rules() -> list[dict[str, Any]]:
        return [rule for group in prometheus.get("rules")["groups"] for rule in group["rules"]]

    assert rules()
    poll(lambda: all(rule["health"] != "unknown" for rule in rules()))
    assert [(rule["name"], rule["lastError"]) for rule in rules() if rule["health"] != "ok"] == []


def test_recorded_series_are_there(prometheus: Any, poll: Callable[..., Any]) -> None:
    names = [
        rule["name"]
        for group in prometheus.get("rules")["groups"]
        for rule in group["rules"]
        if rule["type"] == "recording"
    ]
    assert names
    for name in names:
        assert poll(lambda name=name: prometheus.now(name)), name


def test_ray_is_scraped_beside_and_its_names_are_not_ours(prometheus: Any, poll: Callable[..., Any]) -> None:
    targets = poll(lambda: [one for one in prometheus.get("targets")["activeTargets"] if one["labels"]["job"] == "ray"])
    assert len(targets) == 3
    poll(lambda: prometheus.value('count(up{job="ray"} == 1)') == 3)
    ours = prometheus.now('count by (job) ({__name__=~"scentfield_.*"})')
    assert [one["metric"] for one in ours] == [{"job": "scentfield"}]


def test_promtool_has_no_complaint_about_what_is_served(promtool: str, prometheus: Any, metrics_url: str) -> None:
    with urllib.request.urlopen(metrics_url, timeout=10.0) as answer:
        exposition = answer.read()
    checked = subprocess.run([promtool, "check", "metrics"], input=exposition, capture_output=True, timeout=30)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, b"")
