"""Entries and blocks in files that are somebody else's."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from actors.runtime.errors import Misuse
from coordinator.client_config.client import CLIENTS, GUIDE, Start, changes
from coordinator.client_config.json_entry import with_entry, without_entry
from coordinator.client_config.marked_block import Marks
from coordinator.client_config.program import own_program, short_program
from coordinator.gateway.tool.agent import MAX_WAIT_S

MARKS = Marks("# begin", "# end")


def test_an_entry_is_put_beside_others_and_taken_out_again() -> None:
    before = '{"servers": {"other": {"command": "x"}}, "keep": "größe"}'
    after = with_entry(before, "servers", "ours", {"command": "y"})
    assert json.loads(after) == {"servers": {"other": {"command": "x"}, "ours": {"command": "y"}}, "keep": "größe"}
    assert "größe" in after
    assert json.loads(without_entry(after, "servers", "ours")) == json.loads(before)


def test_an_entry_of_our_own_is_replaced() -> None:
    first = with_entry("", "servers", "ours", {"command": "old"})
    assert json.loads(with_entry(first, "servers", "ours", {"command": "new"})) == {
        "servers": {"ours": {"command": "new"}}
    }


def test_a_file_that_held_nothing_else_is_empty_again() -> None:
    assert without_entry(with_entry("", "servers", "ours", {}), "servers", "ours") == ""


def test_a_file_without_the_entry_stays_byte_for_byte() -> None:
    for text in ('{ "a" : 1 }', '{"servers": []}', "{}"):
        assert without_entry(text, "servers", "ours") == text


@pytest.mark.parametrize("text", ["{ // a comment\n}", "[1]", '{"servers": 5}', "{broken"])
def test_what_is_no_plain_object_is_refused(text: str) -> None:
    with pytest.raises(Misuse, match="by hand, see --print"):
        with_entry(text, "servers", "ours", {})


def test_a_block_is_put_at_the_end_replaced_in_its_place_and_taken_out() -> None:
    first = MARKS.put("above\n", "one")
    assert first == "above\n\n# begin\none\n# end\n"
    second = MARKS.put(first + "below\n", "two")
    assert second == "above\n\n# begin\ntwo\n# end\nbelow\n"
    assert MARKS.take(second) == "above\nbelow\n"
    assert MARKS.take(MARKS.put("", "one")) == ""
    assert MARKS.take("above\n") == "above\n"
    assert MARKS.put("no newline", "one") == "no newline\n\n# begin\none\n# end\n"


@pytest.mark.parametrize("text", ["# begin\n", "# end\n", "# end\n# begin\n", "# begin\n# end\n# begin\n# end\n"])
def test_marks_that_do_not_match_are_left_alone(text: str) -> None:
    for change in (MARKS.take, lambda one: MARKS.put(one, "x")):
        with pytest.raises(Misuse, match="do not match"):
            change(text)


@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_is_told_which_command_to_start(client: str, tmp_path: Path) -> None:
    settings, guide = changes(
        client, tmp_path / "root", tmp_path / "home", Start('C:\\a "b"/scentfield', ("mcp", "--data-dir", 'a "b"'))
    )
    text = settings.put("")
    document = tomllib.loads(text) if settings.path.suffix == ".toml" else json.loads(text)
    (section,) = document.values()
    assert section["scentfield"]["command"] == 'C:\\a "b"/scentfield'
    assert section["scentfield"]["args"][:3] == ["mcp", "--data-dir", 'a "b"']
    assert settings.take(text) == ""
    assert GUIDE in guide.put("# A project\n")
    assert guide.take(guide.put("# A project\n")) == "# A project\n"


def test_codex_is_configured_where_it_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "elsewhere"))
    settings, _ = changes("codex", tmp_path / "root", tmp_path / "home", Start("scentfield"))
    assert settings.path == tmp_path / "elsewhere" / "config.toml"
    monkeypatch.delenv("CODEX_HOME")
    settings, _ = changes("codex", tmp_path / "root", tmp_path / "home", Start("scentfield"))
    assert settings.path == tmp_path / "home" / ".codex" / "config.toml"
    entry = tomllib.loads(settings.put(""))["mcp_servers"]["scentfield"]
    assert entry["tool_timeout_sec"] > MAX_WAIT_S, "by itself Codex waits for 60 s only"


def test_a_plain_name_is_written_only_where_no_active_environment_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, outside = tmp_path / "venv" / "bin", tmp_path / "bin"
    for folder in (inside, outside):
        folder.mkdir(parents=True)
    (inside / "scentfield").write_text("#!/bin/sh\n")
    (inside / "scentfield").chmod(0o755)
    monkeypatch.setattr("sys.prefix", str(tmp_path / "venv"))
    monkeypatch.setattr("sys.argv", [str(inside / "scentfield")])
    monkeypatch.setenv("PATH", f"{inside}:{outside}")
    assert short_program() == str(inside / "scentfield"), "found in the active environment only"
    (outside / "scentfield").symlink_to(inside / "scentfield")
    assert short_program() == "scentfield", "as pipx and uv install it"
    (outside / "scentfield").unlink()
    (outside / "scentfield").write_text("#!/bin/sh\n")
    (outside / "scentfield").chmod(0o755)
    assert short_program() == str(inside / "scentfield"), "that is another program"
    assert own_program() == str(inside / "scentfield")
