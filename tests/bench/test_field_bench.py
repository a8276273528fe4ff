"""The field bench runs and says what it promises; how fast, only a quiet machine can tell."""

from __future__ import annotations

from coordinator.bench.report import measure


def test_rows_have_the_promised_names_and_all_figures_are_there() -> None:
    heard: list[str] = []
    result = measure("field", quick=True, told=heard.append)
    assert list(result) == ["bench", "machine", "rows"]
    assert result["bench"] == "field"
    assert result["machine"]["n_cpus"] >= 1
    (row,) = result["rows"]
    promised = ["n_signals", "bytes_per_signal", "deposit_us", "sync_ms", "max_pause_ms"]
    assert list(row)[:5] == promised
    assert row["n_signals"] == 2_000
    assert all(row[name] > 0 for name in (*promised, *(f"reference_{name}" for name in promised[1:])))
    assert heard
