"""`scentfield mcp`: from a client's standard streams to a gateway that really listens."""

from __future__ import annotations

import asyncio
import io
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters

from actors.runtime.errors import Corrupt, Misuse, Unavailable
from coordinator.gateway.address_file import FILE_NAME, GatewayAddress, forget_address, read_address, write_address
from coordinator.gateway.token import own_token
from coordinator.relay.event_stream import events
from coordinator.relay.gateway_line import GatewayLine
from coordinator.relay.line_settings import Flags, LineSettings, find_line
from coordinator.relay.main import flags_of
from coordinator.relay.relay import Relay, whole_lines

RELAY = "from coordinator.cli.entry import run; run()"
WAIT_S = 30.0


class Lines:
    """A relay in this process: `say` gives it a line, `hear` is its next one."""

    def __init__(self, line: Any) -> None:
        self.line = line
        self._said: queue.Queue[bytes] = queue.Queue()
        self._heard: queue.Queue[str] = queue.Queue()
        self._thread = threading.Thread(target=Relay(line, self._heard.put).run, args=(iter(self._said.get, b""),))
        self._thread.start()

    def say(self, message: Any) -> None:
        self._said.put(message if isinstance(message, bytes) else json.dumps(message).encode())

    def hear(self) -> Any:
        return json.loads(self._heard.get(timeout=WAIT_S))

    def ask(self, method: str, **params: Any) -> Any:
        self.say({"jsonrpc": "2.0", "id": method, "method": method, "params": params})
        return self.hear()

    def call(self, **arguments: Any) -> Any:
        return self.ask("tools/call", name="ctx_agent", arguments=arguments)

    def begin(self) -> Any:
        client = {"name": "relayed", "version": "1"}
        begun = self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return begun

    def end(self) -> None:
        self._said.put(b"")
        self._thread.join(WAIT_S)


@pytest.fixture
def relay() -> Iterator[Callable[..., Lines]]:
    made: list[Lines] = []

    def make(gateway: Any, **settings: Any) -> Lines:
        line = GatewayLine(LineSettings(gateway.url, **{"token": "", "agent": "ann", "root": gateway.root, **settings}))
        made.append(Lines(line))
        return made[-1]

    yield make
    for one in made:
        one.end()


def text_of(answer: Any) -> str:
    return str(answer["result"]["content"][0]["text"])


def test_a_client_that_starts_its_server_works_and_its_end_frees_its_claims(
    open_gateway: Callable[..., Any], relay: Callable[..., Lines]
) -> None:
    gateway = open_gateway()
    arguments = ["-c", RELAY, "mcp", "--url", gateway.url, "--agent", "ann", "--root", str(gateway.root)]
    other = relay(gateway, agent="bob")
    other.begin()

    async def story() -> float:
        async with Client(StdioServerParameters(command=sys.executable, args=arguments)) as client:
            claimed = await client.call_tool("ctx_agent", {"action": "claim", "targets": ["src/a.py"]})
            assert claimed.structured_content["agent"].startswith("ann#")
            assert text_of(await asyncio.to_thread(other.call, action="claim", targets=["src/a.py"])).startswith("NOT")
        return time.monotonic()

    ended_s = asyncio.run(story())
    assert text_of(other.call(action="claim", targets=["src/a.py"], wait_s=20)).startswith("granted")
    assert time.monotonic() - ended_s < 2.0


