"""`scentfield connect`, in a tree of its own and another home."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    return folder


def test_a_client_is_told_and_forgets_again(alone: Any, tree: Path) -> None:
    (tree / ".mcp.json").write_text('{"mcpServers": {"other": {"command": "x"}}}')
    told = alone.json("connect", "claude-code")
    assert told["files"] == [str(tree / ".mcp.json"), str(tree / "CLAUDE.md")]
    assert set(json.loads((tree / ".mcp.json").read_text())["mcpServers"]) == {"other", "scentfield"}
    assert "ctx_agent" in (tree / "CLAUDE.md").read_text()
    assert alone.json("connect", "claude-code") == told, "twice is as good as once"
    alone.json("connect", "claude-code", "--undo")
    assert json.loads((tree / ".mcp.json").read_text()) == {"mcpServers": {"other": {"command": "x"}}}
    assert not (tree / "CLAUDE.md").exists()


def test_folders_that_are_missing_are_made(alone: Any, tree: Path, home: Path) -> None:
    for client, path in (
        ("cursor", tree / ".cursor" / "mcp.json"),
        ("vscode", tree / ".vscode" / "mcp.json"),
        ("codex", home / ".codex" / "config.toml"),
    ):
        assert str(path) in alone.json("connect", client)["files"]
        assert "scentfield" in path.read_text()


def test_print_writes_nothing(alone: Any, tree: Path) -> None:
    before = sorted(path.name for path in tree.iterdir())
    shown = alone("connect", "cursor", "--print").stdout
    assert '"mcpServers"' in shown
    assert "Other agents work here too" in shown
    assert sorted(path.name for path in tree.iterdir()) == before


def test_a_file_that_cannot_be_kept_as_it_is_stays_and_so_do_the_others(alone: Any, tree: Path) -> None:
    (tree / ".mcp.json").write_text("{ // mine\n}")
    refused = alone.json("connect", "claude-code", expect=2)
    assert str(tree / ".mcp.json") in refused["error"]["message"]
    assert (tree / ".mcp.json").read_text() == "{ // mine\n}"
    assert not (tree / "CLAUDE.md").exists()


def test_an_unknown_client_is_refused_with_those_that_are_known(alone: Any) -> None:
    refused = alone.json("connect", "nobody", expect=2)
    assert "use one of claude-code, cursor, codex, vscode" in refused["error"]["message"]


def test_a_client_is_told_where_the_coordinator_is_if_only_this_call_knows(
    alone: Any, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def arguments(*flags: str) -> list[str]:
        alone.json("connect", "claude-code", *flags)
        told: list[str] = json.loads((tree / ".mcp.json").read_text())["mcpServers"]["scentfield"]["args"]
        return told

    by_flag = ["--data-dir", str(tmp_path / "state")]  # as in every call of these tests
    monkeypatch.delenv("SCENTFIELD_NAMESPACE", raising=False)
    monkeypatch.setenv("SCENTFIELD_AGENT", "ann")
    (tree / "scentfield.toml").write_text("namespace = 'filed'\n")
    assert arguments() == ["mcp", *by_flag], "the client finds the file too, and is not who works in this shell"
    monkeypatch.setenv("SCENTFIELD_NAMESPACE", "other")
    assert arguments("--agent", "bob") == ["mcp", "--namespace", "other", *by_flag, "--agent", "bob"]
