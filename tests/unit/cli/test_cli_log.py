"""A command's line in the log, where that is wanted; else nothing but the answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from actors.runtime.log import LogConfig, configure


@pytest.fixture(autouse=True)
def silent_again() -> Iterator[None]:
    yield
    configure(LogConfig())


def test_by_default_a_command_logs_nothing(scentfield: Any) -> None:
    assert scentfield("status").stderr == ""


def test_a_command_says_what_came_of_it_and_not_what_it_was_given(scentfield: Any) -> None:
    wanted = {"SCENTFIELD_LOG__LEVELS": '{"cli": "info"}'}
    granted = scentfield("claim", "a.py", "--agent", "ann", "--intent", "a secret plan", **wanted)
    line = json.loads(granted.stderr.splitlines()[-1])
    assert (line["event"], line["domain"], line["command"], line["exit_code"]) == ("command", "cli", "claim", 0)
    assert "secret plan" not in granted.stderr
    assert "a.py" not in granted.stderr
    refused = scentfield("claim", "a.py", "--agent", "bob", **wanted)
    assert json.loads(refused.stderr.splitlines()[-1])["exit_code"] == 3


def test_a_level_that_does_not_exist_is_refused(scentfield: Any) -> None:
    refused = scentfield("status", SCENTFIELD_LOG__LEVEL="loud")
    assert (refused.exit_code, "log" in refused.stderr) == (2, True)
