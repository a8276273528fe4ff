"""What a running gateway was started with other than its settings say now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from coordinator.gateway.as_started import as_started, differences
from coordinator.gateway.settings import GatewaySettings

TREE = Path("/srv/tree")


def told(root: Path = TREE, **settings: Any) -> dict[str, Any]:
    """As it crosses processes."""
    answer: dict[str, Any] = json.loads(json.dumps(as_started(GatewaySettings(**settings), root)))
    return answer


def test_the_same_settings_in_the_same_tree_are_no_difference() -> None:
    assert differences(told(), GatewaySettings(), TREE) == []
    assert differences(told(roots=(TREE,)), GatewaySettings(roots=(TREE,)), TREE / "src") == []


def test_each_setting_that_differs_is_named_with_both_values() -> None:
    found = differences(told(port=7464), GatewaySettings(port=8000, token="always", hosts=("box",)), TREE)
    assert found == [
        "port is 7464 there, and 8000 in the settings",
        "token is 'elsewhere' there, and 'always' in the settings",
        "hosts is [] there, and ['box'] in the settings",
    ]


def test_whether_one_is_started_at_all_is_not_its_own_setting() -> None:
    assert differences(told(), GatewaySettings(enabled=False), TREE) == []


@pytest.mark.parametrize("elsewhere", [Path("/srv/other"), Path("/srv/tree2"), Path("/srv")])
def test_a_tree_that_agents_may_not_work_in_is_named_with_those_they_may(elsewhere: Path) -> None:
    (found,) = differences(told(), GatewaySettings(), elsewhere)
    assert found == f"agents may work in {TREE}, and not in {elsewhere}: add it to roots under [gateway]"


def test_a_tree_inside_is_served() -> None:
    assert differences(told(), GatewaySettings(), TREE / "part") == []


def test_a_gateway_that_says_nothing_of_itself_is_of_an_older_version() -> None:
    assert differences({}, GatewaySettings(port=1), TREE) == []
