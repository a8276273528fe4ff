"""What the tests on real processes share: the command in a process of its own, and a PostgreSQL server."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("postgresql_server", HERE.parent / "shell" / "conftest.py")
assert _spec is not None
assert _spec.loader is not None
_shell = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_shell)
postgresql = _shell.postgresql

Run = Callable[..., dict[str, Any]]
Record = Callable[[str, object], None]


def told(command: list[str], folder: Path, within_s: float, exit_codes: tuple[int, ...]) -> dict[str, Any]:
    """The document that a process prints on standard output."""
    environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=within_s, check=False
    )
    assert done.returncode in exit_codes, (done.returncode, done.stdout[-3_000:], done.stderr[-3_000:])
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def recorded(document: dict[str, Any], record_property: Record) -> dict[str, Any]:
    """The same, with its figures kept for the end of a soak's log."""
    told_at_length = {name for name, value in document.items() if isinstance(value, list)} | {"rules_not_applied"}
    record_property("figures", {name: value for name, value in document.items() if name not in told_at_length})
    return document


@pytest.fixture
def run_chaos(tmp_path: Path, record_property: Record) -> Run:
    """`run_chaos("--minutes", "1")`: the command's document, whether or not a promise was broken."""

    def run(*arguments: str, within_s: float) -> dict[str, Any]:
        command = [str(Path(sys.executable).with_name("scentfield")), "chaos", "--json", *arguments]
        return recorded(told(command, tmp_path, within_s, (0, 1)), record_property)

    return run


@pytest.fixture
def run_program(tmp_path: Path, record_property: Record) -> Run:
    """`run_program("two_nodes.py", "sqlite")`: what a program beside this file prints."""

    def run(name: str, *arguments: str, within_s: float) -> dict[str, Any]:
        return recorded(told([sys.executable, str(HERE / name), *arguments], tmp_path, within_s, (0,)), record_property)

    return run
