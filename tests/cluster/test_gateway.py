"""The gateway beside real state actors on real Ray."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from actors.runtime.errors import Unavailable
from coordinator import Coordinator
from coordinator.gateway.settings import GatewaySettings
from coordinator.gateway.token import own_token
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]


def status_of(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=10.0) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code
    except OSError:
        return 0


@pytest.fixture
def settings(settings: Settings, tree: Path) -> Settings:
    """The same with a gateway."""
    gateway = GatewaySettings(port=0, roots=(tree,))
    return settings.model_copy(update={"gateway": gateway, "ttl_s": 30.0})


def test_a_gateway_serves_beside_the_actors_and_comes_back_after_a_crash(
    coordinator_up: Settings, wait_until: Callable[..., Any]
) -> None:
    import ray

    from coordinator.cluster import up

    url = up(coordinator_up).gateway_url
    assert status_of(f"{url}/readyz") == 200
    assert status_of(f"{url}/metrics") == 200
    gateway: Any = ray.get_actor("gateway", namespace=coordinator_up.namespace)
    os.kill(ray.get(gateway.describe.remote(), timeout=30.0)["pid"], signal.SIGKILL)

    def serves_again() -> bool:
        account = ray.get(gateway.describe.remote(), timeout=30.0)
        return bool(account["url"]) and status_of(f"{account['url']}/readyz") == 200

    assert wait_until(serves_again, 60.0)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ray.kill(gateway, no_restart=True)
        taken = coordinator_up.model_copy(update={"gateway": GatewaySettings(port=port)})
        with pytest.raises(Unavailable, match=f"gateway cannot listen on 127.0.0.1:{port} .*set port under"):
            wait_until(lambda: up(taken))


def test_clients_go_on_when_the_gateway_was_started_anew(
    coordinator_up: Settings, tree: Path, wait_until: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    import ray

    from coordinator.cluster import up

    gateway = coordinator_up.gateway.model_copy(update={"port": free_port()})  # as it has one in earnest
    settings = coordinator_up.model_copy(update={"gateway": gateway})
    ray.kill(ray.get_actor("gateway", namespace=settings.namespace), no_restart=True)

    def moved() -> str:
        with contextlib.suppress(Unavailable):  # the one before is on its way out
            url = up(settings).gateway_url
            return url if url.endswith(f":{gateway.port}") else ""
        return ""

    url = wait_until(moved, 90.0)
    monkeypatch.setenv("SCENTFIELD_GATEWAY_TOKEN", own_token(coordinator_up.state_dir))
    handle: Any = ray.get_actor("gateway", namespace=coordinator_up.namespace)
    relay = Relayed(url, tree)
    try:
        with Coordinator.connect(url, agent="ann", root=tree, settings=coordinator_up) as ann:
            claim = ann.claim("src/a.py")
            assert "granted to bob#" in relay.call(action="claim", targets=["src/b.py"])
            os.kill(ray.get(handle.describe.remote(), timeout=30.0)["pid"], signal.SIGKILL)

            def serves_again() -> bool:
                account = ray.get(handle.describe.remote(), timeout=60.0)
                assert not account["trouble"]
                return status_of(f"{url}/readyz") == 200

            wait_until(serves_again, 90.0)
            assert claim.valid, "an agent by URL speaks for itself: it has lost nothing"
            assert ann.claim("src/c.py")
            told = relay.call(action="check", targets=["src/b.py"])
            assert "You are a new agent now, which holds nothing" in told, "an MCP session was the gateway's"
            held = relay.call(action="claim", targets=["src/a.py"])
            assert "NOT GRANTED. ann#" in held
            again = wait_until(lambda: relay.granted(action="claim", targets=["src/b.py"]), 60.0)
            assert "granted to bob#" in again, "its old self has been given up after the TTL"
    finally:
        relay.close()


def free_port() -> int:
    """A port that nobody has, and that no connection is given by chance while the gateway is away."""
    for port in range(20_000, 30_000):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    pytest.fail("every port is taken")


class Relayed:
    """A client of a `scentfield mcp` of its own, which has begun its session."""

    def __init__(self, url: str, tree: Path) -> None:
        arguments = ["mcp", "--url", url, "--agent", "bob", "--root", str(tree)]
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from coordinator.cli.entry import run; run()", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        client = {"name": "raw", "version": "1"}
        self._ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self._tell({"method": "notifications/initialized"})

    def call(self, **arguments: Any) -> str:
        return str(self._ask("tools/call", {"name": "ctx_agent", "arguments": arguments})["content"][0]["text"])

    def granted(self, **arguments: Any) -> str:
        text = self.call(**arguments)
        return text if text.startswith(("granted", "renewed")) else ""

    def _ask(self, method: str, params: Any) -> Any:
        self._tell({"id": 1, "method": method, "params": params})
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())["result"]

    def _tell(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def close(self) -> None:
        self._process.kill()
        self._process.wait(timeout=30.0)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()


def test_two_mcp_clients_share_a_tree_through_real_actors(
    coordinator_up: Settings, start_agent: Callable[..., Any]
) -> None:
    from coordinator.cluster import up

    url = f"{up(coordinator_up).gateway_url}/mcp"
    cat = start_agent("cat")
    cat.ask("claim", targets=["src/c.py"])

    async def claim(client: Any, path: str) -> Any:
        return (await client.call_tool("ctx_agent", {"action": "claim", "targets": [path]})).structured_content

    async def story() -> float:
        async with Client(url) as second:
            async with Client(url) as first:
                assert (await claim(first, "src/a.py"))["granted"]
                (conflict,) = (await claim(second, "src/a.py"))["conflicts"]
                assert conflict["holder"].startswith("mcp#")
                assert conflict["age_s"] < 30.0
                (conflict,) = (await claim(second, "src/c.py"))["conflicts"]
                assert conflict["holder"] == cat.id, "agents of both kinds meet"
            left_s = time.monotonic()
            while not (await claim(second, "src/a.py"))["granted"]:
                assert time.monotonic() - left_s < 20.0
            took_s = time.monotonic() - left_s
            shown = await second.call_tool("ctx_read", {"path": "src/a.py", "mode": "full"})
            assert "def a():" in shown.content[0].text
            return took_s

    assert asyncio.run(story()) < 2.0
