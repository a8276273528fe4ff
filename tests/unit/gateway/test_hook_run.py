"""Coding agents' hooks, as the programs that clients start, through a gateway that really listens."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from coordinator.client import Coordinator
from coordinator.gateway.address_file import GatewayAddress, write_address
from coordinator.settings import Settings

PROGRAM = str(Path(sys.executable).with_name("scentfield"))


class Scene:
    """A gateway, and clients whose hooks ask it."""

    def __init__(self, gateway: Any, state_dir: Path) -> None:
        self.gateway = gateway
        self.root: Path = gateway.root
        self.state_dir = state_dir

    def agent(self, name: str) -> Any:
        settings = Settings(data_dir=self.state_dir, space="test", ttl_s=600.0)
        return Coordinator.connect(self.gateway.url, agent=name, root=self.root, settings=settings)

    def hook(self, name: str, *, client: str = "claude-code", session: str = "s1", **fields: Any) -> dict[str, Any]:
        payload = {"session_id": session, "cwd": str(self.root), "hook_event_name": name, **fields}
        return self.raw(json.dumps(payload).encode(), client)

    def raw(self, payload: bytes, client: str = "claude-code") -> dict[str, Any]:
        ran = subprocess.run([PROGRAM, "hook", "run", client], input=payload, capture_output=True, check=False)
        assert ran.returncode == 0, ran.stderr
        told: dict[str, Any] = json.loads(ran.stdout or b"{}")
        return told

    def write(self, path: str, **options: Any) -> dict[str, Any]:
        return self.hook("PreToolUse", tool_name="Write", tool_input={"file_path": str(self.root / path)}, **options)

    def metric(self, name: str) -> float:
        lines = self.gateway.get("/metrics").text.splitlines()
        return next((float(line.split()[-1]) for line in lines if line.startswith(f"{name} ")), 0.0)


def refusal(told: dict[str, Any]) -> str:
    decision = told["hookSpecificOutput"]
    assert decision["permissionDecision"] == "deny"
    return str(decision["permissionDecisionReason"])


@pytest.fixture
def scene(open_gateway: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    gateway = open_gateway()
    state_dir = tmp_path / "state"
    write_address(state_dir, GatewayAddress(gateway.url, "scentfield", False))
    monkeypatch.setenv("SCENTFIELD_DATA_DIR", str(state_dir))
    monkeypatch.setenv("SCENTFIELD_GATEWAY_TOKEN", gateway.premises.token)
    for name in ("SCENTFIELD_AGENT", "SCENTFIELD_SPACE", "SCENTFIELD_NAMESPACE", "CLAUDE_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    return Scene(gateway, state_dir)


def test_the_first_write_claims_and_the_end_of_the_session_gives_it_back(scene: Scene) -> None:
    with scene.agent("ann") as ann:
        assert scene.write("src/a.py") == {}, "silence, so that the client asks its user as ever"
        assert scene.write("src/a.py") == {}
        held = ann.claim("src/a.py")
        assert not held
        assert held.conflicts[0].holder.startswith("claude-code#")
        assert held.conflicts[0].intent == "edit"
        assert len(held.conflicts) == 1, "a second write takes no second claim"
        scene.hook("SessionEnd", reason="exit")
        assert ann.claim("src/a.py")


def test_a_write_over_somebody_elses_claim_is_refused_with_holder_and_next_step(scene: Scene) -> None:
    with scene.agent("ann") as ann:
        ann.claim("src/", intent="split the parser")
        why = refusal(scene.write("src/a.py"))
        assert why.startswith(f"Nothing was written. {ann.agent_id} holds src/")
        assert "to split the parser" in why
        assert "Take other work, or wait until it is free" in why
        scene.write("src/a.py")
        assert scene.metric('scentfield_changes_refused_total{source="hook"}') == 1.0, "asking again does not count"
        patch = "*** Begin Patch\n*** Add File: free.py\n+1\n*** Update File: src/b.py\n@@\n*** End Patch\n"
        told = scene.hook("PreToolUse", client="codex", tool_name="apply_patch", tool_input={"command": patch})
        assert "holds src/" in refusal(told)
        assert ann.claim("free.py"), "of a patch that is refused nothing is claimed"
        gemini = {"tool_name": "replace", "tool_input": {"file_path": str(scene.root / "src/a.py")}}
        assert scene.hook("BeforeTool", client="gemini-cli", **gemini)["decision"] == "deny"


def test_cursor_is_refused_in_its_own_words_and_always_hears_json(scene: Scene) -> None:
    write = {"client": "cursor", "tool_name": "Write", "conversation_id": "c1", "workspace_roots": [str(scene.root)]}
    here = {"tool_input": {"file_path": str(scene.root / "src/a.py")}}
    with scene.agent("bob") as bob:
        bob.claim("src/a.py", intent="rename it")
        told = scene.hook("preToolUse", **write, **here)
        assert told["permission"] == "deny"
        assert f"{bob.agent_id} holds src/a.py" in told["agent_message"]
    payload = {"hook_event_name": "preToolUse", "conversation_id": "c1", "cwd": str(scene.root), **here}
    program = [PROGRAM, "hook", "run", "cursor"]
    given = json.dumps(payload | {"tool_name": "Write"}).encode()
    assert subprocess.run(program, input=given, capture_output=True, check=True).stdout == b"{}\n"


@pytest.mark.parametrize("words", [["nobody"], ["cursor", "--no-such-flag"], []])
def test_a_wrong_command_line_is_a_fault_and_refuses_nothing(words: list[str]) -> None:
    ran = subprocess.run([PROGRAM, "hook", "run", *words], input=b"{}", capture_output=True, check=False)
    assert ran.returncode == 1, "2 is what clients take for a refusal"
    assert ran.stderr


def test_two_sessions_are_two_agents_and_sub_agents_are_children(scene: Scene) -> None:
    assert scene.write("a.py", session="one", agent_id="tester") == {}
    assert scene.write("b.py", session="one") == {}
    assert "/tester#" in refusal(scene.write("a.py", session="one")), "a child at work keeps its parent out"
    assert scene.write("b.py", session="one", agent_id="tester") == {}, "the parent's claim does not keep a child out"
    scene.hook("SubagentStop", session="one", agent_id="tester")
    assert scene.write("a.py", session="one") == {}
    assert "claude-code#" in refusal(scene.write("a.py", session="two")), "also in one process"


def test_what_came_of_edits_is_recorded(scene: Scene) -> None:
    path = str(scene.root / "src" / "a.py")
    edit = {"tool_name": "Edit", "tool_input": {"file_path": path, "old_string": "x", "new_string": "y"}}
    scene.hook("PostToolUse", tool_response={"filePath": path}, **edit)
    scene.hook("PostToolUseFailure", error="String to replace not found in file.", **edit)
    scene.hook("PostToolUseFailure", error="EACCES", **edit)
    with scene.agent("ann") as ann:
        outcomes = ann.efficacy().quality_statistics.outcomes
        assert {(one.extension, one.cause): one.n for one in outcomes} == {
            ("py", "applied"): 1,
            ("py", "never_there"): 1,
        }


def test_a_session_is_told_who_is_at_what(scene: Scene) -> None:
    with scene.agent("ann") as ann:
        ann.claim("src/a.py", intent="tidy up")
        told = scene.hook("SessionStart", source="startup")["hookSpecificOutput"]
        assert "you are claude-code#" in told["additionalContext"]
        assert f"CLAIMED src/a.py by {ann.agent_id}" in told["additionalContext"]


def test_the_strictness_and_the_lack_of_a_coordinator_are_settings(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scene.agent("ann") as ann:
        ann.claim("a.py")
        monkeypatch.setenv("SCENTFIELD_GUARD__STRICTNESS", "warn")
        assert f"{ann.agent_id} holds a.py" in scene.write("a.py")["systemMessage"]
        monkeypatch.setenv("SCENTFIELD_GUARD__STRICTNESS", "observe")
        assert scene.write("a.py") == {}
        monkeypatch.setenv("SCENTFIELD_GUARD__STRICTNESS", "deny")
        monkeypatch.setenv("SCENTFIELD_DISABLED", "1")
        assert scene.write("a.py") == {}
        monkeypatch.delenv("SCENTFIELD_DISABLED")
    write_address(scene.state_dir, GatewayAddress("http://127.0.0.1:9", "scentfield", False))
    assert "nobody could say whether this file is free" in scene.write("a.py")["systemMessage"]
    monkeypatch.setenv("SCENTFIELD_GUARD__WHEN_UNAVAILABLE", "refuse")
    assert "Have `scentfield up` run" in refusal(scene.write("a.py"))


def test_files_elsewhere_and_odd_names_are_no_trouble(scene: Scene, tmp_path: Path) -> None:
    assert scene.write("../outside.py") == {}
    assert scene.write(f"{tmp_path}/else.py") == {}
    for name in ("a b'\"$.py", "-rf", "task:login", "[id].py", "café.py"):
        assert scene.write(name) == {}
        assert "claude-code#" in refusal(scene.write(name, session="other"))


@pytest.mark.parametrize("name", ["src/line\nbreak.py", "src/b\udcffd.py", "src/\x1b[31mred.py"])
def test_names_that_no_claim_can_spell_are_kept_apart_all_the_same(scene: Scene, name: str) -> None:
    with scene.agent("ann") as ann:
        ann.claim("src/")
        assert f"{ann.agent_id} holds" in refusal(scene.write(name)), "a claim of the folder is a claim of it too"
    assert scene.write(name) == {}
    assert "claude-code#" in refusal(scene.write(name, session="other"))
    assert scene.write("src/other.py", session="other") == {}


def test_what_is_no_payload_stops_nobody_and_is_said(scene: Scene) -> None:
    for payload in (b"", b"[]", b"\xff"):
        ran = subprocess.run([PROGRAM, "hook", "run", "codex"], input=payload, capture_output=True, check=False)
        assert (ran.returncode, ran.stdout) == (1, b"")
        assert b"scentfield hook: " in ran.stderr


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"what": "before"}', b'{"what": "x", "client": "c"}', b"\xff"])
def test_reports_that_are_none_are_refused_and_so_is_whoever_has_no_token(scene: Scene, body: bytes) -> None:
    token = {"authorization": f"Bearer {scene.gateway.premises.token}"}
    assert scene.gateway.post("/api/v1/hook", body, **token).status_code == 400
    assert scene.gateway.post("/api/v1/hook", body).status_code == 401
    key = {"what": "start", "client": "a b", "session": "c", "root": str(scene.root)}  # would be that of "a" and "b c"
    assert scene.gateway.post("/api/v1/hook", json.dumps(key).encode(), **token).status_code == 400
    outside = {"what": "before", "client": "c", "session": "s", "root": "/", "paths": ["/etc/passwd"]}
    refused = scene.gateway.post("/api/v1/hook", json.dumps(outside).encode(), **token)
    assert (refused.status_code, "outside of what this gateway serves" in refused.json()["error"]) == (400, True)


@pytest.mark.parametrize("mcp_first", [True, False])
def test_a_client_with_hooks_and_mcp_is_one_agent(scene: Scene, mcp_first: bool) -> None:
    """Both are started by one process here, as by a client there."""
    arguments = ["mcp", "--agent", "claude-code", "--root", str(scene.root)]
    server = StdioServerParameters(command=PROGRAM, args=arguments, env=dict(os.environ))

    async def claim(client: Any, path: str) -> Any:
        return (await client.call_tool("ctx_agent", {"action": "claim", "targets": [path]})).structured_content

    async def story() -> str:
        async with Client(server) as client:
            if mcp_first:
                assert (await claim(client, "mine.py"))["granted"]
            assert await asyncio.to_thread(scene.write, "a.py") == {}
            answer = await claim(client, "a.py")
            assert answer["granted"], "what a hook claimed is the agent's own"
            assert (await claim(client, "mine.py"))["granted"]
            assert await asyncio.to_thread(scene.write, "mine.py") == {}, "what it claimed over MCP is too"
            told = await asyncio.to_thread(scene.hook, "SessionStart")
            assert f"you are {answer['agent']};" in told["hookSpecificOutput"]["additionalContext"]
            await asyncio.to_thread(scene.hook, "SessionEnd")
            assert (await claim(client, "a.py"))["agent"] == answer["agent"], "its connection is still open"
            return str(answer["agent"])

    agent_id = asyncio.run(story())
    with scene.agent("ann") as ann:
        assert ann.claim(["a.py", "mine.py"], wait_s=20.0), "the end of the connection frees both"
        assert all(row.session_id != agent_id for row in ann.sessions().rows)


def test_two_mcp_sessions_of_one_process_stay_two_agents(scene: Scene) -> None:
    server = StdioServerParameters(command=PROGRAM, args=["mcp", "--root", str(scene.root)], env=dict(os.environ))

    async def story() -> tuple[Any, Any]:
        async with Client(server) as one, Client(server) as two:
            asked = {"action": "claim", "targets": ["a.py"]}
            first = (await one.call_tool("ctx_agent", asked)).structured_content
            return first, (await two.call_tool("ctx_agent", asked)).structured_content

    first, second = asyncio.run(story())
    assert (first["granted"], second["granted"]) == (True, False)
    assert first["agent"] != second["agent"]


def test_many_hooks_of_one_session_at_once_are_one_agent(scene: Scene) -> None:
    told: list[dict[str, Any]] = []
    threads = [threading.Thread(target=lambda n=n: told.append(scene.write(f"f{n}.py"))) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
    assert told == [{}] * 6
    with scene.agent("ann") as ann:
        assert sum(row.session_id.startswith("claude-code#") for row in ann.sessions().rows) == 1
