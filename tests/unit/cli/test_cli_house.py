"""The commands about the coordinator, and what all commands have in common."""

import json
from typing import Any

import pytest

from coordinator.cli.exit_code import MEANINGS
from coordinator.cli.main import _PANELS


def test_alone_it_shows_help(alone: Any) -> None:
    result = alone()
    assert result.exit_code == 0
    assert "Usage: " in result.stdout
    assert "Exit codes: 0 granted" in result.stdout


@pytest.mark.parametrize("command", [name for commands in _PANELS.values() for name in commands])
def test_every_command_has_help_with_json_and_agent(alone: Any, command: str) -> None:
    result = alone(command, "--help")
    assert result.exit_code == 0
    assert "--json" in result.stdout
    assert "--agent" in result.stdout


def test_version(alone: Any) -> None:
    assert alone("--version").stdout.startswith("scentfield 0.")


def test_completion_is_offered(alone: Any) -> None:
    assert "--install-completion" in alone("--help").stdout


@pytest.mark.parametrize("arguments", [["nope"], ["claim"], ["claim", "a.py", "--nope"], ["--nope"]])
def test_wrong_usage_is_two_lines_and_exit_code_2(alone: Any, arguments: list[str]) -> None:
    result = alone(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    what, step = result.stderr.splitlines()
    assert what.startswith("error: ")
    assert step.startswith("next: `scentfield")


def test_wrong_usage_with_json_is_one_document(alone: Any) -> None:
    assert alone.json("nope", expect=2)["error"]["code"] == "usage"


def test_up_is_safe_to_repeat_and_down_says_who_was_alive(alone: Any, live_agent: Any) -> None:
    assert alone.json("up")["created"] == ["scent_field", "quality_store"]
    assert alone.json("up")["created"] == []
    live_agent("ann")
    result = alone("down", "--json")
    assert json.loads(result.stdout)["agents_alive"] == ["ann#1"]
    assert "1 agents were alive: ann#1" in result.stderr
    assert alone.json("down", expect=4)["error"]["code"] == "unavailable"


def test_what_was_claimed_is_still_claimed_after_down_and_up(alone: Any) -> None:
    alone("up")
    alone("claim", "a.py", "--agent", "ann")
    alone("down")
    alone("up")
    assert alone.json("claim", "a.py", "--agent", "bob", expect=3)["conflicts"][0]["holder"] == "ann#1"


def test_status_shows_actors_and_counts(scentfield: Any) -> None:
    scentfield("claim", "a.py", "--agent", "ann")
    status = scentfield.json("status")
    assert (status["n_claims"], status["space"], status["gauges"]["sessions"]) == (1, "test", 1)
    assert status["actors"]["scent_field"]["trouble"] is None


def test_verbose_status_prints_the_sections_on_edit_quality_and_sources(scentfield: Any) -> None:
    scentfield("read", "a.py", "--agent", "ann")
    scentfield("edit", "a.py", "--old", "return 9", "--new", "return 2", "--agent", "ann")
    lines = scentfield("status", "-v").stdout.splitlines()
    heading = lines.index("Edit quality (compression-correlated)")
    assert lines[heading + 1].split()[0] == "py|full"
    assert lines[lines.index("Auto-mode sources") + 1] == "  small_file: 1"
    assert scentfield.json("status", "-v")["edit_quality"]["pairs"][0]["extension"] == "py"


def test_without_a_coordinator_status_is_exit_code_4(alone: Any) -> None:
    assert alone("status").exit_code == 4


def test_config_prints_each_value_and_where_it_came_from(alone: Any) -> None:
    result = alone("config", "--namespace", "mine", "--json", SCENTFIELD_TTL_S="7")
    settings = json.loads(result.stdout)["settings"]
    assert settings["namespace"] == {"value": "mine", "origin": "flag"}
    assert settings["ttl_s"] == {"value": 7.0, "origin": "environment"}
    assert settings["lock_delay_s"] == {"value": 2.0, "origin": "default"}


def test_config_hides_the_password_of_a_store(alone: Any) -> None:
    result = alone("config", SCENTFIELD_STORE_URL="postgresql+psycopg://me:geheim@db/x")
    assert "geheim" not in result.output
    assert "postgresql+psycopg://me:***@db/x" in result.stdout


def test_a_setting_that_cannot_be_is_misuse_and_its_value_is_not_repeated(alone: Any) -> None:
    result = alone("sync", SCENTFIELD_TTL_S="geheim")
    assert result.exit_code == 2
    assert "'ttl_s'" in result.stderr
    assert "geheim" not in result.stderr


def test_a_settings_file_that_is_no_toml_is_misuse(alone: Any, tree: Any) -> None:
    (tree / "scentfield.toml").write_text("ttl_s = ")
    assert alone.json("sync", expect=2)["error"]["code"] == "misuse"


def test_the_documented_exit_codes_are_those_that_exist() -> None:
    assert {code.value for code in MEANINGS} == {0, 1, 2, 3, 4, 5}


def test_a_bug_is_a_document_too(scentfield: Any) -> None:
    def break_down(_domain: str, _raw: bytes) -> None:
        raise ZeroDivisionError("ours")

    scentfield.house.before_call = break_down
    result = scentfield("sync", "--json")
    assert (result.exit_code, json.loads(result.stdout)["error"]["code"]) == (1, "bug")
