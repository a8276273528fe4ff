"""Two trees on disk, compared without git."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.runtime.errors import Misuse
from coordinator.replay import folder_pair
from coordinator.replay.folder_pair import FolderPair
from coordinator.replay.hunk import Hunk

TEN = "".join(f"line {number}\n" for number in range(1, 11))


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    before, after = tmp_path / "before", tmp_path / "after"
    for root, third in ((before, "line 3\n"), (after, "third\n")):
        (root / "sub").mkdir(parents=True)
        (root / ".git").mkdir()
        (root / ".git" / "config").write_text(third)
        (root / "sub" / "a.txt").write_text(TEN.replace("line 3\n", third))
        (root / "same.txt").write_text(TEN)
        (root / "bytes.bin").write_bytes(b"\0" + third.encode())
    (before / "gone.txt").write_text(TEN)
    (after / "new.txt").write_text(TEN)
    return before, after


def test_files_of_both_trees_that_differ_are_replayed(trees: tuple[Path, Path]) -> None:
    pair = FolderPair(*trees)
    told: list[int] = []
    [change] = pair.changes(told.append)
    assert (change.path, change.hunks, change.before, change.message) == ("sub/a.txt", (Hunk(3, 1),), TEN.encode(), "")
    assert pair.skipped == {"added": 1, "deleted": 1, "binary": 1}
    assert told == [1, 2, 3]
    assert pair.n_files == 3


def test_a_folder_that_is_not_there_is_refused(trees: tuple[Path, Path]) -> None:
    with pytest.raises(Misuse, match="give --after the root of a tree"):
        FolderPair(trees[0], trees[1] / "nowhere")


def test_more_files_than_can_be_compared_are_refused(trees: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_pair, "MAX_FILES", 3)
    with pytest.raises(Misuse, match="more than 3 files: name a folder inside it"):
        FolderPair(*trees)


def test_lock_files_that_differ_are_passed_over_and_counted(trees: tuple[Path, Path]) -> None:
    for tree, version in zip(trees, (1, 2), strict=True):
        (tree / "yarn.lock").write_text(f"a = {version}\n")
        (tree / "go.sum").write_text("the same\n")
    before = FolderPair(*trees)
    assert "yarn.lock" not in {change.path for change in before.changes()}
    assert before.skipped["lock_file"] == 1
