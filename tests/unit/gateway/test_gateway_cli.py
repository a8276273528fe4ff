"""The command line through a gateway: the same commands, without Ray in their process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coordinator import Settings
from coordinator.cli.near_gateway import near_gateway
from coordinator.gateway.address_file import GatewayAddress, write_address
from coordinator.gateway.token import FILE_NAME
from coordinator.http_transport import HttpTransport

TOKEN = "a-token-of-this-test-0123456789abcdef"
RUN = "import atexit, sys; atexit.register(lambda: print('ray' in sys.modules, file=sys.stderr)); "
RUN += "from coordinator.cli.entry import run; run()"


def tell(folder: Path, url: str, namespace: str = "scentfield") -> Settings:
    """What `up` leaves in a state folder."""
    write_address(folder, GatewayAddress(url, namespace, needs_token=False))
    (folder / FILE_NAME).write_text(TOKEN)
    (folder / FILE_NAME).chmod(0o600)
    return Settings(data_dir=folder)


@pytest.fixture
def scentfield(open_gateway: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """`scentfield("claim", "src/a.py")` runs a command in a process of its own: (exit code, document)."""
    gateway = open_gateway()
    folder = gateway.root.parent / "client"
    tell(folder, gateway.url)
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("SCENTFIELD_", "RAY_"))}
    environment = {**plain, "SCENTFIELD_DATA_DIR": str(folder), "SCENTFIELD_SPACE": "test"}

    def run(*arguments: str) -> tuple[int, Any]:
        ended = subprocess.run(
            [sys.executable, "-c", RUN, *arguments, "--json"],
            cwd=gateway.root,
            env=environment,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert ended.stderr.splitlines()[-1] == "False", ended.stderr
        return ended.returncode, json.loads(ended.stdout)

    return run


def test_commands_go_through_the_gateway_without_ray(scentfield: Callable[..., Any]) -> None:
    code, granted = scentfield("claim", "src/a.py", "--agent", "ann", "--intent", "tidy up")
    assert (code, granted["granted"]) == (0, True)
    code, refused = scentfield("claim", "src/a.py", "--agent", "bob")
    assert (code, refused["conflicts"][0]["holder"]) == (3, granted["agent"])
    code, released = scentfield("release", "src/a.py", "--agent", "ann")
    assert (code, released["n_released"]) == (0, 1)


def test_a_gateway_is_taken_only_where_it_is_meant_and_answers(
    open_gateway: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    gateway = open_gateway()
    settings = tell(tmp_path / "here", gateway.url)
    assert isinstance(near_gateway(settings), HttpTransport)
    assert near_gateway(settings.model_copy(update={"address": "127.0.0.1:6379"})) is None
    assert near_gateway(settings.model_copy(update={"namespace": "another"})) is None
    assert near_gateway(Settings(data_dir=tmp_path / "nowhere")) is None
    assert near_gateway(tell(tmp_path / "gone", "http://127.0.0.1:1")) is None
    (tmp_path / "here" / FILE_NAME).write_text("x" * 40)
    assert near_gateway(settings) is None, "the token of somebody else"
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:6379")
    assert near_gateway(tell(tmp_path / "here", gateway.url)) is None
