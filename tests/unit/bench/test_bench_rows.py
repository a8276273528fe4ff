"""How rounds become rows, and rows a table."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from actors.runtime.errors import Misuse
from coordinator.bench import field, mcp
from coordinator.bench.claims import Shape, row_of
from coordinator.bench.crew import Round, quantile, round_of
from coordinator.bench.report import machine_here, measure, notes_of, table_of

CLAIMS = row_of(
    Shape(4, 100, durable=True),
    [
        (Round(50_000.0, 3.0, 9.0), Round(100_000.0, 2.0, 5.0)),
        (Round(70_000.0, 2.6, 8.0), Round(120_000.0, 1.3, 4.0)),
        (Round(60_000.0, 2.4, 7.0), Round(110_000.0, 2.0, 6.0)),
    ],
)


def shown(thing: Any) -> str:
    console = Console(file=io.StringIO(), width=200)
    console.print(thing)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_rates_of_workers_add_up_and_their_calls_are_one_population() -> None:
    told = [
        {"took_s": [0.001, 0.002, 0.003, 0.004], "elapsed_s": 0.010},
        {"took_s": [0.005, 0.005], "elapsed_s": 0.020},
    ]
    assert round_of(told, batch=10) == Round(ops_per_s=4_000.0 + 1_000.0, p50_ms=3.0, p99_ms=5.0)


@pytest.mark.parametrize(
    ("share", "value"), [(0.0, 10.0), (0.25, 10.0), (0.5, 20.0), (0.51, 30.0), (0.99, 40.0), (1.0, 40.0)]
)
def test_a_quantile_is_a_value_that_was_measured(share: float, value: float) -> None:
    assert quantile([10.0, 20.0, 30.0, 40.0], share) == value


def test_a_row_has_the_medians_and_the_range_of_the_pairs_ratios() -> None:
    assert CLAIMS["ops_per_s"] == 60_000
    assert (CLAIMS["p50_ms"], CLAIMS["p99_ms"]) == (2.6, 8.0)
    assert (CLAIMS["reference_ops_per_s"], CLAIMS["reference_p50_ms"]) == (110_000, 2.0)
    assert CLAIMS["ratio"] == 1.5
    assert CLAIMS["ratio_range"] == [1.2, 2.0]


def test_a_row_over_mcp_has_both_ratios_with_their_ranges() -> None:
    pairs = [
        (Round(300.0, 3.0, 9.0), Round(500.0, 2.0, 5.0)),
        (Round(400.0, 2.6, 8.0), Round(500.0, 1.3, 4.0)),
        (Round(350.0, 2.4, 7.0), Round(500.0, 2.0, 6.0)),
    ]
    row = mcp.row_of(mcp.Shape("http", 4, 16), pairs)
    assert (row["transport"], row["n_processes"], row["n_clients"]) == ("http", 4, 16)
    assert (row["ratio"], row["ratio_range"]) == (1.5, [1.2, 2.0])
    assert (row["ops_share"], row["ops_share_range"]) == (0.7, [0.6, 0.8])
    assert (row["ops_per_s"], row["reference_ops_per_s"]) == (350, 500)


def test_a_row_has_the_promised_names_first() -> None:
    promised = "n_processes batch durable ops_per_s p50_ms p99_ms reference reference_ops_per_s reference_p50_ms"
    assert list(CLAIMS)[:11] == [*promised.split(), "ratio", "ratio_range"]


def test_a_table_shows_the_reference_in_parentheses() -> None:
    table = shown(table_of({"bench": "claims", "machine": machine_here(), "rows": [CLAIMS]}))
    assert "60,000 (110,000)" in table
    assert "1.20 - 2.00" in table
    assert "no-op call of an async Ray actor" in table


def test_notes_say_once_what_durable_means() -> None:
    told = notes_of({"rows": [CLAIMS, CLAIMS, {**CLAIMS, "durable": False, "note": "later"}]})
    assert told == "durable yes = claims: committed before the answer\ndurable no = later"


def test_an_unknown_bench_is_refused_with_the_known_ones() -> None:
    with pytest.raises(Misuse, match="there is no bench 'speed': take one of claims, field"):
        measure("speed")


def test_both_heaps_of_the_field_bench_keep_what_they_are_given() -> None:
    for heap in (field.OurField(3_000), field.SortedDict(3_000)):
        for number in range(3_000):
            heap.deposit(number, number * 0.001)
        assert heap.sync(3.0) == 15
    assert field.OurField(1).sync(0.0) == 0
