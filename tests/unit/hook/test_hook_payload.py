"""Payloads as each client's schema has them, and what is answered.

Written by the schemas that docs/hooks.md names with source and date; none was taken from a running client.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from actors.runtime.errors import Misuse
from coordinator.hook.main import hook_flags_of
from coordinator.hook.payload import MAX_PATHS, HookEvent, event_of
from coordinator.hook.reply import reply
from coordinator.relay.line_settings import Flags

CLAUDE = {
    "session_id": "8c35adc1",
    "transcript_path": "/home/x/.claude/projects/p/8c35adc1.jsonl",
    "cwd": "/srv/tree",
    "permission_mode": "default",
    "tool_use_id": "toolu_01",
}
CODEX = {**CLAUDE, "model": "m", "turn_id": "t1"}
GEMINI = {
    "session_id": "8c35adc1",
    "transcript_path": "/t.json",
    "cwd": "/srv/tree",
    "timestamp": "2026-11-30T00:00:00Z",
}
CURSOR = {
    "conversation_id": "8c35adc1",
    "generation_id": "g1",
    "model": "m",
    "cursor_version": "2.3.0",
    "workspace_roots": ["/srv/tree"],
    "user_email": None,
    "transcript_path": None,
    "tool_use_id": "abc123",
}
PATCH = """*** Begin Patch
*** Add File: new file.py
+x
*** Update File: old.py
*** Move to: moved.py
@@
-*** Update File: a line of the text.py
+b
*** Delete File: gone.py
*** End Patch
"""


def event(client: str, **fields: Any) -> HookEvent:
    base = {"claude-code": CLAUDE, "codex": CODEX, "gemini-cli": GEMINI, "cursor": CURSOR}[client]
    return event_of(client, json.dumps({**base, **fields}).encode())


@pytest.mark.parametrize(
    ("client", "name", "tool", "given", "paths"),
    [
        ("claude-code", "PreToolUse", "Write", {"file_path": "/srv/tree/a.py", "content": "x"}, ("/srv/tree/a.py",)),
        ("claude-code", "PreToolUse", "Edit", {"file_path": "/a", "old_string": "x", "new_string": "y"}, ("/a",)),
        ("claude-code", "PreToolUse", "NotebookEdit", {"notebook_path": "/n.ipynb", "new_source": ""}, ("/n.ipynb",)),
        ("claude-code", "PreToolUse", "Bash", {"command": "echo > a"}, ()),
        ("claude-code", "PreToolUse", "mcp__scentfield__ctx_edit", {"path": "a"}, ()),
        ("gemini-cli", "BeforeTool", "write_file", {"file_path": "a.py", "content": "x"}, ("a.py",)),
        ("gemini-cli", "BeforeTool", "replace", {"file_path": "/a", "old_string": "", "new_string": "y"}, ("/a",)),
        ("gemini-cli", "BeforeTool", "run_shell_command", {"command": "ls"}, ()),
        ("codex", "PreToolUse", "apply_patch", {"command": PATCH}, ("new file.py", "old.py", "moved.py", "gone.py")),
        ("codex", "PreToolUse", "Bash", {"command": "ls"}, ()),
        ("cursor", "preToolUse", "Write", {"file_path": "/srv/tree/a.py", "content": "x"}, ("/srv/tree/a.py",)),
        ("cursor", "preToolUse", "Delete", {"path": "/srv/tree/a.py"}, ("/srv/tree/a.py",)),
        ("cursor", "preToolUse", "Shell", {"command": "ls", "working_directory": "/srv"}, ()),
    ],
)
def test_a_write_names_its_files(client: str, name: str, tool: str, given: Any, paths: tuple[str, ...]) -> None:
    told = event(client, hook_event_name=name, tool_name=tool, tool_input=given)
    assert (told.what, told.session, told.cwd, told.paths) == ("before", "8c35adc1", "/srv/tree", paths)


def test_what_came_of_a_write_is_told_by_its_error() -> None:
    edit = {"tool_name": "Edit", "tool_input": {"file_path": "/a"}}
    done = event("claude-code", hook_event_name="PostToolUse", tool_response={"filePath": "/a"}, **edit)
    assert (done.what, done.cause) == ("after", "")
    for error, cause in (
        ("String to replace not found in file.", "never_there"),
        ("Found 3 matches of the string to replace", "ambiguous"),
        ("EACCES: permission denied", ""),
    ):
        failed = event("claude-code", hook_event_name="PostToolUseFailure", error=error, **edit)
        assert (failed.what, failed.cause) == ("failed", cause)
    replace = {"tool_name": "replace", "tool_input": {"file_path": "/a"}}
    response = {"llmContent": "", "returnDisplay": "", "error": {"message": "Failed to edit, 0 occurrences found"}}
    told = event("gemini-cli", hook_event_name="AfterTool", tool_response=response, **replace)
    assert (told.what, told.cause) == ("failed", "never_there")
    write = {"hook_event_name": "postToolUseFailure", "tool_name": "Write", "tool_input": {"file_path": "/a"}}
    failed = event("cursor", **write, error_message="String not found in file", failure_type="error")
    assert (failed.what, failed.cause) == ("failed", "never_there")
    refused = event("cursor", **write, error_message="the claim was not found", failure_type="permission_denied")
    assert (refused.what, refused.cause) == ("failed", ""), "what was never tried says nothing of what its agent knew"


def test_cursor_names_its_conversation_and_folders_in_its_own_way() -> None:
    start = event("cursor", hook_event_name="sessionStart", session_id="other", composer_mode="agent")
    assert (start.what, start.session, start.cwd) == ("start", "other", "/srv/tree")
    for roots in ([], None, "/srv", [5], {}):
        assert event("cursor", hook_event_name="sessionEnd", workspace_roots=roots).cwd == ""
    write = {"hook_event_name": "preToolUse", "tool_name": "Write", "tool_input": {"file_path": "/a"}}
    assert event("cursor", cwd="/srv/tree/src", **write).cwd == "/srv/tree/src"
    assert event("cursor", hook_event_name="beforeShellExecution", command="rm a").what == "other"


def test_sessions_begin_and_end_and_so_do_sub_agents() -> None:
    assert event("claude-code", hook_event_name="SessionStart", source="startup").what == "start"
    assert event("claude-code", hook_event_name="SessionEnd", reason="exit").what == "end"
    sub = event("claude-code", hook_event_name="SubagentStop", agent_id="a7", agent_type="tester")
    assert (sub.what, sub.sub_agent) == ("sub_end", "a7")
    assert event("gemini-cli", hook_event_name="SessionEnd", reason="exit").what == "end"
    assert event("codex", hook_event_name="Stop").what == "other"


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[]", b"5", b'{"session_id": "x"}', b'{"hook_event_name": 5}', b"[" * 99_999, b"\xff"]
)
def test_what_is_no_payload_is_said_to_be_none(raw: bytes) -> None:
    with pytest.raises(Misuse, match=r"JSON|hook_event_name"):
        event_of("claude-code", raw)


@pytest.mark.parametrize("given", [None, "text", [], {}, {"file_path": 5}, {"file_path": ""}, {"file_path": ["a"]}])
def test_arguments_of_another_shape_name_no_file(given: Any) -> None:
    assert event("claude-code", hook_event_name="PreToolUse", tool_name="Write", tool_input=given).paths == ()


def test_a_patch_of_very_many_files_is_refused() -> None:
    patch = "".join(f"*** Add File: f{number}\n" for number in range(MAX_PATHS + 1))
    with pytest.raises(Misuse, match="a patch of 257 files"):
        event("codex", hook_event_name="PreToolUse", tool_name="apply_patch", tool_input={"command": patch})


def test_each_client_is_answered_in_its_own_words() -> None:
    before = event("claude-code", hook_event_name="PreToolUse", tool_name="Write", tool_input={"file_path": "/a"})
    refusal = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}
    for client in ("claude-code", "codex"):
        assert reply(client, before, is_refused=True, text="no") == {"hookSpecificOutput": refusal}
    assert reply("gemini-cli", before, is_refused=True, text="no") == {"decision": "deny", "reason": "no"}
    told = {"permission": "deny", "user_message": "scentfield: no", "agent_message": "no"}
    assert reply("cursor", before, is_refused=True, text="no") == told
    assert reply("cursor", before, is_refused=False, text="so") == {"user_message": "scentfield: so"}
    assert reply("cursor", event("cursor", hook_event_name="sessionStart"), is_refused=False, text="you are") == {
        "additional_context": "you are"
    }
    assert reply("claude-code", before, is_refused=False, text="") == {}, "silence: the client asks its user as ever"
    assert reply("claude-code", before, is_refused=False, text="so") == {"systemMessage": "scentfield: so"}
    start = event("claude-code", hook_event_name="SessionStart")
    context = {"hookEventName": "SessionStart", "additionalContext": "you are"}
    assert reply("claude-code", start, is_refused=False, text="you are") == {"hookSpecificOutput": context}


def test_command_lines_that_a_client_calls_are_read_at_once() -> None:
    assert hook_flags_of(["--data-dir", "/x", "--agent=ann", "codex"]) == ("codex", Flags(agent="ann", data_dir="/x"))
    for other in ([], ["nobody"], ["codex", "more"], ["--help"], ["--agent"]):
        assert hook_flags_of(other) is None


def test_what_a_client_waits_for_loads_nothing_that_is_slow() -> None:
    slow = ("ray", "pydantic", "numpy", "sqlalchemy", "mcp", "typer", "asyncio", "starlette", "tempfile", "ctypes")
    slow += ("psutil", "platformdirs") if sys.platform == "linux" else ()
    code = f"import coordinator.hook.main, sys; print([one for one in {slow} if one in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert said.stdout.strip() == "[]"
