"""The table of projects in docs/replay.md, as the command prints it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from coordinator.replay.table import main


def test_each_project_has_a_row_of_its_own_kind_of_file(
    repo: Any, module: str, capsys: pytest.CaptureFixture[str]
) -> None:
    oldest = repo.commit("begin", {"a.py": module})
    newest = repo.commit("change beta_10", {"a.py": module.replace("compute_beta(10)", "compute_beta(11)")})
    assert main(["--limit", "9", f"one:py={repo.root}", f"again:py={repo.root}"]) == 0
    header, line, one, again = capsys.readouterr().out.splitlines()
    columns, figures = ([cell.strip() for cell in row.strip("|").split("|")] for row in (header, one))
    told = dict(zip(columns, figures, strict=True))
    assert line == "| " + " | ".join(["---"] * len(columns)) + " |"
    assert (told["project"], told["commits"], told["hunks"]) == (
        "one, `.py`", f"2, {oldest[:7]}..{newest[:7]}", "1"
    )  # fmt: skip
    assert told["map + expand"].startswith("100% at ")
    assert {"signatures", "units", "entropy", "perfect", "naive", "naive map + unit", "auto, of full", "regret"} <= set(
        told
    )
    assert again == one.replace("one,", "again,")


@pytest.mark.parametrize(
    ("argument", "why"),
    [
        ("click", "'click' names no project: write NAME:EXTENSION=DIR"),
        ("click:py=nowhere", "there is no folder 'nowhere'"),
    ],
)
def test_what_is_no_project_is_refused(
    argument: str, why: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([argument]) == 2
    assert why in capsys.readouterr().err


def test_a_project_without_such_files_is_refused(repo: Any, capsys: pytest.CaptureFixture[str]) -> None:
    repo.commit("begin", {"a.txt": "one\ntwo\n"})
    repo.commit("change", {"a.txt": "one\n2\n"})
    assert main([f"texts:py={repo.root}"]) == 2
    assert "texts has no change to a .py file" in capsys.readouterr().err
