"""docs/contracts.md names tests; all of them are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "contracts.md"
NAMED = re.compile(r"`([\w./]+\.txt|test_\w+(?:\.py)?)`")


@pytest.fixture(scope="module")
def known() -> set[str]:
    """All transcripts, test files and test functions."""
    tests = list((ROOT / "tests").rglob("test_*.py"))
    functions = {name for path in tests for name in re.findall(r"def (test_\w+)\(", path.read_text(encoding="utf-8"))}
    transcripts = {path.name for path in (ROOT / "tests" / "scenarios").rglob("*.txt")}
    return functions | {path.name for path in tests} | transcripts


def test_each_test_that_is_named_exists(known: set[str]) -> None:
    named = NAMED.findall(PAGE.read_text(encoding="utf-8"))
    assert len(named) > 100
    assert [name for name in named if Path(name).name not in known] == []


def test_each_row_of_a_contract_names_a_test(known: set[str]) -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    bodies = [row for row in rows if not set(row) <= set("|- ") and not row.startswith(("| Contract |", "| Rule |"))]
    assert len(bodies) > 60
    assert [row for row in bodies if not NAMED.search(row)] == []
