"""The page before a coordinator on real Ray, whose processes are killed."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coordinator.domain import GATEWAY, SCENT_FIELD
from coordinator.gateway.settings import GatewaySettings
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(240)]

PATIENCE_MS = 90_000
HELD = "target => document.querySelector('#held').textContent.includes(target)"


@pytest.fixture
def settings(settings: Settings, tree: Path) -> Settings:
    """The same with a gateway that comes back at its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    gateway = GatewaySettings(port=port, roots=(tree,))
    return settings.model_copy(update={"gateway": gateway, "ttl_s": 60.0})


def test_the_page_lives_on_when_the_field_and_the_gateway_are_killed(
    coordinator_up: Settings, start_agent: Callable[..., Any], own_chromium: Any
) -> None:
    from coordinator.cluster import up
    from coordinator.ray_transport import RayTransport

    url = up(coordinator_up).gateway_url
    actors = RayTransport(coordinator_up.namespace)
    ann = start_agent("ann")
    ann.ask("claim", targets=["src/a.py"])
    complaints: list[str] = []
    context = own_chromium.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(url)

    def shows(target: str) -> None:
        page.wait_for_selector("[data-state=live]")
        page.wait_for_function(HELD, arg=target)

    shows("src/a.py")
    os.kill(actors.describe(SCENT_FIELD, 30.0)["pid"], signal.SIGKILL)
    ann.ask("claim", targets=["src/b.py"])
    shows("src/b.py")
    assert complaints == []
    os.kill(actors.describe(GATEWAY, 30.0)["pid"], signal.SIGKILL)
    page.wait_for_selector("[data-state=lost]")
    ann.ask("claim", targets=["src/c.py"])
    shows("src/c.py")
    shows("src/a.py")
    assert all("ERR_" in one for one in complaints), complaints  # the browser's own, on lost connections
    context.close()
