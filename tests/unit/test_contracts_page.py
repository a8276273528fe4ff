"""docs/contracts.md and docs/guarantees.md name tests; all of them are there."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from coordinator.simulation.checker.checker import RULES

ROOT = Path(__file__).parents[2]
PAGES = {ROOT / "docs" / "contracts.md": 100, ROOT / "docs" / "guarantees.md": 80}
"""The pages, and how many tests each names at least."""
NAMED = re.compile(r"`([\w./]+\.(?:txt|patch)|test_\w+(?:\.py)?)`")
RULE = re.compile(r"(?<!\*)\*([a-z][a-z ,]+)\*(?!\*)")
HEADS = ("| Contract |", "| Rule |", "| Promise |")


@pytest.fixture(scope="module")
def known() -> set[str]:
    """All transcripts, planted bugs, test files and test functions."""
    tests = list((ROOT / "tests").rglob("test_*.py"))
    functions = {name for path in tests for name in re.findall(r"def (test_\w+)\(", path.read_text(encoding="utf-8"))}
    transcripts = {path.name for path in (ROOT / "tests" / "scenarios").rglob("*.txt")}
    planted = {path.name for path in (ROOT / "tests" / "simulation" / "planted").glob("*.patch")}
    return functions | {path.name for path in tests} | transcripts | planted


@pytest.mark.parametrize(("page", "n_least"), PAGES.items(), ids=lambda value: getattr(value, "stem", None))
def test_each_test_that_is_named_exists(known: set[str], page: Path, n_least: int) -> None:
    named = NAMED.findall(page.read_text(encoding="utf-8"))
    assert len(named) >= n_least
    assert [name for name in named if Path(name).name not in known] == []


def promises(page: Path) -> Iterator[str]:
    """The rows of the tables whose first column is what is promised."""
    head = ""
    for line in page.read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            head = ""
        elif not head:
            head = line
        elif head.startswith(HEADS) and not set(line) <= set("|- "):
            yield line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_row_names_a_test(page: Path) -> None:
    rows = list(promises(page))
    assert len(rows) > 25
    assert [row for row in rows if not NAMED.search(row)] == []


def test_each_rule_of_the_checker_that_is_named_is_one() -> None:
    page = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
    named = {name for row in page.splitlines() if row.startswith("|") for name in RULE.findall(row)}
    assert len(named) > 8
    assert named <= {rule.name for rule in RULES}


def test_each_planted_bug_breaks_a_promise() -> None:
    page = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
    planted = {path.name for path in (ROOT / "tests" / "simulation" / "planted").glob("*.patch")}
    assert planted - set(NAMED.findall(page)) == set()
