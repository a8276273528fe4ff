"""`scentfield guard` from the command line."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def repository(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in (("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")):
        monkeypatch.setenv(name, value)
    subprocess.run(["git", "init", "-q", str(tree)], check=True)
    return tree


def test_the_guard_is_installed_shown_and_taken_out(alone: Any, tree: Path) -> None:
    hooks = tree / ".git" / "hooks"
    done = alone.json("guard", "install")
    assert done["hooks"] == {"pre-commit": "written", "pre-push": "written"}
    shown = alone.json("guard")
    assert all(one["is_guarded"] for one in shown["hooks"].values())
    assert (shown["strictness"], shown["when_unavailable"]) == ("space", "warn")
    assert "guarded" in alone("guard", "status").stdout
    assert alone.json("guard", "uninstall")["hooks"] == {"pre-commit": "removed", "pre-push": "removed"}
    assert not (hooks / "pre-commit").exists()


def test_the_program_in_a_hook_is_a_path(alone: Any, tree: Path) -> None:
    alone.json("guard", "install", "--agent", "ann")
    text = (tree / ".git" / "hooks" / "pre-push").read_text()
    line = next(one for one in text.splitlines() if one.startswith("if [ -x "))
    assert Path(line.removeprefix("if [ -x ").removesuffix(" ]; then").strip("'")).is_absolute()
    assert re.search(r"guard check .*--agent ann .*pre-push \"\$@\"", text)


def test_nothing_staged_is_in_nobodys_way(alone: Any) -> None:
    assert alone("guard", "check").stdout == "nothing is in the way\n"
    assert alone.json("guard", "check")["verdict"] == "clear"
    refused = alone.json("guard", "check", "post-commit", expect=2)
    assert "use one of pre-commit, pre-push" in refused["error"]["message"]


def test_without_a_coordinator_a_check_says_so(alone: Any, tree: Path) -> None:
    (tree / "new.py").write_text("1\n")
    subprocess.run(["git", "add", "-A"], cwd=tree, check=True)
    said = alone.json("guard", "check")
    assert (said["verdict"], said["refused"]) == ("unavailable", False)
    (tree / "scentfield.toml").write_text("[guard]\nwhen_unavailable = 'refuse'\n")
    assert alone.json("guard", "check", expect=4)["refused"]


def test_outside_of_a_repository_nothing_is_installed(alone: Any, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    refused = alone.json("guard", "install", "--root", str(outside), expect=2)
    assert "in no work tree of git" in refused["error"]["message"]
