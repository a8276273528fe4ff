"""Runs a bench as people do, in a process of its own with little to measure."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def quick_rows(tmp_path: Path) -> Callable[[str], list[dict[str, Any]]]:
    """`quick_rows("claims")`: the rows of `bench claims --json --quick`, which must leave nothing behind."""

    def run(name: str) -> list[dict[str, Any]]:
        ran = subprocess.run(
            [sys.executable, "-m", "coordinator.bench", name, "--json", "--quick"],
            env={**os.environ, "SCENTFIELD_DATA_DIR": str(tmp_path)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=280,
        )
        assert ran.returncode == 0, ran.stderr[-3_000:]
        result = json.loads(ran.stdout)
        assert result["bench"] == name
        assert list(tmp_path.iterdir()) == []
        rows: list[dict[str, Any]] = result["rows"]
        return rows

    return run
