"""The clients that can be told, where each keeps its configuration, and what is written there."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from coordinator.client_config.json_entry import with_entry, without_entry
from coordinator.client_config.marked_block import Marks

NAME: Final = "scentfield"
_TOML: Final = Marks("# scentfield: begin", "# scentfield: end")
_MARKDOWN: Final = Marks("<!-- scentfield: begin -->", "<!-- scentfield: end -->")
_TOOL_TIMEOUT_S: Final = 660
"""Longer than a claim may wait (600 s): without it Codex gives each call up after 60 s."""
GUIDE: Final = """\
## Other agents work here too

Use the `scentfield` tools. Before you change files, claim them: `ctx_agent` with `action: claim`, `targets`, and an
`intent`. If it is NOT GRANTED, take other work or wait with `wait_s`. Read with `ctx_read`, change with `ctx_edit`, and
release what is done (`done: true`). `ctx_agent` with `action: sync` shows who does what.
"""


@dataclass(frozen=True, slots=True)
class Change:
    """One file: where it is, and what becomes of its text when the client is connected, or is not any more."""

    path: Path
    put: Callable[[str], str]
    take: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Start:
    """What a client starts: a program, and its arguments."""

    command: str
    arguments: tuple[str, ...] = ("mcp",)

    def entry(self, *more: str) -> dict[str, Any]:
        """The same as most clients want it, with more arguments of their own."""
        return {"command": self.command, "args": [*self.arguments, *more]}


def changes(client: str, root: Path, home: Path, start: Start) -> list[Change]:
    """The files of a client for the tree at `root`. Raises `KeyError` for one that is not in `CLIENTS`."""
    return [CLIENTS[client](root, home, start), _guide(root / GUIDES.get(client, "AGENTS.md"))]


def _guide(path: Path) -> Change:
    return Change(path, lambda text: _MARKDOWN.put(text, GUIDE), _MARKDOWN.take)


def _json(path: Path, section: str, entry: dict[str, Any]) -> Change:
    return Change(
        path,
        lambda text: with_entry(text, section, NAME, entry),
        lambda text: without_entry(text, section, NAME),
    )


def _claude_code(root: Path, _home: Path, start: Start) -> Change:
    return _json(root / ".mcp.json", "mcpServers", start.entry())


def _cursor(root: Path, _home: Path, start: Start) -> Change:
    return _json(root / ".cursor" / "mcp.json", "mcpServers", start.entry("--root", "${workspaceFolder}"))


def _vs_code(root: Path, _home: Path, start: Start) -> Change:
    entry = {"type": "stdio", **start.entry("--root", "${workspaceFolder}")}
    return _json(root / ".vscode" / "mcp.json", "servers", entry)


def _codex(_root: Path, home: Path, start: Start) -> Change:
    folder = Path(os.environ.get("CODEX_HOME") or home / ".codex")
    # A JSON string is a basic string of TOML too, and a list of them a list.
    entry = start.entry() | {"tool_timeout_sec": _TOOL_TIMEOUT_S}
    block = f"[mcp_servers.{NAME}]\n" + "\n".join(f"{key} = {json.dumps(one)}" for key, one in entry.items())
    return Change(folder / "config.toml", lambda text: _TOML.put(text, block), _TOML.take)


CLIENTS: Final[dict[str, Callable[[Path, Path, Start], Change]]] = {
    "claude-code": _claude_code,
    "cursor": _cursor,
    "codex": _codex,
    "vscode": _vs_code,
}
GUIDES: Final = {"claude-code": "CLAUDE.md"}
"""The file that a client reads its instructions from, where that is not AGENTS.md."""
