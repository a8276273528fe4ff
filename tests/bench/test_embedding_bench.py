"""The embedding bench runs and says what it promises; how fast, only a quiet machine can tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from coordinator.bench.embedding import BATCH, FULL, Shape, row_of, short_lines

QuickRows = Callable[[str], list[dict[str, Any]]]
PROMISED = ["model", "batch", "lines_per_s", "reference_lines_per_s", "ratio", "ratio_range", "in_flight"]


@pytest.mark.cluster
@pytest.mark.timeout(300)
def test_rows_have_the_promised_names_and_nothing_is_left_behind(quick_rows: QuickRows) -> None:
    (row,) = quick_rows("embedding")
    assert list(row)[: len(PROMISED)] == PROMISED
    assert (row["model"], row["batch"], row["in_flight"]) == ("static", 512, 4)
    assert row["lines_per_s"] > 0
    assert row["reference_lines_per_s"] > 0
    assert 0 < row["ratio_range"][0] <= row["ratio"] <= row["ratio_range"][1]


def test_a_row_has_the_medians_and_the_range_of_the_pairs_ratios() -> None:
    row = row_of(Shape("static", 4), [(40_000.0, 50_000.0), (30_000.0, 60_000.0), (45_000.0, 50_000.0)])
    assert (row["lines_per_s"], row["reference_lines_per_s"]) == (40_000, 50_000)
    assert (row["ratio"], row["ratio_range"]) == (0.8, [0.5, 0.9])


def test_lines_are_short_distinct_and_more_than_the_cache_holds() -> None:
    lines = short_lines(20_000)
    assert len(set(lines)) == len(lines) == 20_000
    assert {8 <= len(line) <= 80 for line in lines} == {True}
    assert len(short_lines(40_960)) > 2 * 16_384


def test_the_full_plan_has_whole_groups_of_calls() -> None:
    assert all(FULL.n_calls[shape.model] % shape.in_flight == 0 for shape in FULL.shapes)
    assert BATCH == 512
