"""The bench over MCP runs and says what it promises; how fast, only a quiet machine can tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]
QuickRows = Callable[[str], list[dict[str, Any]]]
PROMISED = [
    "transport",
    "n_processes",
    "n_clients",
    "ops_per_s",
    "p50_ms",
    "p99_ms",
    "reference",
    "reference_ops_per_s",
    "reference_p50_ms",
    "ratio",
    "ratio_range",
    "ops_share",
    "ops_share_range",
]


def test_rows_have_the_promised_names_and_nothing_is_left_behind(quick_rows: QuickRows) -> None:
    rows = quick_rows("mcp")
    shapes = [(row["transport"], row["n_processes"], row["n_clients"]) for row in rows]
    assert shapes == [("http", 1, 1), ("http", 2, 4), ("stdio", 1, 1)]
    for row in rows:
        assert list(row) == PROMISED
        assert row["ops_per_s"] > 0
        assert row["reference_ops_per_s"] > 0
        assert 0 < row["p50_ms"] <= row["p99_ms"]
        for name in ("ratio", "ops_share"):
            low, high = row[f"{name}_range"]
            assert 0 < low <= row[name] <= high
        assert row["reference"] == "a tool of the same server that does nothing"
