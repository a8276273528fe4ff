"""Walking real commits: which files are replayed with which hunks, and what is passed over and why."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.errors import Misuse
from coordinator.replay.change import MAX_FILE_BYTES, MAX_FILES_A_COMMIT, MAX_HUNKS_A_FILE, Change
from coordinator.replay.git_repository import GitRepository
from coordinator.replay.history import History
from coordinator.replay.hunk import Hunk

TEN = "".join(f"line {number}\n" for number in range(1, 11))


def walked(folder: Path, revision: str = "HEAD", limit: int = 100) -> tuple[list[Change], History]:
    history = History(GitRepository(folder), revision, limit)
    return list(history.changes()), history


def told_apart(changes: list[Change]) -> list[tuple[int, str, tuple[Hunk, ...]]]:
    return [(change.at, change.path, change.hunks) for change in changes]


def test_each_changed_file_comes_as_it_was_before_with_its_hunks_oldest_commit_first(repo: Any) -> None:
    repo.commit("begin", {"a.txt": TEN, "b.txt": TEN})
    repo.commit("change a\n\nand say why\n", {"a.txt": TEN.replace("line 3\n", "third\n").replace("line 9\n", "")})
    repo.commit("insert into b", {"b.txt": TEN.replace("line 5\n", "line 5\nline 5.5\n")})
    changes, history = walked(repo.root)
    assert told_apart(changes) == [
        (1, "a.txt", (Hunk(3, 1), Hunk(9, 1))),
        (2, "b.txt", (Hunk(5, 0),)),
    ]
    assert [change.message for change in changes] == ["change a\n\nand say why", "insert into b"]
    assert {change.before for change in changes} == {TEN.encode()}
    assert history.skipped == {"added": 2}
    assert len(history.commits) == history.n_commits == 3


def test_a_range_and_a_limit_bound_the_walk(repo: Any) -> None:
    for number in range(6):
        repo.commit(f"commit {number}", {"a.txt": f"{TEN}{number}\n"})
    assert [change.message for change in walked(repo.root, limit=2)[0]] == ["commit 4", "commit 5"]
    assert [change.message for change in walked(repo.root, "HEAD~4..HEAD~2")[0]] == ["commit 2", "commit 3"]


def test_what_has_no_text_before_and_after_is_counted_by_its_reason(repo: Any) -> None:
    repo.commit(
        "begin",
        {
            "moved.txt": TEN,
            "mode.txt": TEN,
            "typed.txt": TEN,
            "bytes.bin": b"\0\1\2",
            "large.txt": "x" * 80 + "\n" + "y\n" * (MAX_FILE_BYTES // 2),
            "empty.txt": "",
            "old_mac.txt": "one\rtwo\rthree\n",
            "many.txt": TEN * MAX_HUNKS_A_FILE,
            "gone.txt": "nothing like the others\n",
        },
    )
    (repo.root / "link").symlink_to("a.txt")
    repo.commit("link")
    repo.git("mv", "moved.txt", "there.txt")
    (repo.root / "mode.txt").chmod(0o755)
    (repo.root / "gone.txt").unlink()
    (repo.root / "link").unlink()
    (repo.root / "link").symlink_to("b.txt")
    (repo.root / "typed.txt").unlink()
    (repo.root / "typed.txt").symlink_to("b.txt")
    repo.commit(
        "change everything",
        {
            "bytes.bin": b"\0\1\3",
            "large.txt": "z\n" + "y\n" * (MAX_FILE_BYTES // 2),
            "empty.txt": "no longer\n",
            "old_mac.txt": "one\rtwo\rfour\n",
            "many.txt": TEN.replace("line 1\n", "first\n").replace("line 6\n", "sixth\n") * MAX_HUNKS_A_FILE,
            "new.txt": "added\n",
        },
    )
    changes, history = walked(repo.root, "HEAD~1..HEAD")
    assert changes == []
    assert history.skipped == {
        "added": 1,
        "binary": 1,
        "deleted": 1,
        "empty_before": 1,
        "line_endings": 1,
        "mode_only": 1,
        "renamed_only": 1,
        "symlink": 1,
        "too_large": 1,
        "too_many_hunks": 1,
        "type_changed": 1,
    }


def test_a_name_that_is_no_utf_8_is_passed_over_and_unusual_ones_are_not(repo: Any) -> None:
    names = ["tab\there.txt", 'quote".txt', "ünï.txt", b"caf\xe9.txt".decode("utf-8", "surrogateescape")]
    repo.commit("begin", dict.fromkeys(names, TEN))
    repo.commit("change", dict.fromkeys(names, f"{TEN}more\n"))
    changes, history = walked(repo.root, "HEAD~1..HEAD")
    assert sorted(change.path for change in changes) == sorted(names[:3])
    assert history.skipped == {"name_not_utf8": 1}


def test_a_file_that_moves_and_changes_is_replayed_under_its_old_name(repo: Any) -> None:
    repo.commit("begin", {"old.txt": TEN * 3})
    repo.git("mv", "old.txt", "new.txt")
    repo.commit("move", {"new.txt": f"first\n{TEN * 3}"})
    assert told_apart(walked(repo.root, "HEAD~1..HEAD")[0]) == [(0, "old.txt", (Hunk(0, 0),))]


def test_a_commit_that_sweeps_the_tree_is_passed_over(repo: Any) -> None:
    names = [f"file{number}.txt" for number in range(MAX_FILES_A_COMMIT + 1)]
    repo.commit("begin", {name: f"{name}\n{TEN}" for name in names})
    repo.commit("all but one", {name: f"{TEN}{name}\n" for name in names[1:]})
    repo.commit("all", {name: f"{name}: {TEN}" for name in names})
    changes, history = walked(repo.root, "HEAD~2..HEAD")
    assert [change.at for change in changes] == [0] * MAX_FILES_A_COMMIT
    assert history.skipped == {"sweeping_commit": 1}


def test_a_submodule_is_passed_over(make_repo: Callable[..., Any]) -> None:
    inner, repo = make_repo("inner"), make_repo("outer")
    inner.commit("one", {"a.txt": TEN})
    for name in ("first", "second"):
        inner.commit(name)
        repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "--force", str(inner.root), "sub")
        repo.git("-C", "sub", "pull", "-q", str(inner.root), "main")
        repo.commit(name)
    changes, history = walked(repo.root, "HEAD~1..HEAD")
    assert (changes, history.skipped) == ([], {"submodule": 1})


def test_merges_are_counted(repo: Any) -> None:
    repo.commit("begin", {"a.txt": TEN})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", {"a.txt": f"{TEN}side\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("main", {"b.txt": TEN})
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    changes, history = walked(repo.root)
    assert [change.message for change in changes] == ["side"]
    assert history.skipped == {"added": 2, "merge": 1}


def test_a_range_of_merges_alone_says_so(repo: Any) -> None:
    repo.commit("begin", {"a.txt": TEN})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", {"a.txt": f"{TEN}side\n"})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    repo.git("update-ref", "refs/heads/before", "HEAD^2")
    with pytest.raises(Misuse, match=r"'before\.\.HEAD' holds 1 merges and nothing else: give --rev a range"):
        walked(repo.root, "before..HEAD")


@pytest.mark.parametrize("revision", ["nowhere", "a..b", "--all", ""])
def test_an_unknown_range_is_refused_with_what_to_do(repo: Any, revision: str) -> None:
    repo.commit("begin", {"a.txt": TEN})
    with pytest.raises(Misuse, match=r"does not know .*: look with git log"):
        walked(repo.root, revision)


def test_a_range_without_commits_is_refused(repo: Any) -> None:
    repo.commit("begin", {"a.txt": TEN})
    with pytest.raises(Misuse, match=r"'HEAD\.\.HEAD' holds no commits: give --rev"):
        walked(repo.root, "HEAD..HEAD")


def test_what_is_no_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="is no git repository that can be read"):
        GitRepository(tmp_path)
    with pytest.raises(Misuse, match="there is no folder"):
        GitRepository(tmp_path / "nowhere")


def test_the_caller_s_own_repository_does_not_get_in_the_way(
    make_repo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = make_repo("one"), make_repo("other")
    one.commit("begin", {"a.txt": TEN})
    wanted = one.commit("change", {"a.txt": f"{TEN}more\n"})
    other.commit("begin", {"b.txt": TEN})
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))  # as in a hook
    assert walked(one.root)[1].commits[-1] == wanted


def test_the_boundary_of_a_shallow_clone_is_counted(repo: Any, tmp_path: Path) -> None:
    for number in range(5):
        repo.commit(f"commit {number}", {"a.txt": f"{TEN}{number}\n"})
    shallow = tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth", "3", repo.root.as_uri(), str(shallow)], check=True)
    changes, history = walked(shallow)
    assert [change.message for change in changes] == ["commit 3", "commit 4"]
    assert history.skipped == {"shallow_boundary": 1}


def test_settings_of_the_user_do_not_change_a_replay(repo: Any) -> None:
    repo.commit("begin", {"a.txt": TEN, "b.txt": TEN})
    repo.commit("change", {"a.txt": TEN.replace("line 2\n", "2\n").replace("line 4\n", "4\n"), "b.txt": f"x\n{TEN}"})
    plain = walked(repo.root)[0]
    for setting in ("diff.interHunkContext=9", "diff.noprefix=true", "color.ui=always", "diff.mnemonicPrefix=true"):
        repo.git("config", *setting.split("="))
    repo.git("config", "log.showSignature", "true")
    assert walked(repo.root)[0] == plain
    assert len(plain) == 2


def test_a_history_is_named_by_its_first_commits_whichever_range_was_walked(repo: Any) -> None:
    root = repo.commit("begin", {"a.txt": TEN})
    for number in range(3):
        repo.commit(f"commit {number}", {"a.txt": f"{TEN}{number}\n"})
    origins = set()
    for revision in ("HEAD", "HEAD~1..HEAD"):
        origins.add(walked(repo.root, revision)[1].origin())
    assert origins == {(root,)}


def test_lock_files_are_passed_over_and_counted(repo: Any) -> None:
    names = ("package-lock.json", "web/Cargo.lock", "poetry.lock", "go.sum", "lock.py")
    repo.commit("first", dict.fromkeys(names, "a = 1\nb = 2\n"))
    repo.commit("second", dict.fromkeys(names, "a = 1\nb = 3\n"))
    history = History(GitRepository(repo.root), "HEAD", 1)
    assert [change.path for change in history.changes()] == ["lock.py"]
    assert history.skipped == {"lock_file": 4}
