"""Clients that others wrote: the Inspector's command line, the TypeScript SDK's client, and the conformance suite.

They are Node programs, pinned in tests/node; `make test` installs them where npm is there.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from coordinator.aio import AsyncCoordinator
from coordinator.gateway.address_file import GatewayAddress, write_address
from coordinator.gateway.mcp_server import TOOLS
from coordinator.gateway.resource import SYNC_URI
from coordinator.gateway.tool.tool import Answer, Report, Tool, ToolInput, output_schema

NODE_FOLDER = Path(__file__).parents[2] / "node"
MODULES = NODE_FOLDER / "node_modules" / "@modelcontextprotocol"
OLDEST_NODE = (20, 18)
WAIT_S = 100.0


@pytest.fixture(scope="module")
def node() -> str:
    """The program that runs the clients; skips the test where it or they are missing."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("missing system package: nodejs")
    told = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=WAIT_S, check=True).stdout
    if tuple(map(int, re.findall(r"\d+", told)[:2])) < OLDEST_NODE:
        pytest.skip(f"missing system package: nodejs {OLDEST_NODE[0]}.{OLDEST_NODE[1]} or newer")
    if not MODULES.is_dir():
        pytest.skip("missing system package: npm (`make test` installs tests/node with it)")
    return found


@pytest.fixture
def inspect(node: str) -> Callable[..., Any]:
    """`inspect([server...], "tools/list", ...)` is what the Inspector's command line prints, read as JSON."""
    program = MODULES / "inspector-cli" / "build" / "cli.js"

    def run(server: list[str], method: str, *arguments: str) -> Any:
        ended = subprocess.run(
            [node, program.name, "--cli", *server, "--method", method, *arguments],
            cwd=program.parent,  # alone, without the Inspector's page, it finds its own package from here only
            capture_output=True,
            text=True,
            timeout=WAIT_S,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    return run


CALLS: dict[str, dict[str, Any]] = {
    "ctx_read": {"path": "src/a.py", "mode": "full"},
    "ctx_edit": {"path": "src/b.py", "old": "return 1", "new": "return 2"},
    "ctx_agent": {"action": "claim", "targets": ["src/a.py"], "intent": "look around"},
    "ctx_search": {"query": "def a"},
    "ctx_knowledge": {"action": "remember", "category": "api", "key": "base_url", "value": "is /v2"},
    "ctx_compress": {"action": "wakeup", "task": "tidy up"},
    "ctx_metrics": {},
}


def inspected(inspect: Callable[..., Any], server: list[str]) -> dict[str, Any]:
    """What every tool answers, by its name."""

    def call(name: str) -> Any:
        pairs = [
            f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in CALLS[name].items()
        ]
        given = ["--tool-arg", *pairs] if pairs else []
        return inspect(server, "tools/call", "--tool-name", name, *given)

    assert [tool["name"] for tool in inspect(server, "tools/list")["tools"]] == list(TOOLS) == list(CALLS)
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(CALLS, pool.map(call, CALLS), strict=True))


def assert_all_answered(answers: dict[str, Any], root: Path) -> None:
    assert [name for name, answer in answers.items() if answer["isError"]] == []
    assert "def a():\n    return 1\n" in answers["ctx_read"]["structuredContent"]["text"]
    assert answers["ctx_agent"]["structuredContent"]["granted"]
    assert answers["ctx_search"]["structuredContent"]["hits"][0]["path"] == "src/a.py"
    assert "Edit quality" in answers["ctx_metrics"]["content"][0]["text"]
    assert (root / "src" / "b.py").read_text() == "def b():\n    return 2\n"


def test_the_inspector_lists_and_calls_every_tool(
    open_gateway: Callable[..., Any], inspect: Callable[..., Any]
) -> None:
    gateway = open_gateway()
    server = [f"{gateway.url}/mcp", "--transport", "http", "--header", "Scentfield-Agent: ann"]
    answers = inspected(inspect, server)
    assert_all_answered(answers, gateway.root)
    assert answers["ctx_agent"]["structuredContent"]["agent"].startswith("ann#")
    field = inspect(server, "resources/read", "--uri", SYNC_URI)
    assert json.loads(field["contents"][0]["text"])["n_claims"] == 0, "each of its calls is a session, which has ended"
    prompt = inspect(server, "prompts/get", "--prompt-name", "start_work", "--prompt-args", "task=tidy")
    assert prompt["messages"][0]["content"]["text"].startswith("Your task: tidy")


