"""Standard streams that are closed or full: real processes of the console script, started by a shell."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = "from coordinator.cli.main import run; run()"
FULL = Path("/dev/full")


def shell(tmp_path: Path, arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `scentfield` with arguments and redirections as a shell takes them."""
    (tmp_path / "key").write_text("00" * 32)
    command = f"exec '{sys.executable}' -c '{SCRIPT}' {arguments}"
    return subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("command", ["ledger verify - --key key", "learning import -"])
def test_a_closed_standard_input_cannot_be_read(tmp_path: Path, command: str) -> None:
    ended = shell(tmp_path, f"{command} <&-")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "'-' cannot be read (Bad file descriptor)" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_closed_standard_output_is_said_on_standard_error(tmp_path: Path) -> None:
    for command in ("config", "--json config"):
        ended = shell(tmp_path, f"{command} >&-")
        assert ended.returncode == 1
        assert ended.stderr.startswith(
            "error: what was asked for is done, but standard output cannot be written (Bad file descriptor): make room"
        )
        assert len(ended.stderr.splitlines()) == 1


@pytest.mark.skipif(not FULL.exists(), reason="missing system device: /dev/full")
def test_a_full_standard_output_is_said_on_standard_error(tmp_path: Path) -> None:
    for command in ("config", "--json config"):
        ended = shell(tmp_path, f"{command} >{FULL}")
        assert ended.returncode == 1
        assert "standard output cannot be written (No space left on device)" in ended.stderr
        assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize("redirection", ["2>&-", f"2>{FULL}"])
def test_without_a_standard_error_the_exit_code_says_it(tmp_path: Path, redirection: str) -> None:
    assert shell(tmp_path, f"ledger verify nothing {redirection}").returncode == 2
    ended = shell(tmp_path, f"--json ledger verify nothing {redirection}")
    assert ended.returncode == 2
    assert json.loads(ended.stdout)["error"]["code"] == "misuse"


def test_a_reader_that_has_left_is_no_bug(tmp_path: Path) -> None:
    assert shell(tmp_path, "config | true").stderr == ""
