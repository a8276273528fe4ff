"""The claims bench runs and says what it promises; how fast, only a quiet machine can tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]
QuickRows = Callable[[str], list[dict[str, Any]]]
PROMISED = [
    "n_processes",
    "batch",
    "durable",
    "ops_per_s",
    "p50_ms",
    "p99_ms",
    "reference",
    "reference_ops_per_s",
    "reference_p50_ms",
    "ratio",
    "ratio_range",
]


def test_rows_have_the_promised_names_and_nothing_is_left_behind(quick_rows: QuickRows) -> None:
    rows = quick_rows("claims")
    shapes = [(row["n_processes"], row["batch"], row["durable"]) for row in rows]
    assert shapes == [(n, batch, durable) for n in (1, 2) for batch in (1, 100) for durable in (True, False)]
    for row in rows:
        assert list(row)[: len(PROMISED)] == PROMISED
        assert row["ops_per_s"] > 0
        assert 0 < row["p50_ms"] <= row["p99_ms"]
        low, high = row["ratio_range"]
        assert 0 < low <= row["ratio"] <= high
        assert row["reference"] == "no-op call of an async Ray actor"
