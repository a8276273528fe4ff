"""`scentfield serve` as a process of its own, beside real state actors."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from coordinator.gateway.address_file import read_address
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

SERVE = "from coordinator.cli.entry import run; run()"
END_S = 60.0


class Served:
    """A `scentfield serve` that runs: `url` is where, once it says so; `said` is what it has printed."""

    def __init__(self, settings: Settings, tree: Path, port: int = 0) -> None:
        names = ("namespace", "address", "data_dir", "space")
        mine = {f"SCENTFIELD_{name.upper()}": str(getattr(settings, name)) for name in names}
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVE, "serve"],
            cwd=tree,
            env={**os.environ, **mine, "SCENTFIELD_TTL_S": "30", "SCENTFIELD_GATEWAY__PORT": str(port)},
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        self.said.extend(iter(self.process.stderr.readline, ""))

    @property
    def url(self) -> str:
        return next((line.split()[-1] for line in self.said if "http://" in line), "")

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=END_S)

    def close(self) -> None:
        self.process.kill()
        self.process.wait(timeout=END_S)
        self._reader.join(timeout=END_S)
        assert self.process.stderr is not None
        self.process.stderr.close()


@pytest.fixture
def serve(coordinator_up: Settings, tree: Path) -> Iterator[Callable[..., Served]]:
    begun: list[Served] = []

    def start(**options: Any) -> Served:
        begun.append(Served(coordinator_up, tree, **options))
        return begun[-1]

    yield start
    for one in begun:
        one.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_agents_until_it_is_told_to_end_and_gives_everything_back(
    coordinator_up: Settings,
    serve: Callable[..., Served],
    wait_until: Callable[..., Any],
    start_agent: Callable[..., Any],
    number: signal.Signals,
) -> None:
    served = serve()
    url = wait_until(lambda: served.url, END_S)
    address = read_address(coordinator_up.state_dir)
    assert address is not None
    assert (address.url, address.namespace) == (url, coordinator_up.namespace)
    with urllib.request.urlopen(f"{url}/readyz", timeout=30.0) as answer:
        assert answer.status == 200
    cat = start_agent("cat")

    def cat_has_it() -> bool:
        return bool(cat.ask("claim", targets=["src/a.py"])["granted"])

    async def story() -> int:
        async with Client(f"{url}/mcp") as client:
            claim = {"action": "claim", "targets": ["src/a.py"]}
            assert (await client.call_tool("ctx_agent", claim)).structured_content["granted"]
            assert not await asyncio.to_thread(cat_has_it), "agents of both kinds meet"
            ended = await asyncio.to_thread(served.end, number)
            ended_s = time.monotonic()
            await asyncio.to_thread(wait_until, cat_has_it, 20.0)
            assert time.monotonic() - ended_s < 10.0, "a third of the TTL: what its agents held it gave back"
            return ended

    assert asyncio.run(story()) == 0, served.said
    assert not any("Traceback" in line for line in served.said), served.said
    assert read_address(coordinator_up.state_dir) is None, "nobody is sent there any more"


def test_a_port_that_is_taken_is_said_with_the_way_out(serve: Callable[..., Served]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        served = serve(port=port)
        assert served.process.wait(timeout=END_S) == 4
        served.close()
        said = "".join(served.said)
        assert f"the gateway cannot listen on 127.0.0.1:{port}" in said
        assert "set port under [gateway] to a free port" in said
        assert "Traceback" not in said


def test_without_a_coordinator_it_says_how_to_start_one(tmp_path: Path) -> None:
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("SCENTFIELD_", "RAY_"))}
    ended = subprocess.run(
        [sys.executable, "-c", SERVE, "serve"],
        env={**plain, "SCENTFIELD_DATA_DIR": str(tmp_path / "state")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 4
    assert "start it with `scentfield up`" in ended.stderr