def test_what_a_killed_relay_held_is_free_soon(open_gateway: Callable[..., Any], relay: Callable[..., Lines]) -> None:
    gateway = open_gateway()
    other = relay(gateway, agent="bob")
    other.begin()
    arguments = ["-c", RELAY, "mcp", "--url", gateway.url, "--agent", "ann", "--root", str(gateway.root)]
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    claim = {"name": "ctx_agent", "arguments": {"action": "claim", "targets": ["src/a.py"]}}
    with subprocess.Popen([sys.executable, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def ask(method: str, params: Any) -> bytes:
            told = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
            process.stdin.write(json.dumps(told).encode() + b"\n")
            process.stdin.flush()
            return process.stdout.readline()

        ask("initialize", client)
        process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        assert b"granted to ann#" in ask("tools/call", claim)
        assert b"NOT GRANTED" in json.dumps(other.call(action="claim", targets=["src/a.py"])).encode()
        process.kill()
        killed_s = time.monotonic()
        assert text_of(other.call(action="claim", targets=["src/a.py"], wait_s=20)).startswith("granted")
        assert time.monotonic() - killed_s < 2.0


def test_calls_run_side_by_side(open_gateway: Callable[..., Any], relay: Callable[..., Lines]) -> None:
    gateway = open_gateway()
    ann, bob = relay(gateway), relay(gateway, agent="bob")
    ann.begin()
    bob.begin()
    ann.call(action="claim", targets=["src/a.py"])
    waiting = {"name": "ctx_agent", "arguments": {"action": "claim", "targets": ["src/a.py"], "wait_s": 60}}
    bob.say({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": waiting})
    assert bob.ask("ping")["id"] == "ping"
    ann.call(action="release", targets=["src/a.py"])
    assert bob.hear()["id"] == 7


def test_the_end_of_the_input_is_the_end_of_the_session(
    open_gateway: Callable[..., Any], relay: Callable[..., Lines]
) -> None:
    gateway = open_gateway()
    ann, bob = relay(gateway), relay(gateway, agent="bob")
    ann.begin()
    bob.begin()
    ann.call(action="claim", targets=["src/a.py"])
    ann.end()
    assert text_of(bob.call(action="claim", targets=["src/a.py"])).startswith("granted")


def test_an_agent_whose_session_is_gone_is_told_that_it_holds_nothing_and_goes_on(
    open_gateway: Callable[..., Any], relay: Callable[..., Lines]
) -> None:
    gateway = open_gateway()
    ann = relay(gateway)
    ann.begin()
    ann.call(action="claim", targets=["src/a.py"])
    httpx2.delete(f"{gateway.url}/mcp", headers={"mcp-session-id": ann.line.session}, timeout=WAIT_S)
    told = ann.call(action="check", targets=["src/a.py"])
    assert told["result"]["isError"]
    assert "You are a new agent now, which holds nothing" in text_of(told)
    assert text_of(ann.call(action="claim", targets=["src/a.py"])).startswith("granted to ann#2")


def test_without_a_gateway_the_client_is_told_what_to_do(tmp_path: Path) -> None:
    environment = {**os.environ, "SCENTFIELD_DATA_DIR": str(tmp_path)}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    called = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "ctx_agent"}}
    ended = subprocess.run(
        [sys.executable, "-c", RELAY, "mcp"],
        input="".join(json.dumps(one) + "\n" for one in (asked, called)),
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=True,
    )
    first, second = sorted(map(json.loads, ended.stdout.splitlines()), key=lambda one: one["id"])
    assert first["error"]["message"] == f"no gateway is known in {tmp_path}: start it with `scentfield up`"
    assert second["result"]["isError"]
    assert "start it with `scentfield up`" in ended.stderr


def test_a_gateway_that_does_not_answer_gives_no_permission(
    open_gateway: Callable[..., Any], relay: Callable[..., Lines]
) -> None:
    gateway = open_gateway()
    ann = relay(gateway)
    ann.begin()
    ann.line._place = "127.0.0.1:1"  # nobody listens there
    told = ann.call(action="claim", targets=["src/a.py"])
    assert told["result"]["isError"]
    assert "does not answer (ConnectionRefusedError): this is no permission" in text_of(told)
    assert ann.ask("tools/list")["error"]["code"] == -32000


def test_a_token_that_is_wrong_is_told_as_an_error(
    open_gateway: Callable[..., Any], relay: Callable[..., Lines]
) -> None:
    gateway = open_gateway(token="always")
    assert "a token is needed" in relay(gateway).begin()["error"]["message"]
    right = relay(gateway, token="a-token-of-this-test-0123456789abcdef")
    assert right.begin()["result"]["serverInfo"]["name"] == "scentfield"


def test_lines_that_are_no_messages_are_answered(open_gateway: Callable[..., Any], relay: Callable[..., Lines]) -> None:
    ann = relay(open_gateway())
    ann.say(b"{broken")
    assert ann.hear()["error"]["code"] == -32700
    ann.say([{"jsonrpc": "2.0", "id": 1, "method": "ping"}])
    assert ann.hear()["error"]["code"] == -32600
    assert "error" in ann.ask("server/discover"), "a client that asks for a later revision goes on with initialize"
    assert "result" in ann.begin()


def test_a_folder_s_name_may_have_any_letters(open_gateway: Callable[..., Any], relay: Callable[..., Lines]) -> None:
    gateway = open_gateway()
    inner = gateway.root / "größe 100%"
    inner.mkdir()
    ann = relay(gateway, root=inner)
    ann.begin()
    assert text_of(ann.call(action="claim", targets=["src/a.py"])).startswith("granted")


def test_it_starts_without_what_is_slow_to_import() -> None:
    slow = {"ray", "pydantic", "typer", "mcp", "asyncio", "coordinator.settings", "starlette", "numpy"}
    code = f"import sys, coordinator.cli.entry, coordinator.relay.main; print(sorted({slow!r} & set(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout.strip() == "[]"


def test_what_else_stands_on_the_command_line_is_for_the_whole_command_line() -> None:
    assert flags_of([]) == Flags()
    assert flags_of(["--agent", "ann", "--root=/x"]) == Flags(agent="ann", root="/x")
    for other in (["--help"], ["--agent"], ["more"], ["--json"]):
        assert flags_of(other) is None


def test_the_gateway_is_found_by_flags_variables_and_files_in_this_order(tmp_path: Path) -> None:
    for name in ("flag", "variable", "file"):
        write_address(tmp_path / name, GatewayAddress(f"http://127.0.0.1/{name}", "scentfield", needs_token=False))
    (tmp_path / "scentfield.toml").write_text(f'data_dir = "{tmp_path / "file"}"\nagent = "from-file"\n')
    inner = tmp_path / "inner"
    inner.mkdir()
    variables = {"SCENTFIELD_DATA_DIR": str(tmp_path / "variable"), "SCENTFIELD_AGENT": "from-variable"}
    found = find_line(Flags(data_dir=str(tmp_path / "flag"), agent="from-flag"), variables, inner)
    assert (found.url, found.agent) == ("http://127.0.0.1/flag", "from-flag")
    found = find_line(Flags(), variables, inner)
    assert (found.url, found.agent) == ("http://127.0.0.1/variable", "from-variable")
    found = find_line(Flags(), {}, inner)
    assert (found.url, found.agent, found.root, found.token) == ("http://127.0.0.1/file", "from-file", inner, "")


def test_the_token_is_read_only_where_the_gateway_asks_for_it(tmp_path: Path) -> None:
    token = own_token(tmp_path)
    flags = Flags(data_dir=str(tmp_path))
    write_address(tmp_path, GatewayAddress("http://127.0.0.1:7464", "scentfield", needs_token=False))
    assert find_line(flags, {}, tmp_path).token == ""
    write_address(tmp_path, GatewayAddress("http://127.0.0.1:7464", "scentfield", needs_token=True))
    assert find_line(flags, {}, tmp_path).token == token
    assert find_line(flags, {"SCENTFIELD_GATEWAY_TOKEN": "given"}, tmp_path).token == "given"


def test_an_address_that_cannot_be_used_is_said_to(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="start it with `scentfield up`"):
        find_line(Flags(data_dir=str(tmp_path)), {}, tmp_path)
    (tmp_path / FILE_NAME).write_text("{}")
    with pytest.raises(Corrupt, match="does not say where the gateway is"):
        read_address(tmp_path)
    forget_address(tmp_path)
    forget_address(tmp_path)
    assert read_address(tmp_path) is None
    (tmp_path / "scentfield.toml").write_text("= broken")
    with pytest.raises(Misuse, match=r"scentfield.toml cannot be read"):
        find_line(Flags(), {}, tmp_path)
    with pytest.raises(Misuse, match="no address of a gateway"):
        GatewayLine(LineSettings("localhost:7464", "", "", tmp_path))


def test_events_are_read_from_a_stream() -> None:
    stream = [
        b": ping\r\n",
        b"\r\n",
        b"event: message\r\n",
        b"data: {\r\n",
        b"data:}\r\n",
        b"\r\n",
        b"data: cut off\r\n",
    ]
    assert list(events(stream)) == ["{\n}"]


@pytest.mark.parametrize("raw", [b"[" * 100_000, b'{"a":' * 100_000, b"\xff\xfe", b'{"id":' + b"9" * 5_000 + b"}"])
def test_a_line_that_cannot_be_read_does_not_end_the_relay(raw: bytes) -> None:
    told: list[str] = []
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    Relay(Unavailable("there is no gateway"), told.append).run([raw, ping])
    broken, answered = map(json.loads, told)
    assert (broken["error"]["code"], answered["id"]) == (-32700, 1)


def test_of_a_line_that_is_too_long_the_rest_is_no_line() -> None:
    stream = io.BytesIO(b"short\n" + b"x" * 25 + b'{"id":1}\n' + b"next six!\n" + b"last")
    assert list(whole_lines(stream, 10)) == [b"short\n", b"x" * 10, b"next six!\n", b"last"]
