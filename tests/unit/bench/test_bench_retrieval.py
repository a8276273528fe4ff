"""The rows about retrieval, from a small tree and a small documentation."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.errors import Misuse
from coordinator.bench import retrieval
from coordinator.bench.report import measure, table_of
from coordinator.bench.retrieval_quality import chances, measure_retrieval_quality

NAMES = ("wheel", "lever", "piston", "valve", "spring", "clutch", "gear", "belt", "crank", "pump")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    root.mkdir()
    text = "".join(
        f"## How do I repair the {name}?\n\nTake the {name} out, and oil it for a day or two.\n\n" for name in NAMES
    )
    (root / "faq.md").write_text(f"# Repairs\n\n{text}")
    (root / "other.md").write_text("# Other\n\n" + "".join(f"## Part {n}\n\nNothing here.\n\n" for n in range(30)))
    return root


def test_each_way_is_measured_with_headings_and_without(docs: Path, tmp_path: Path) -> None:
    rows = measure_retrieval_quality(docs, tmp_path)
    assert [(row["what"], row["by"], row["questions"], row["n"]) for row in rows] == [
        (f"headings {what}", by, kind, 10)
        for what, by, kind in itertools.product(("shown", "hidden"), ("words", "meaning", "both"), ("heading", "all"))
    ]
    by_words = next(row for row in rows if row["by"] == "words")
    assert (by_words["hit_1"], by_words["hit_10"], by_words["mrr"]) == (1.0, 1.0, 1.0)
    assert 0.2 < by_words["reference_hit_10"] < 0.3  # 10 of 40 sections


def test_the_chance_of_an_order_by_chance() -> None:
    assert chances(1, 40) == pytest.approx([1 / 40] * 10)
    assert chances(2, 3) == pytest.approx([2 / 3, 1 / 3, *[0.0] * 8])
    assert sum(chances(5, 5)) == pytest.approx(1.0)
    assert chances(0, 5) == [0.0] * 10


def test_documentation_goes_with_one_bench_only(docs: Path) -> None:
    with pytest.raises(Misuse, match="the bench 'reading' asks no documentation"):
        measure("reading", docs=docs)


def test_the_rows_of_the_speed_bench(tmp_path: Path) -> None:
    rows = retrieval.measure_retrieval(retrieval.QUICK, tmp_path)
    assert [row["what"] for row in rows] == [
        "index",
        "one change",
        "search",
        "search and look at the tree",
        "search, 4 at once",
    ]
    assert all(0 < row["p50_ms"] <= row["p99_ms"] and row["reference_p50_ms"] > 0 for row in rows)
    assert {row["n_files"] for row in rows} == {len(list((tmp_path / "tree").rglob("*.py")))}


def test_the_document_is_json_and_the_table_can_be_shown(docs: Path) -> None:
    result: dict[str, Any] = measure("retrieval", docs=docs)
    assert json.loads(json.dumps(result))["bench"] == "retrieval"
    assert table_of(result).row_count == 12
