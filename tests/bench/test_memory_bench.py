"""The bench of recalls runs and says what it promises; how fast, only a quiet machine can tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from coordinator.bench.memory import OPERATIONS, many_facts, row_of

QuickRows = Callable[[str], list[dict[str, Any]]]
PROMISED = ["n_facts", "operation", "p50_ms", "p99_ms", "reference", "reference_p50_ms", "actor_mib"]


@pytest.mark.cluster
@pytest.mark.soak
@pytest.mark.timeout(300)
def test_rows_have_the_promised_names_and_nothing_is_left_behind(quick_rows: QuickRows) -> None:
    rows = quick_rows("memory")
    assert [row["operation"] for row in rows] == list(OPERATIONS)
    for row in rows:
        assert list(row) == PROMISED
        assert 0 < row["p50_ms"] <= row["p99_ms"]
        assert row["reference_p50_ms"] > 0


def test_there_are_as_many_facts_as_wanted_each_under_a_name_of_its_own() -> None:
    facts = many_facts(500)
    assert len({(one.category, one.key) for one in facts}) == len(facts) == 500
    for one in facts:
        one.check()


def test_a_row_has_the_medians_of_the_recalls() -> None:
    row = row_of("exact", 10, [0.001, 0.002, 0.009], [0.5, 0.7], 12.34)
    assert (row["p50_ms"], row["reference_p50_ms"], row["actor_mib"]) == (2.0, 600.0, 12.3)
    assert row["p99_ms"] > 8
