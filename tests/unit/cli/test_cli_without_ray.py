"""What a command does where nothing runs, in a process of its own: Ray takes seconds to import, and is not needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from actors.runtime.errors import Unavailable
from coordinator import Settings
from coordinator.address import address_of, known_address

RUN = "import atexit, sys; atexit.register(lambda: print('ray' in sys.modules, file=sys.stderr)); "
RUN += "from coordinator.cli.entry import run; run()"


@pytest.mark.parametrize(("command", "code"), [("status", 4), ("claim", 4), ("down", 0), ("story", 2)])
def test_a_command_says_at_once_that_nothing_runs(command: str, code: int, tmp_path: Path) -> None:
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("SCENTFIELD_", "RAY_"))}
    ended = subprocess.run(
        [sys.executable, "-c", RUN, command, *(["a.py"] if command in ("claim", "story") else [])],
        cwd=tmp_path,
        env={**plain, "SCENTFIELD_DATA_DIR": str(tmp_path / "state")},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert ended.returncode == code
    said = ("nothing runs", "start it with `scentfield up`", "nobody has written to")
    assert any(text in ended.stdout + ended.stderr for text in said)
    assert ended.stderr.splitlines()[-1] == "False"


def test_a_cluster_that_was_named_is_the_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    settings = Settings(data_dir=tmp_path)
    assert address_of(settings) is None
    with pytest.raises(Unavailable, match=r"no coordinator is known for namespace 'scentfield'.*scentfield up"):
        known_address(settings)
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.1:6379")
    assert known_address(settings) == "10.0.0.1:6379"
    assert known_address(Settings(data_dir=tmp_path, address="10.0.0.2:6379")) == "10.0.0.2:6379"
