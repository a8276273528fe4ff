"""`scentfield top` over a gateway that really listens, without Ray; and when that goes and comes back elsewhere."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.errors import Misuse, Unavailable
from coordinator import Coordinator, Settings
from coordinator.cli import top
from coordinator.cli.invocation import Invocation
from coordinator.gateway.address_file import GatewayAddress, write_address
from coordinator.gateway.token import FILE_NAME
from coordinator.top.scout import Scout

TOKEN = "a-token-of-this-test-0123456789abcdef"
SIZE = {"COLUMNS", "LINES"}  # go before that of the terminal
RUN = "import atexit, sys; atexit.register(lambda: print('ray' in sys.modules, 'textual' in sys.modules, "
RUN += "file=sys.stderr)); from coordinator.cli.entry import run; run()"


def tell(folder: Path, url: str) -> None:
    """What `up` leaves in a state folder."""
    folder.mkdir(exist_ok=True)
    write_address(folder, GatewayAddress(url, "scentfield", needs_token=False))
    (folder / FILE_NAME).write_text(TOKEN)
    (folder / FILE_NAME).chmod(0o600)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A client's state folder."""
    monkeypatch.setenv("SCENTFIELD_DATA_DIR", str(tmp_path / "client"))
    monkeypatch.setenv("SCENTFIELD_SPACE", "test")
    for name in ("RAY_ADDRESS", "SCENTFIELD_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "client").mkdir()
    return tmp_path / "client"


def scout_of(call: Invocation) -> Scout:
    return Scout(lambda: top._lookout(call, ""), time.monotonic)


def test_one_look_in_a_pipe_needs_neither_ray_nor_a_screen(open_gateway: Callable[..., Any], folder: Path) -> None:
    gateway = open_gateway()
    tell(folder, gateway.url)
    settings = Settings(data_dir=folder, space="test")
    with Coordinator.connect(gateway.url, agent="ann", settings=settings, root=gateway.root) as ann:
        ann.claim("src/a.py", intent="tidy up")
        ann.deposit("src/b.py", "STUCK")
        ended = subprocess.run(
            [sys.executable, "-c", RUN, "top", "--json"],
            cwd=gateway.root,
            env=os.environ.copy(),
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.splitlines()[-1] == "False False"
    seen = json.loads(ended.stdout)
    assert [(row["target"], row["intent"]) for row in seen["claims"]] == [("src/a.py", "tidy up")]
    assert [(row["kind"], row["target"]) for row in seen["signals"]] == [("STUCK", "src/b.py")]
    assert [row["session_id"] for row in seen["agents"]] == ["ann#1"]
    assert (seen["n_claims"], seen["n_agents"], seen["problems"]) == (1, 1, {})
    assert seen["counters"]["claims_granted"] == 1
    assert "Learning Efficacy" in [section[0] for section in seen["efficacy"]]


def test_on_a_terminal_it_shows_the_screen_until_q(open_gateway: Callable[..., Any], folder: Path) -> None:
    gateway = open_gateway()
    tell(folder, gateway.url)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 130, 0, 0))
    shown = subprocess.Popen(
        [sys.executable, "-c", RUN, "top"],
        cwd=gateway.root,
        env={name: value for name, value in os.environ.items() if name not in SIZE} | {"TERM": "xterm-256color"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,  # this is where the screen is drawn
    )
    os.close(theirs)
    try:
        read_until(ours, (b"Claims", b"Learning Efficacy"))
        read_until(
            ours, (b"\x1b[?1049l", b"False True"), key=b"q"
        )  # the screen that was there before is back; no Ray was needed
        assert shown.wait(60.0) == 0
    finally:
        shown.kill()
        shown.wait()
        os.close(ours)


def read_until(terminal: int, wanted: tuple[bytes, ...], *, key: bytes = b"", within_s: float = 90.0) -> bytes:
    """What is written to a terminal, until all that is wanted was. `key` is pressed every two seconds meanwhile."""
    drawn, until_s, press_at_s = b"", time.monotonic() + within_s, 0.0
    while not all(text in drawn for text in wanted):
        assert time.monotonic() < until_s, drawn[-2_000:]
        if key and time.monotonic() >= press_at_s:
            os.write(terminal, key)
            press_at_s = time.monotonic() + 2.0
        if select.select([terminal], [], [], 1.0)[0]:
            drawn += os.read(terminal, 65_536)
    return drawn


def test_it_finds_the_coordinator_again_at_another_address(open_gateway: Callable[..., Any], folder: Path) -> None:
    first = open_gateway()
    tell(folder, first.url)
    scout = scout_of(Invocation())
    scout.look()
    assert scout.problem == ""
    first.on_loop(first._server.close())
    scout.look()
    assert "cannot be reached" in scout.problem
    scout.look()
    assert "no gateway answers" in scout.problem
    tell(folder, open_gateway().url)
    scout.look()
    assert scout.problem == ""


def test_an_actor_that_is_gone_is_said_and_the_rest_is_seen(open_gateway: Callable[..., Any], folder: Path) -> None:
    gateway = open_gateway(gone=("memory",))
    tell(folder, gateway.url)
    scout = scout_of(Invocation())
    scout.look()
    assert scout.problem == ""
    assert list(scout.sight.problems) == ["memory"]
    assert scout.sight.counters is not None
    assert scout.efficacy[0][0] == "It cannot be told now"


def test_where_nothing_runs_it_says_so(folder: Path) -> None:
    with pytest.raises(Unavailable, match=r"no gateway answers.*scentfield up"):
        top.top(Invocation(), once=True)


def test_where_a_cluster_is_named_it_asks_for_a_gateway(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.1:6379")
    with pytest.raises(Unavailable, match=r"the cluster 10\.0\.0\.1:6379 was named.*--url http://host:port"):
        top.top(Invocation(), once=True)


def test_without_the_library_for_screens_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "textual"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "coordinator.top.app", raising=False)
    monkeypatch.delitem(sys.modules, "coordinator.top.panel", raising=False)
    monkeypatch.setitem(sys.modules, "textual", None)
    with pytest.raises(Misuse, match=r"pip install 'scentfield\[top\]', or use --once"):
        top._app_class()
