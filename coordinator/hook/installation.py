"""Hooks in a client's settings file: put in, taken out, everything else left as it is. Pure.

The file is written in the style that it has: where its text follows from what it means (an indentation, with or without
an end of line), the rest of it stays byte for byte.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from actors.runtime.errors import Misuse
from coordinator.hook.payload import EVENTS, WRITERS

_WAIT_S: Final = 15
_BY_HAND: Final = "edit it by hand, see --print"


@dataclass(frozen=True, slots=True)
class HookFile:
    """Where a client keeps its hooks below a tree, which events are about tools, and how many units a second has.

    `is_flat` says that an event's list holds the commands themselves, not groups of them; `version` is what a file of
    our own begins with, where the client wants one.
    """

    path: str
    tool_events: tuple[str, ...]
    units_a_second: int = 1
    is_flat: bool = False
    version: int = 0

    @property
    def beginning(self) -> dict[str, Any]:
        """What stands in a file that holds nothing else."""
        return {"version": self.version} if self.version else {}


FILES: Final[dict[str, HookFile]] = {
    # The personal one of the two: the program's path is of this machine.
    "claude-code": HookFile(".claude/settings.local.json", ("PreToolUse", "PostToolUse", "PostToolUseFailure")),
    "codex": HookFile(".codex/hooks.json", ("PreToolUse", "PostToolUse")),
    "gemini-cli": HookFile(".gemini/settings.json", ("BeforeTool", "AfterTool"), 1_000),
    "cursor": HookFile(
        ".cursor/hooks.json", ("preToolUse", "postToolUse", "postToolUseFailure"), is_flat=True, version=1
    ),
}


def path_of(client: str, root: Path) -> Path:
    """The client's file for a tree."""
    return root / FILES[client].path


def with_hooks(text: str, client: str, command: tuple[str, ...]) -> str:
    """The file with our hooks, in place of those that are there. Raises `Misuse` for one that cannot be kept so."""
    document, written = _parsed(text)
    document = document or FILES[client].beginning
    hooks = _without(_hooks(document), client)
    for event in EVENTS[client]:
        hooks[event] = [*hooks.get(event, []), _group(client, event, command)]
    return written(document | {"hooks": hooks})


def without_hooks(text: str, client: str) -> str:
    """The file without them; empty if nothing is left. Raises as `with_hooks` does."""
    if not text.strip():
        return text
    document, written = _parsed(text)
    if not has_hooks(text, client):
        return text
    hooks = _without(_hooks(document), client)
    rest = document | {"hooks": hooks} if hooks else {key: one for key, one in document.items() if key != "hooks"}
    return written(rest) if rest != FILES[client].beginning else ""


def has_hooks(text: str, client: str) -> bool:
    """Whether any of them is there. Raises `Misuse` for a file that is no JSON object."""
    hooks = _hooks(_parsed(text)[0]) if text.strip() else {}
    return any(_is_ours(one, client) for groups in hooks.values() for group in groups for one in _entries(group))


def _group(client: str, event: str, command: tuple[str, ...]) -> dict[str, Any]:
    file = FILES[client]
    entry = {"type": "command", "command": shlex.join((*command, client)), "timeout": _WAIT_S * file.units_a_second}
    matcher = {"matcher": "|".join(WRITERS[client])} if event in file.tool_events else {}
    return {**matcher, **entry} if file.is_flat else {**matcher, "hooks": [entry]}


def _without(hooks: dict[str, list[Any]], client: str) -> dict[str, list[Any]]:
    """All events with what is not ours; groups and events that held nothing else are gone."""
    kept: dict[str, list[Any]] = {}
    for event, groups in hooks.items():
        rest = [left for group in groups if (left := _group_without(group, client)) is not None]
        if rest or not groups:
            kept[event] = rest
    return kept


def _group_without(group: Any, client: str) -> Any | None:
    entries = _entries(group)
    rest = [one for one in entries if not _is_ours(one, client)]
    if len(rest) == len(entries):
        return group
    return {**group, "hooks": rest} if rest else None


def _entries(group: Any) -> list[Any]:
    """The commands of a group; a command that stands for itself is a group of one."""
    if not isinstance(group, dict):
        return []
    entries = group.get("hooks", [group])
    return entries if isinstance(entries, list) else []


def _is_ours(entry: Any, client: str) -> bool:
    command = entry.get("command") if isinstance(entry, dict) else None
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:  # quotes that do not match
        return False
    return (
        len(words) > 3 and Path(words[0]).name == "scentfield" and words[1:3] == ["hook", "run"] and words[-1] == client
    )


def _hooks(document: dict[str, Any]) -> dict[str, list[Any]]:
    hooks = document.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(groups, list) for groups in hooks.values()):
        raise Misuse(f"'hooks' in it is not an object of lists: {_BY_HAND}")
    return hooks


def _parsed(text: str) -> tuple[dict[str, Any], Callable[[dict[str, Any]], str]]:
    """What the file means, and how it is written."""
    if not text.strip():
        return {}, _style("  ", ascii_only=False, end="\n")
    try:
        document = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise Misuse(f"it is no plain JSON ({error}), perhaps for its comments: {_BY_HAND}") from error
    if not isinstance(document, dict):
        raise Misuse(f"it holds no JSON object: {_BY_HAND}")
    return document, _own_style(text, document)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raise `ValueError` for a name that stands twice: only one of the two would be kept."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _own_style(text: str, document: dict[str, Any]) -> Callable[[dict[str, Any]], str]:
    """The style in which this text comes from its document; two spaces where there is none."""
    indents = {found.group(1) for found in [re.search(r"\n([ \t]+)", text)] if found} or {"  "}
    end = text[len(text.rstrip()) :]
    styles = [_style(indent, ascii_only=only, end=end) for indent in indents for only in (False, True)]
    return next((style for style in styles if style(document) == text), _style("  ", ascii_only=False, end="\n"))


def _style(indent: str, *, ascii_only: bool, end: str) -> Callable[[dict[str, Any]], str]:
    return lambda document: json.dumps(document, indent=indent, ensure_ascii=ascii_only) + end
