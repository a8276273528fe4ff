"""Requests that mean harm: each is refused clearly, and nothing has changed afterwards; over real HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from actors.scent_field.messages import FieldStatistics
from actors.sessions.messages import ListSessions
from coordinator.conversation import Conversation
from coordinator.domain import DOMAINS, SCENT_FIELD

TOKEN = "a-token-of-this-test-0123456789abcdef"
JSON = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "hostile", "version": "1"},
    },
}


def state_of(gateway: Any) -> tuple[dict[str, bytes], int]:
    """Every file of the tree, and how many agents there are, asked past the gateway."""
    stranger = Conversation(DOMAINS[SCENT_FIELD].schema, "", "")
    reply = gateway.on_loop(gateway.line.actors[SCENT_FIELD].submit(stranger.unnumbered([ListSessions(10)])))
    files = {str(path): path.read_bytes() for path in sorted(gateway.root.rglob("*")) if path.is_file()}
    return files, int(stranger.answers(reply, 1)[0].n_live)


@contextlib.contextmanager
def unchanged(gateway: Any) -> Iterator[None]:
    """Nothing in the tree has changed by then, nobody has joined, and who asks politely is served."""
    before = state_of(gateway)
    yield
    assert state_of(gateway) == before
    assert gateway.get("/readyz").status_code == 200


def begun(gateway: Any) -> dict[str, str]:
    """The headers of a session that has begun."""
    told = httpx2.post(f"{gateway.url}/mcp", json=INITIALIZE, headers=JSON, timeout=30.0)
    return {**JSON, "Mcp-Session-Id": told.headers["mcp-session-id"]}


def call_of(arguments: dict[str, Any], tool: str = "ctx_agent") -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


@pytest.mark.parametrize("path", ["/mcp", "/api/v1/submit/scent_field"])
@pytest.mark.parametrize(
    ("headers", "status", "said"),
    [
        ({"Host": "evil.example"}, 421, "is not called 'evil.example'"),
        ({"Host": ""}, 421, "add the name to hosts"),
        ({"Origin": "https://evil.example"}, 403, "may not ask here"),
        ({"Origin": "null"}, 403, "may not ask here"),
    ],
)
def test_names_that_are_not_ours_are_refused_on_every_way_in(
    open_gateway: Callable[..., Any], path: str, headers: dict[str, str], status: int, said: str
) -> None:
    gateway = open_gateway()
    with unchanged(gateway):
        body = json.dumps(INITIALIZE).encode()
        told = gateway.post(path, body, **JSON, Authorization=f"Bearer {TOKEN}", **headers)
        assert (told.status_code, said in told.json()["error"]) == (status, True)


def test_a_hundred_megabytes_are_refused_before_they_are_sent(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()
    with unchanged(gateway), socket.create_connection(("127.0.0.1", gateway.port), timeout=30.0) as connection:
        connection.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n")
        told = connection.recv(65_536)
        assert told.startswith(b"HTTP/1.1 413")
        assert b"a body has at most 4194304 bytes" in told + connection.recv(65_536)


def test_a_hundred_megabytes_of_no_stated_size_are_cut_off_at_the_limit(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()
    n_sent = 0

    def chunks() -> Iterator[bytes]:
        nonlocal n_sent
        for _ in range(100):
            n_sent += 1_000_000
            yield b"x" * 1_000_000

    with unchanged(gateway):
        connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=30.0)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it hung up on us: that is an answer too
            connection.request("POST", "/mcp", body=chunks(), encode_chunked=True)
            assert connection.getresponse().status == 413
        connection.close()
        assert n_sent < 50_000_000, "most of it was never taken"


def test_a_body_that_trickles_in_is_given_up_and_takes_nobody_else_along(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway(body_s=0.5)
    head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
    with unchanged(gateway), contextlib.ExitStack() as stack:
        slow = [
            stack.enter_context(socket.create_connection(("127.0.0.1", gateway.port), timeout=30.0)) for _ in range(50)
        ]
        for connection in slow:
            connection.sendall(head + b"{")
        assert gateway.get("/readyz").status_code == 200
        for connection in slow:
            assert connection.recv(64).startswith(b"HTTP/1.1 408")


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xfe\xfd",
        b'{"jsonrpc":"2.0","id":2,"method":"\xc3\x28"}',
        b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ctx_agent","arguments":'
        b'{"action":"claim","targets":["\xed\xa0\x80"]}}}',
        b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ctx_agent","arguments":'
        b'{"action":"claim","targets":["\\ud800"]}}}',
        b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"\\ud800","arguments":{}}}',
        b"\x00" * 1_000,
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"[]",
        b"null",
        b"{}",
        b"",
    ],
)
def test_what_is_no_text_or_no_message_is_refused(open_gateway: Callable[..., Any], body: bytes) -> None:
    gateway = open_gateway()
    session = begun(gateway)
    with unchanged(gateway):
        told = httpx2.post(f"{gateway.url}/mcp", content=body, headers=session, timeout=30.0)
        assert told.status_code == 400
        assert told.json()["error"]["message"]
        told = httpx2.post(f"{gateway.url}/mcp", content=body, headers=JSON, timeout=30.0)
        assert 400 <= told.status_code < 500


@pytest.mark.parametrize(
    "headers",
    [
        {b"Scentfield-Agent": b"\xff\xfe"},
        {b"Scentfield-Agent": b"%ff%00%0a"},
        {b"Scentfield-Agent": b"x" * 10_000},
        {b"Scentfield-Root": b"\xff"},
        {b"Scentfield-Root": b"/%00"},
        {b"Scentfield-Root": b"%ff%fe"},
        {b"MCP-Protocol-Version": b"\xff"},
        {b"Mcp-Session-Id": b"\xff"},
        {b"Mcp-Session-Id": b"../../x"},
        {b"Mcp-Session-Id": b"x" * 10_000},
    ],
)
def test_headers_that_are_no_text_end_no_session_and_reach_no_file(
    open_gateway: Callable[..., Any], headers: dict[bytes, bytes]
) -> None:
    gateway = open_gateway()
    session = begun(gateway)
    raw = [(name.encode(), value.encode()) for name, value in session.items()]
    sent = [(name, value) for name, value in raw if name.lower() not in {one.lower() for one in headers}]
    read = call_of({"path": "../../../etc/passwd"}, "ctx_read")
    told = httpx2.post(f"{gateway.url}/mcp", json=read, headers=[*sent, *headers.items()], timeout=30.0)
    assert told.status_code < 500
    assert "root:" not in told.text
    assert "fault of its own" not in told.text
    told = httpx2.post(f"{gateway.url}/mcp", json=call_of({"action": "sync"}), headers=session, timeout=30.0)
    assert told.status_code == 200, "the session is as it was"


@pytest.mark.parametrize(
    "path",
    [
        "/../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/metrics/../../etc/passwd",
        "/api/v1/describe/..%2f..%2fetc%2fpasswd",
        "/api/v1/describe/%ff%fe",
        "/api/v1/describe/%00",
        "//evil.example/metrics",
        "/" + "a" * 60_000,
    ],
)
def test_paths_that_lead_elsewhere_lead_nowhere(open_gateway: Callable[..., Any], path: str) -> None:
    gateway = open_gateway()
    with unchanged(gateway), socket.create_connection(("127.0.0.1", gateway.port), timeout=30.0) as connection:
        head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n"
        connection.sendall(head.encode())
        told = b""
        while part := connection.recv(65_536):
            told += part
        assert told[:13] in (b"HTTP/1.1 404 ", b"HTTP/1.1 400 "), told[:200]
        assert b"root:" not in told


def test_ten_thousand_sessions_are_refused_beyond_the_limit_and_disturb_nobody(
    open_gateway: Callable[..., Any],
) -> None:
    gateway = open_gateway(max_sessions=50, requests_per_s=1e6, silent_s=10.0)
    body = json.dumps(INITIALIZE)

    def ask(n: int) -> list[tuple[int, bytes]]:
        connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=60.0)
        answers = []
        for _ in range(n):
            connection.request("POST", "/mcp", body=body, headers=JSON)
            answer = connection.getresponse()
            answers.append((answer.status, answer.read()))
        connection.close()
        return answers

    async def story() -> None:
        async with Client(f"{gateway.url}/mcp") as there_before:
            claim = {"action": "claim", "targets": ["src/a.py"]}
            assert (await there_before.call_tool("ctx_agent", claim)).structured_content["granted"]
            with ThreadPoolExecutor(4) as pool:
                asked = await asyncio.gather(
                    *(asyncio.get_running_loop().run_in_executor(pool, ask, 2_500) for _ in range(4))
                )
            answers = [one for some in asked for one in some]
            refused = [told for status, told in answers if status == 503]
            assert len(answers) == 10_000
            assert len(refused) > 9_000
            assert {status for status, _ in answers} == {200, 503}
            assert b"essions" in refused[0]
            assert state_of(gateway)[1] == 1, "nobody has joined"
            assert (await there_before.call_tool("ctx_agent", claim)).structured_content["renewed"]
            async with asyncio.timeout(30.0):  # those that never said a word are given up, and there is room again
                while ask(1)[0][0] != 200:
                    await asyncio.sleep(0.1)

    asyncio.run(story())


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_a_request_that_is_nearly_right_is_answered_and_breaks_nothing(
    hostile_target: Any, data: st.DataObject
) -> None:
    stranger = Conversation(DOMAINS[SCENT_FIELD].schema, "", "")
    whole = bytearray(stranger.unnumbered([FieldStatistics(), ListSessions(10)]))
    for _ in range(data.draw(st.integers(1, 4), label="bytes changed")):
        at = data.draw(st.integers(0, len(whole) - 1), label="at")
        whole[at] = data.draw(st.integers(0, 255), label="byte")
    cut = data.draw(st.integers(0, len(whole)), label="cut at")
    told = hostile_target.post("/api/v1/submit/scent_field", bytes(whole[:cut]), Authorization=f"Bearer {TOKEN}")
    assert told.status_code in (200, 400), told.text
    assert hostile_target.get("/readyz").status_code == 200


@pytest.fixture
def hostile_target(open_gateway: Callable[..., Any]) -> Any:
    return open_gateway(requests_per_s=1e6)


def test_a_link_that_is_laid_after_a_look_leads_nowhere_either(
    open_gateway: Callable[..., Any], tmp_path: Path
) -> None:
    gateway = open_gateway()
    secret = tmp_path / "secret.txt"
    secret.write_text("hidden\n")
    session = begun(gateway)
    path: Path = gateway.root / "src" / "a.py"

    def call(arguments: dict[str, Any], tool: str) -> str:
        body = call_of(arguments, tool)
        return str(httpx2.post(f"{gateway.url}/mcp", json=body, headers=session, timeout=30.0).text)

    assert "return 1" in call({"path": "src/a.py", "mode": "full"}, "ctx_read")
    path.unlink()
    path.symlink_to(secret)
    assert "hidden" not in call({"path": "src/a.py", "mode": "full"}, "ctx_read")
    assert "hidden\\n" not in call({"path": "src/a.py", "old": "hidden", "new": "x"}, "ctx_edit")
    assert secret.read_text() == "hidden\n"