def test_the_inspector_lists_and_calls_every_tool_of_a_server_that_it_starts(
    open_gateway: Callable[..., Any], inspect: Callable[..., Any], tmp_path: Path
) -> None:
    gateway = open_gateway()
    write_address(tmp_path, GatewayAddress(gateway.url, "scentfield", needs_token=False))
    command = str(Path(sys.executable).with_name("scentfield"))
    told = {"SCENTFIELD_DATA_DIR": str(tmp_path), "SCENTFIELD_AGENT": "ann", "PATH": os.environ["PATH"]}
    given = [part for name, value in told.items() for part in ("-e", f"{name}={value}")]
    config = tmp_path / "servers.json"
    relay = {"command": command, "args": ["mcp", "--root", str(gateway.root)], "env": told}
    config.write_text(json.dumps({"mcpServers": {"scentfield": relay}}))
    assert_all_answered(inspected(inspect, [*given, "--config", str(config), "--server", "scentfield"]), gateway.root)


@pytest.fixture
def hold(node: str) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """`hold(gateway, "src/a.py")` is a process on the TypeScript SDK that claims a file, and holds it until it ends."""
    begun: list[subprocess.Popen[str]] = []

    def start(gateway: Any, target: str) -> subprocess.Popen[str]:
        command = [node, str(NODE_FOLDER / "hold.mjs"), f"{gateway.url}/mcp", target]
        begun.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        return begun[-1]

    yield start
    for process in begun:
        process.kill()
        process.wait(timeout=WAIT_S)
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            pipe.close()


def closed(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.close()


@pytest.mark.parametrize("end", [closed, subprocess.Popen.kill])
def test_a_file_is_free_soon_after_its_holder_has_closed_its_connection_or_was_killed(
    open_gateway: Callable[..., Any],
    hold: Callable[..., subprocess.Popen[str]],
    end: Callable[[subprocess.Popen[str]], None],
) -> None:
    gateway = open_gateway()
    first = hold(gateway, "src/a.py")
    assert first.stdout is not None
    assert json.loads(first.stdout.readline())["granted"]

    async def story() -> float:
        async with Client(f"{gateway.url}/mcp") as second:
            claim = {"action": "claim", "targets": ["src/a.py"]}
            (conflict,) = (await second.call_tool("ctx_agent", claim)).structured_content["conflicts"]
            assert conflict["holder"].startswith("holder#")
            assert 0.0 <= conflict["age_s"] < 60.0
            end(first)
            ended_s = time.monotonic()
            answer = await second.call_tool("ctx_agent", claim | {"wait_s": 30.0})
            assert answer.structured_content["granted"]
            return time.monotonic() - ended_s

    assert asyncio.run(story()) < 2.0


class _Nothing(ToolInput):
    """No arguments."""


async def _simple_text(_agent: AsyncCoordinator, _given: _Nothing, _report: Report) -> Answer:
    return Answer("This is a simple text response for testing.", {})


async def _error(_agent: AsyncCoordinator, _given: _Nothing, _report: Report) -> Answer:
    raise RuntimeError("This tool intentionally returns an error for testing")


async def _progress(_agent: AsyncCoordinator, _given: _Nothing, report: Report) -> Answer:
    for so_far in (0.0, 50.0, 100.0):
        await report(so_far, 100.0, "testing")
        await asyncio.sleep(0.05)
    return Answer("done", {})


def test_the_conformance_suite_passes_but_for_what_is_not_offered(
    open_gateway: Callable[..., Any], node: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, run in (
        ("test_simple_text", _simple_text),
        ("test_error_handling", _error),
        ("test_tool_with_progress", _progress),
    ):  # the suite asks for tools by name: these are made as ours are
        monkeypatch.setitem(TOOLS, name, Tool(name, "For the suite.", _Nothing, output_schema(), run))
    gateway = open_gateway()
    ended = subprocess.run(
        [
            *(node, str(MODULES / "conformance" / "dist" / "index.js"), "server", "--url", f"{gateway.url}/mcp"),
            *("--suite", "all", "--expected-failures", str(NODE_FOLDER / "conformance.yaml")),
        ],
        cwd=tmp_path,  # it leaves its results there
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-4_000:] + ended.stderr[-2_000:]
    passed = set(re.findall(r"✓ ([\w-]+): [1-9]\d* passed, 0 failed", ended.stdout))
    assert passed == {
        "server-initialize",
        "ping",
        "tools-list",
        "tools-call-simple-text",
        "tools-call-error",
        "tools-call-with-progress",
        "server-sse-multiple-streams",
        "resources-list",
        "prompts-list",
        "dns-rebinding-protection",
    }
