"""The gateway beside real state actors on real Ray."""

from __future__ import annotations

import os
import signal
import socket
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest

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
def settings(settings: Settings) -> Settings:
    """The same with a gateway."""
    return settings.model_copy(update={"gateway": GatewaySettings(port=0)})


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
