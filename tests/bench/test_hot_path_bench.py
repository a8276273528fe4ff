"""The bench of hot paths runs and says what it promises; how fast, only a quiet machine can tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from coordinator.bench.hot_path import row_of

QuickRows = Callable[[str], list[dict[str, Any]]]
PROMISED = ["model", "operation", "p50_ms", "p99_ms", "reference", "reference_p50_ms", "reference_p99_ms", "ratio"]


@pytest.mark.cluster
@pytest.mark.soak
@pytest.mark.timeout(300)
def test_rows_have_the_promised_names_and_nothing_is_left_behind(quick_rows: QuickRows) -> None:
    rows = quick_rows("hotpath")
    shapes = [(row["model"], row["operation"]) for row in rows]
    assert shapes == [("hung", operation) for operation in ("read", "claim", "edit")]
    for row in rows:
        assert list(row)[: len(PROMISED)] == PROMISED
        assert 0 < row["p50_ms"] <= row["p99_ms"]
        assert 0 < row["ratio_range"][0] <= row["ratio"] <= row["ratio_range"][1]


def test_a_row_has_the_medians_of_the_rounds_and_the_range_of_their_ratios() -> None:
    pairs = [([0.002, 0.004, 0.006], [0.002, 0.002, 0.002]), ([0.003, 0.003, 0.250], [0.003, 0.003, 0.003])]
    row = row_of("read", "hung", pairs)
    assert (row["model"], row["operation"]) == ("hung", "read")
    assert (row["p50_ms"], row["reference_p50_ms"]) == (3.5, 2.5)
    assert (row["ratio"], row["ratio_range"]) == (1.5, [1.0, 2.0])
    assert row["p99_ms"] > 200
