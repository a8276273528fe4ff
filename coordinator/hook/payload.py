"""What clients tell their hooks, as one event. Pure; which schema each follows, and as of when, is in docs/hooks.md.

Only tools that write files by name are looked at. What a shell command writes cannot be known before it runs.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from actors.runtime.errors import Misuse

MAX_PATHS: Final = 256
_MAX_CHARS: Final = 4_096
_PATCHED: Final = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.MULTILINE)
_NEVER_THERE: Final = re.compile(r"not found|0 occurrences|no match|failed to find", re.IGNORECASE)
_AMBIGUOUS: Final = re.compile(r"more than one|multiple|found [2-9]\d* (?:matches|occurrences)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HookEvent:
    """`what` is `before`, `after`, `failed`, `start`, `end`, `sub_end`, or `other`, about which nothing is to be done.

    `cause` says why an edit failed, if that says anything about what its agent knew of the file; `given_name` is what
    the client itself calls the event.
    """

    what: str
    session: str
    cwd: str
    given_name: str
    paths: tuple[str, ...] = ()
    sub_agent: str = ""
    cause: str = ""


def event_of(client: str, raw: bytes) -> HookEvent:
    """The event that a payload tells of. Raises `Misuse` for what is no payload of a hook."""
    try:
        payload = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise Misuse(f"what came on standard input is no JSON ({type(error).__name__}): a client calls this") from error
    if not isinstance(payload, dict):
        raise Misuse("what came on standard input is no JSON object: a client calls this")
    name = _text(payload, "hook_event_name")
    session = _text(payload, "session_id") or _text(payload, "conversation_id")
    if not name or not session:
        raise Misuse("the payload has no hook_event_name or session_id: docs/hooks.md names the schema")
    what = _EVENTS[client].get(name, "other")
    tool, given = _text(payload, "tool_name"), payload.get("tool_input")
    paths = _paths(client, tool, given) if what in ("before", "after", "failed") else ()
    if what == "after" and _error(payload):
        what = "failed"
    cause = _cause(_error(payload)) if what == "failed" else ""
    return HookEvent(what, session, _folder(payload), name, paths, _text(payload, "agent_id"), cause)


def _text(payload: dict[str, Any], name: str) -> str:
    value = payload.get(name)
    return value[:_MAX_CHARS] if isinstance(value, str) else ""


def _folder(payload: dict[str, Any]) -> str:
    """Where the agent works: its folder, else the first of its client's."""
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else ""
    return _text(payload, "cwd") or (first[:_MAX_CHARS] if isinstance(first, str) else "")


def _paths(client: str, tool: str, given: Any) -> tuple[str, ...]:
    """The files that a tool is about to write; none for a tool that writes none by name."""
    if not isinstance(given, dict):
        return ()
    field = WRITERS[client].get(tool)
    if field is None:
        return ()
    value = given.get(field) or (given.get("path") if client == "cursor" else None)  # either, as neither is published
    if not isinstance(value, str) or not value:
        return ()
    found = _PATCHED.findall(value) if tool == PATCH_TOOL else [value]
    if len(found) > MAX_PATHS:
        raise Misuse(f"a patch of {len(found)} files is over the limit of {MAX_PATHS}: make it in parts")
    return tuple(dict.fromkeys(found))


def _error(payload: dict[str, Any]) -> str:
    """What went wrong, by the client's own words; empty if nothing did."""
    response = payload.get("tool_response")
    told = response.get("error") if isinstance(response, dict) else None
    failed = payload.get("error_message") if payload.get("failure_type") == "error" else None
    for value in (payload.get("error"), told, failed):
        if value:
            return value if isinstance(value, str) else json.dumps(value)
    return ""


def _cause(error: str) -> str:
    if _AMBIGUOUS.search(error):
        return "ambiguous"
    return "never_there" if _NEVER_THERE.search(error) else ""


PATCH_TOOL: Final = "apply_patch"
WRITERS: Final[dict[str, dict[str, str]]] = {
    "claude-code": {
        "Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"
    },
    "codex": {PATCH_TOOL: "command"},
    "gemini-cli": {"write_file": "file_path", "replace": "file_path"},
    "cursor": {"Write": "file_path", "Delete": "file_path"},
}  # fmt: skip
"""The tools of each client that write files, and which argument names the file, or holds a patch that does."""
_EVENTS: Final[dict[str, dict[str, str]]] = {
    "claude-code": {
        "PreToolUse": "before", "PostToolUse": "after", "PostToolUseFailure": "failed",
        "SessionStart": "start", "SessionEnd": "end", "SubagentStop": "sub_end",
    },
    "codex": {"PreToolUse": "before", "PostToolUse": "after", "SessionStart": "start"},
    "gemini-cli": {"BeforeTool": "before", "AfterTool": "after", "SessionStart": "start", "SessionEnd": "end"},
    "cursor": {
        "preToolUse": "before", "postToolUse": "after", "postToolUseFailure": "failed",
        "sessionStart": "start", "sessionEnd": "end",
    },
}  # fmt: skip
EVENTS: Final = {client: tuple(events) for client, events in _EVENTS.items()}
"""The events that each client is asked to tell of, by its own names."""
