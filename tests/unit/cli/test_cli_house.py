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
def test_wrong_usage_is_said_with_where_help_is_and_exit_code_2(alone: Any, arguments: list[str]) -> None:
    result = alone(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    what, step = result.stderr.splitlines()
    assert what.startswith("error: ")
    assert step.startswith("next: scentfield")
    assert step.endswith(" --help")


def test_a_suggestion_for_a_wrong_option_is_shown_whole(alone: Any) -> None:
    what, step = alone("claim", "a.py", "--sharde").stderr.splitlines()
    assert what.startswith("error: No such option: --sharde")
    assert what.count("(") == what.count(")")
    assert "--shared" in what
    assert step == "next: scentfield claim --help"


@pytest.mark.parametrize("command", ["claim --wait", "ledger --days", "learning reset --extension", "--agent"])
def test_an_option_without_its_value_is_told_with_the_help_of_its_command(alone: Any, command: str) -> None:
    path = command.rpartition(" ")[0]
    assert alone(*command.split()).stderr.splitlines()[1] == f"next: {f'scentfield {path}'.strip()} --help"


def test_help_breaks_lines_where_the_screen_ends_and_not_where_the_source_does(
    alone: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert "seen with --last-digest only" in alone("ledger", "verify", "--help").stdout


def test_a_root_that_does_not_exist_is_wrong_usage(alone: Any, tree: Any) -> None:
    for arguments in (["sync", "--root", "nowhere"], ["--root", str(tree / "a.py"), "claim", "a.py"]):
        assert alone.json(*arguments, expect=2)["error"]["code"] == "usage"


def test_wrong_usage_with_json_is_one_document(alone: Any) -> None:
    assert alone.json("nope", expect=2)["error"]["code"] == "usage"


def test_up_is_safe_to_repeat_and_down_says_who_was_alive(alone: Any, live_agent: Any) -> None:
    assert alone.json("up")["created"] == ["scent_field", "quality_store", "thresholds", "memory"]
    assert alone.json("up")["created"] == []
    live_agent("ann")
    alone("claim", "a.py", "--agent", "a-shell")
    result = alone("down", "--json")
    assert json.loads(result.stdout)["agents_alive"] == ["ann#1"]
    assert result.stderr.splitlines() == [
        "1 agent was alive: ann#1",
        "Ray ends processes that stay connected about a minute after its head is gone",
    ]


def test_down_names_ten_agents_at_most(scentfield: Any, live_agent: Any) -> None:
    for number in range(12):
        live_agent(f"agent-{number:02}")
    result = scentfield("down", "--json")
    document = json.loads(result.stdout)
    assert (len(document["agents_alive"]), document["n_agents_alive"]) == (10, 12)
    assert result.stderr.startswith("12 agents were alive: agent-00#1, ")
    assert "agent-09#10, ...\n" in result.stderr


def test_down_that_leaves_the_head_alone_does_not_speak_of_its_end(scentfield: Any, live_agent: Any) -> None:
    live_agent("ann")
    scentfield.house.keeps_head = True
    assert scentfield("down").stderr == "1 agent was alive: ann#1\n"


def test_down_where_nothing_runs_says_so_and_is_no_error(alone: Any) -> None:
    result = alone("down")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "nothing runs\n", "")
    document = {"stopped": [], "head_stopped": False, "agents_alive": [], "n_agents_alive": 0}
    assert alone.json("down") == document


def test_down_on_a_cluster_without_our_actors_says_that_nothing_runs(alone: Any) -> None:
    alone.house.address = lambda _settings: "127.0.0.1:1"
    alone.house.down = lambda _settings: ([], False)
    assert alone("down").stdout == "nothing runs\n"


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


def test_status_says_where_the_gateway_serves_or_why_it_does_not(scentfield: Any) -> None:
    assert scentfield.json("status")["gateway"] is None
    web = scentfield.house.web
    web["gateway"] = {"pid": 1, "url": "http://127.0.0.1:7464", "trouble": ""}
    assert scentfield.json("status")["gateway"] == {"url": "http://127.0.0.1:7464", "trouble": ""}
    assert "gateway: http://127.0.0.1:7464\n" in scentfield("status").stdout
    web["gateway"] = {"pid": 1, "url": "", "trouble": "the port is taken"}
    assert "gateway: the port is taken\n" in scentfield("status").stdout


def test_status_shows_who_is_there_and_what_is_claimed_and_counters_only_when_asked(scentfield: Any) -> None:
    assert "no agent is alive\n" in scentfield("status").stdout
    scentfield("claim", "a.py", "--agent", "ann", "--intent", "fix f")
    scentfield("deposit", "src/", "AVOID", "--intensity", "3", "--agent", "bob")
    lines = [line.split() for line in scentfield("status").stdout.splitlines()]
    assert ["a.py", "ann#1", "0", "s", "1", "fix", "f"] in lines
    assert [line[:2] for line in lines if line[0].startswith(("ann#", "bob#"))] == [
        ["ann#1", "decay"],
        ["bob#2", "decay"],
    ]
    assert "over all spaces" not in scentfield("status").stdout
    assert "over all spaces: " in scentfield("status", "-v").stdout


def test_status_shows_ten_claims_and_ten_agents_at_most(scentfield: Any) -> None:
    for number in range(12):
        scentfield("claim", f"task:{number}", "--agent", f"agent-{number:02}")
        scentfield("deposit", f"task:{number}", "HOT", "--intensity", "3", "--agent", "agent-00")
    status = scentfield.json("status")
    assert (len(status["claims"]), status["n_claims"]) == (10, 12)
    assert {one["kind"] for one in status["claims"]} == {"CLAIMED"}
    assert (len(status["agents"]), status["n_agents"]) == (10, 12)
    assert "and 2 more agents (`scentfield sessions`)\n" in scentfield("status").stdout


def test_verbose_status_prints_the_sections_on_edit_quality_and_sources(scentfield: Any) -> None:
    scentfield("read", "a.py", "--agent", "ann")
    scentfield("edit", "a.py", "--old", "return 9", "--new", "return 2", "--agent", "ann")
    lines = scentfield("status", "-v").stdout.splitlines()
    heading = lines.index("Edit quality (compression-correlated)")
    assert lines[heading + 1].split()[0] == "py|full"
    assert lines[lines.index("Auto-mode sources") + 1] == "  small_file  1"
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
