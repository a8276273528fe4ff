"""`scentfield hook` from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from coordinator.hook.installation import FILES


@pytest.mark.parametrize("client", FILES)
def test_hooks_are_installed_shown_and_taken_out(alone: Any, tree: Path, client: str) -> None:
    path = tree / FILES[client].path
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"mine": [1,2]}')
    done = alone.json("hook", "install", client)
    assert done == {"client": client, "installed": True, "file": str(path)}
    assert json.loads(path.read_text())["mine"] == [1, 2]
    assert alone.json("hook")["hooks"] == {one: one == client for one in FILES}
    assert str(path) in alone("hook", "status").stdout
    alone.json("hook", "uninstall", client)
    assert json.loads(path.read_text()) == {"mine": [1, 2]}
    assert not any(alone.json("hook")["hooks"].values())


def test_a_file_of_our_own_is_removed_and_printing_writes_nothing(alone: Any, tree: Path) -> None:
    path = tree / ".claude" / "settings.local.json"
    assert "PreToolUse" in alone("hook", "install", "claude-code", "--print").stdout
    assert not path.exists()
    alone.json("hook", "install", "claude-code")
    command = json.loads(path.read_text())["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    assert Path(command.split(" hook run ")[0].strip("'")).is_absolute()
    alone.json("hook", "uninstall", "claude-code")
    assert not path.exists()


def test_a_file_that_cannot_be_kept_stays_byte_for_byte(alone: Any, tree: Path) -> None:
    path = tree / ".codex" / "hooks.json"
    path.parent.mkdir()
    path.write_text("{ // mine\n}")
    for verb in ("install", "uninstall"):
        refused = alone.json("hook", verb, "codex", expect=2)
        assert f"{path} stays as it is" in refused["error"]["message"]
    assert path.read_text() == "{ // mine\n}"
    assert "use one of claude-code" in alone.json("hook", "install", "nobody", expect=2)["error"]["message"]
