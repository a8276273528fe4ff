"""The gateway beside real state actors on real Ray."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from actors.runtime.errors import Unavailable
from coordinator.gateway.settings import GatewaySettings
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(180)]


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
