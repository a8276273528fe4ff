"""The rows about the feedback loop, from a small documentation whose answers are known."""

import json
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.errors import Misuse
from coordinator.bench.feedback import measure_feedback
from coordinator.bench.report import measure, table_of

NAMES = ("wheel", "lever", "piston", "valve", "spring", "clutch", "gear", "belt", "crank", "pump")
STEPS = ("oil", "paint", "weigh", "heat", "cool", "bend", "clean", "tighten", "measure", "polish")


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten questions; each answer has its own words, so that another question's is a wrong one."""
    root = tmp_path_factory.mktemp("feedback") / "docs"
    root.mkdir()
    text = "".join(
        f"## How do I repair the {name}?\n\nTake the {name} out and {step} it. However, to repair a {name} takes time. "
        + "".join(f"After {n} days the {name} will {step} itself. " for n in range(20))
        + "\n\n"
        for name, step in zip(NAMES, STEPS, strict=True)
    )
    (root / "faq.md").write_text(f"# Repairs\n\n{text}")
    (root / "other.md").write_text("# Other\n\n" + "".join(f"## Part {n}\n\nNothing here.\n\n" for n in range(30)))
    return root


@pytest.fixture(scope="module")
def rows(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    return measure_feedback(docs, tmp_path_factory.mktemp("rows"))


def test_the_loop_is_measured_beside_swapped_answers(rows: list[dict[str, Any]]) -> None:
    assert [(row["what"], row["scorers"], row["n"]) for row in rows] == [
        (f"headings {what}", scorers, 10)
        for what in ("shown", "hidden")
        for scorers in ("the contract's", "by meaning and terms")
    ]
    for row in rows:
        for kind in ("converged", "swapped"):
            shares = [row[f"{kind}_{n}"] for n in range(4)]
            assert shares == sorted(shares)  # who converges within one round does so within two
            assert 0.0 <= shares[0] <= shares[-1] <= 1.0
        assert row["quality_after"] >= row["quality_before"]
        assert 1.0 <= row["calls"] <= 4.0


def test_answers_of_other_questions_are_told_apart_and_right_ones_known(rows: list[dict[str, Any]]) -> None:
    by_contract = rows[0]
    assert by_contract["converged_3"] == 1.0
    assert by_contract["recall_after"] == 1.0
    assert by_contract["quality_after"] > by_contract["quality_swapped"]
    assert by_contract["told_apart"] > 0.9


def test_it_needs_documentation() -> None:
    with pytest.raises(Misuse, match="--docs"):
        measure("feedback")


def test_documentation_without_questions_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Nothing\n\nis asked here.\n")
    with pytest.raises(Misuse, match="asks 0 questions"):
        measure("feedback", docs=tmp_path)


def test_the_document_is_json_and_its_table_can_be_shown(docs: Path) -> None:
    result = measure("feedback", docs=docs)
    assert json.loads(json.dumps(result))["bench"] == "feedback"
    assert table_of(result).row_count == 4
