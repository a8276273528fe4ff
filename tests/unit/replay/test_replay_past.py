"""What a view may know of a file's past: what was done before, and nothing that came later."""

from __future__ import annotations

from typing import Any

import pytest

from coordinator.reading.line_history import line_history
from coordinator.reading.shown import ShownLines
from coordinator.replay import history as history_module
from coordinator.replay.change import Change
from coordinator.replay.git_repository import GitRepository
from coordinator.replay.history import History

TEN = [f"line {number}\n" for number in range(1, 11)]


def with_line(number: int, text: str, lines: list[str] = TEN) -> str:
    return "".join([*lines[: number - 1], text, *lines[number:]])


def walked(repo: Any, revision: str = "HEAD", limit: int = 100) -> dict[str, Change]:
    return {change.message: change for change in History(GitRepository(repo.root), revision, limit).changes()}


@pytest.fixture
def edits(repo: Any) -> Any:
    """Four commits to one file: it is made, then lines 2, 7 and 5 change."""
    repo.commit("make", {"a.txt": "".join(TEN)})
    lines = list(TEN)
    for number in (2, 7, 5):
        lines[number - 1] = f"changed {number}\n"
        repo.commit(f"change {number}", {"a.txt": "".join(lines)})
    return repo


def test_a_change_knows_the_commits_before_it_newest_first(edits: Any) -> None:
    changes = walked(edits)
    assert changes["change 2"].past == ()
    assert [patch.message for patch in changes["change 7"].past] == ["change 2"]
    assert [patch.message for patch in changes["change 5"].past] == ["change 7", "change 2"]
    told = line_history(changes["change 5"].past, 10).changes
    assert [(one.message, one.lines) for one in told] == [
        ("change 7", ShownLines.of([(7, 7)])),
        ("change 2", ShownLines.of([(2, 2)])),
    ]


def test_commits_before_the_range_are_known_too(edits: Any) -> None:
    changes = walked(edits, "HEAD~1..HEAD")
    assert list(changes) == ["change 5"]
    assert [patch.message for patch in changes["change 5"].past] == ["change 7", "change 2"]
    assert walked(edits, limit=1)["change 5"].past == changes["change 5"].past


def test_only_so_many_of_them(edits: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_module, "N_PAST_COMMITS", 1)
    assert [patch.message for patch in walked(edits, limit=1)["change 5"].past] == ["change 7"]


def test_a_file_that_comes_back_begins_anew(edits: Any) -> None:
    edits.git("rm", "-q", "a.txt")
    edits.commit("remove")
    edits.commit("make again", {"a.txt": "".join(TEN)})
    edits.commit("change 1", {"a.txt": with_line(1, "first\n")})
    assert walked(edits)["change 1"].past == ()


def test_what_was_done_beside_it_is_left_out(repo: Any) -> None:
    repo.commit("make", {"a.txt": "".join(TEN)})
    repo.commit("before both", {"a.txt": with_line(1, "first\n")})
    changed = [*["first\n"], *TEN[1:]]
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("beside", {"a.txt": with_line(3, "third\n", changed)})
    repo.git("checkout", "-q", "main")
    repo.commit("on main", {"a.txt": with_line(9, "ninth\n", changed)})
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    changes = walked(repo)
    assert [patch.message for patch in changes["beside"].past] == ["before both"]
    assert [patch.message for patch in changes["on main"].past] == ["before both"]


def test_a_change_of_mode_alone_ends_no_past(edits: Any) -> None:
    (edits.root / "a.txt").chmod(0o755)
    edits.commit("mode")
    edits.commit("change 1", {"a.txt": (edits.root / "a.txt").read_text().replace("line 1\n", "first\n")})
    assert [patch.message for patch in walked(edits)["change 1"].past] == ["change 5", "change 7", "change 2"]
