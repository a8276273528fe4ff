"""The reading bench runs and says what it promises; how fast, only a quiet machine can tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from coordinator.bench.reading import MODES, TREE

PROMISED = [
    "what", "again", "p50_ms", "mb_per_s", "reference", "reference_p50_ms", "reference_mb_per_s", "ratio",
    "ratio_range",
]  # fmt: skip


def test_rows_have_the_promised_names_and_each_mode_is_read_twice(
    quick_rows: Callable[[str], list[dict[str, Any]]],
) -> None:
    rows = quick_rows("reading")
    assert [list(row) for row in rows] == [PROMISED] * len(rows)
    assert [(row["what"], row["again"]) for row in rows] == [
        *((mode, again) for mode in MODES for again in (False, True)),
        ("units, another query", True),
        ("units with vectors", False),
        ("units with vectors", True),
        ("units with vectors, another query", True),
        (TREE, False),
    ]
    assert all(row[name] > 0 for row in rows for name in ("p50_ms", "mb_per_s", "reference_p50_ms", "ratio"))
    by_what = {(row["what"], row["again"]): row for row in rows}
    # What was read is known: generous, as the first is two orders of magnitude slower.
    for mode in ("map", "units", "units with vectors"):
        assert by_what[mode, True]["p50_ms"] < by_what[mode, False]["p50_ms"] / 3, mode
