"""The commands about claims, on the real machines."""

from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from coordinator.cli.invocation import Invocation
from coordinator.cli.main import app


def test_two_calls_under_one_name_are_one_agent(scentfield: Any) -> None:
    granted = scentfield.json("claim", "a.py", "--agent", "ann")
    assert (granted["granted"], granted["targets"], granted["agent"]) == (True, ["a.py"], "ann#1")
    assert scentfield.json("release", "a.py", "--agent", "ann") == {"n_released": 1, "not_released": []}


def test_a_grant_names_its_space(scentfield: Any) -> None:
    assert scentfield("claim", "a.py", "--agent", "ann").stdout.startswith("granted to ann#1 in space test: a.py\n")


def test_outside_of_a_repository_the_space_is_said_once_to_be_this_folder_only(
    house: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    house.up(house.settings, None)
    bare = tmp_path / "bare"
    bare.mkdir()
    monkeypatch.chdir(bare)
    given = ["--data-dir", str(house.settings.state_dir), "--agent", "ann", "claim", "a.py"]
    first, second, named = (
        CliRunner().invoke(app, [*more, *given], obj=Invocation(house)) for more in ([], [], ["--space", "mine"])
    )
    (note,) = first.stderr.splitlines()
    assert note.startswith("no git repository and no scentfield.toml here: the claim space bare-")
    assert f"is the folder {bare} only" in note
    assert (second.exit_code, second.stderr) == (0, "")
    assert (named.exit_code, named.stderr) == (0, "")


def test_a_tree_that_is_marked_needs_no_note_about_its_space(house: Any, tree: Path) -> None:
    house.up(house.settings, None)
    given = ["--data-dir", str(house.settings.state_dir), "--agent", "ann", "claim", "a.py"]
    assert CliRunner().invoke(app, given, obj=Invocation(house)).stderr == ""


def test_claiming_again_renews_and_keeps_the_generation(scentfield: Any) -> None:
    first = scentfield.json("claim", "a.py", "--agent", "ann")
    again = scentfield.json("claim", "a.py", "--agent", "ann")
    assert (again["renewed"], again["generation"]) == (True, first["generation"])


def test_a_held_target_is_refused_with_holder_and_next_step_and_exit_code_3(scentfield: Any) -> None:
    scentfield("claim", "a.py", "--agent", "ann", "--intent", "fix f")
    refused = scentfield.json("claim", "a.py", "--agent", "bob", expect=3)
    assert (refused["granted"], refused["reason"]) == (False, "claimed")
    assert refused["conflicts"][0]["holder"] == "ann#1"
    shown = scentfield("claim", "a.py", "--agent", "bob")
    assert shown.exit_code == 3
    assert "not granted (claimed)" in shown.stdout
    assert "ann#1" in shown.stdout
    assert "fix f" in shown.stdout
    assert "next: " in shown.stdout


def test_the_agent_may_be_named_by_the_environment_or_before_the_command(scentfield: Any) -> None:
    assert scentfield("claim", "a.py", "--json", SCENTFIELD_AGENT="ann").exit_code == 0
    assert scentfield("--agent", "ann", "release", "a.py").exit_code == 0


def test_a_flag_beats_the_environment(scentfield: Any) -> None:
    result = scentfield("claim", "a.py", "--agent", "bob", "--json", SCENTFIELD_AGENT="ann")
    assert '"bob#1"' in result.stdout


def test_an_unnamed_caller_is_the_process_that_called_and_is_found_again(scentfield: Any) -> None:
    first = scentfield("claim", "a.py", "--json")
    assert "name yourself with --agent" in first.stderr
    assert '"agent": "local-' in first.stdout
    second = scentfield("release", "a.py")
    assert (second.exit_code, second.stderr) == (0, "")


def test_a_path_is_named_from_the_folder_one_stands_in(scentfield: Any, tree: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tree / "src")
    assert scentfield.json("claim", "b.py", "--agent", "ann")["targets"] == ["src/b.py"]
    assert scentfield.json("claim", ".", "--agent", "ann")["targets"] == ["src/"]
    assert scentfield.json("claim", "task:login", "--agent", "ann")["targets"] == ["task:login"]


def test_any_takes_the_first_that_is_free(scentfield: Any) -> None:
    scentfield("claim", "a.py", "--agent", "ann")
    got = scentfield.json("claim", "a.py", "src/b.py", "--any", "--agent", "bob")
    assert got["targets"] == ["src/b.py"]


def test_shared_claims_go_together(scentfield: Any) -> None:
    scentfield("claim", "a.py", "--shared", "--agent", "ann")
    assert scentfield("claim", "a.py", "--shared", "--agent", "bob").exit_code == 0
    assert scentfield("claim", "a.py", "--agent", "cy").exit_code == 3


def test_a_wait_that_runs_out_is_refused_with_its_reason(scentfield: Any) -> None:
    scentfield("claim", "a.py", "--agent", "ann")
    assert scentfield.json("claim", "a.py", "--agent", "bob", "--wait", "5", expect=3)["reason"] == "timeout"


def test_what_is_not_held_is_not_released_and_the_answer_says_why(scentfield: Any) -> None:
    scentfield("claim", "a.py", "--agent", "ann")
    answer = scentfield.json("release", "a.py", "--agent", "bob", expect=3)
    assert answer["n_released"] == 0
    assert "ann#1" in answer["not_released"][0]["why"]


def test_release_by_generation_and_done_leaves_a_signal(scentfield: Any) -> None:
    generation = scentfield.json("claim", "a.py", "--agent", "ann")["generation"]
    scentfield("release", "--generation", str(generation), "--done", "--agent", "ann")
    signals = scentfield.json("claim", "a.py", "--agent", "bob")["signals"]
    assert [(one["kind"], one["agent"]) for one in signals] == [("DONE", "ann#1")]


def test_release_of_nothing_is_misuse(scentfield: Any) -> None:
    assert scentfield.json("release", expect=2)["error"]["code"] == "misuse"


def test_transfer_takes_a_bare_name_that_one_agent_has(scentfield: Any) -> None:
    generation = scentfield.json("claim", "a.py", "--agent", "ann")["generation"]
    scentfield("claim", "src/b.py", "--agent", "bob")
    moved = scentfield.json("transfer", str(generation), "bob", "--note", "tests missing", "--agent", "ann")
    assert (moved["granted"], moved["targets"], moved["agent"]) == (True, ["a.py"], "bob#2")
    assert moved["generation"] > generation


def test_transfer_to_a_name_that_nobody_has_is_misuse(scentfield: Any) -> None:
    generation = scentfield.json("claim", "a.py", "--agent", "ann")["generation"]
    answer = scentfield.json("transfer", str(generation), "eve", "--agent", "ann", expect=2)
    assert "no agent is named 'eve'" in answer["error"]["message"]


def test_force_release_is_refused_while_the_holder_is_alive_and_leaves_an_audit_line(
    scentfield: Any, live_agent: Any
) -> None:
    live_agent("ann").claim("a.py")
    assert scentfield("force-release", "a.py", "--reason", "gone", "--agent", "bob").exit_code == 3
    forced = scentfield("force-release", "a.py", "--reason", "gone", "--even-if-alive", "--agent", "bob")
    assert forced.exit_code == 0
    (line,) = scentfield.json("audit")["lines"]
    assert (line["target"], line["from_session"], line["by"], line["reason"]) == ("a.py", "ann#1", "bob#2", "gone")
    assert "gone" in scentfield("audit").stdout


def test_check_says_who_holds_a_path(scentfield: Any) -> None:
    generation = str(scentfield.json("claim", "src/", "--agent", "ann")["generation"])
    assert scentfield.json("check", "src/b.py", "--agent", "bob", expect=3)["holder"] == "ann#1"
    assert scentfield("check", "src/b.py", "--agent", "ann").exit_code == 0
    assert scentfield("check", "a.py", "--agent", "bob").stdout.startswith("nobody holds a.py")
    assert scentfield.json("check", "src/b.py", "--generation", generation, "--agent", "ann")["holds"] is True
    assert scentfield("check", "a.py", "--generation", generation, "--agent", "ann").exit_code == 3


def test_a_bad_target_is_said_whole_in_one_line(scentfield: Any) -> None:
    result = scentfield("claim", "../outside.py", "--agent", "ann")
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: the target '../outside.py' leads to ")
    assert line.endswith(": name something inside it, or start where the right root is")


def test_without_a_coordinator_nothing_is_granted(alone: Any) -> None:
    assert alone.json("claim", "a.py", "--agent", "ann", expect=4)["error"]["code"] == "unavailable"
    assert alone("claim", "a.py", "--agent", "ann").stderr.splitlines()[1].startswith("next: `scentfield up`")


def test_switched_off_everything_is_granted_by_nobody(alone: Any) -> None:
    result = alone("claim", "a.py", "--agent", "ann", "--json", SCENTFIELD_DISABLED="1")
    assert result.exit_code == 0
    assert '"kept_by": "nobody"' in result.stdout
