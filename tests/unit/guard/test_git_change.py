"""What git is about to keep or to send, asked of real repositories."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.errors import Misuse, Unavailable
from coordinator.guard import git_change
from coordinator.guard.git_change import WorkTree

ZERO = "0" * 40
ODD = [
    b"a\nb",
    b'"q"\'s',
    b"-rf",
    b"caf\xc3\xa9",
    b"\xff\xfe",
    b" lead",
    b"tab\t",
    b"a*[b]?",
    b":(top)x",
    b"d/\xc3\xa9\n",
]


def staged(repository: Any) -> list[bytes]:
    return list(WorkTree(repository.top).staged().paths)


def outgoing(repository: Any, *updates: str, remote: str = "") -> Any:
    return WorkTree(repository.top).outgoing(remote, [one.encode() for one in updates])


def head(repository: Any, revision: str = "HEAD") -> str:
    return str(repository.git("rev-parse", revision).stdout.decode().strip())


def test_the_first_commit_changes_all_that_is_staged_and_nothing_else(repository: Callable[..., Any]) -> None:
    at = repository()
    at.add("a", "d/b")
    at.write("unstaged")
    assert staged(at) == [b"a", b"d/b"]


def test_a_rename_changes_the_old_path_and_the_new_one(repository: Callable[..., Any]) -> None:
    at = repository()
    at.git("config", "diff.renames", "copies")
    at.commit("old", text="much the same\n" * 20)
    at.git("mv", "old", "new")
    assert staged(at) == [b"new", b"old"]
    at.git("commit", "-qm", "m")
    assert sorted(outgoing(at, f"refs/heads/main {head(at)} refs/heads/main {head(at, 'HEAD~1')}").paths) == [
        b"new",
        b"old",
    ]


def test_deletions_modes_and_links_are_changes(repository: Callable[..., Any]) -> None:
    at = repository()
    at.commit("gone", "mode", "link")
    (at.top / "gone").unlink()
    (at.top / "mode").chmod(0o755)
    (at.top / "link").unlink()
    (at.top / "link").symlink_to("/elsewhere")
    at.git("add", "-A")
    assert staged(at) == [b"gone", b"link", b"mode"]


def test_odd_names_come_as_the_bytes_that_they_are(repository: Callable[..., Any]) -> None:
    at = repository()
    at.git("config", "core.quotePath", "true")
    at.add(*ODD)
    assert staged(at) == sorted(ODD)
    at.git("commit", "-qm", "m")
    assert sorted(outgoing(at, f"refs/heads/main {head(at)} refs/heads/main {ZERO}").paths) == sorted(ODD)


def test_settings_that_would_narrow_the_answer_do_not(repository: Callable[..., Any]) -> None:
    at = repository()
    for name, value in (("diff.relative", "true"), ("diff.noprefix", "true"), ("diff.ignoreSubmodules", "all")):
        at.git("config", name, value)
    at.git("config", "log.showRoot", "false")
    at.add("a", "sub/b")
    assert list(WorkTree(at.top / "sub").staged().paths) == [b"a", b"sub/b"]
    at.git("commit", "-qm", "m")
    assert sorted(outgoing(at, f"refs/heads/main {head(at)} refs/heads/main {ZERO}").paths) == [b"a", b"sub/b"]


def test_a_merge_changes_what_differs_from_all_its_parents(repository: Callable[..., Any]) -> None:
    at = repository()
    at.commit("both", "base")
    at.git("checkout", "-qb", "other")
    at.commit("both", "theirs", text="other\n")
    at.git("checkout", "-q", "main")
    at.commit("both", "ours", text="main\n")
    at.git("merge", "other", check=False)
    at.add("both", text="both\n")
    assert staged(at) == [b"both"]
    at.git("commit", "-qm", "merge")
    sent = outgoing(at, f"refs/heads/main {head(at)} refs/heads/main {head(at, 'HEAD^1')}", remote="")
    assert sorted(sent.paths) == [b"both", b"theirs"], "with theirs, which the remote does not have either"


def test_a_push_sends_what_the_remote_has_not(repository: Callable[..., Any], tmp_path: Path) -> None:
    at = repository()
    at.commit("old")
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "remote.git")], check=True)
    at.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    at.git("push", "-q", "origin", "main")
    at.git("checkout", "-qb", "topic")
    at.commit("new")
    sent = outgoing(at, f"refs/heads/topic {head(at)} refs/heads/topic {ZERO}", remote="origin")
    assert (list(sent.paths), sent.n_commits, sent.has_older) == ([b"new"], 1, False)
    unknown = outgoing(at, f"refs/heads/topic {head(at)} refs/heads/topic {'ab' * 20}", remote="origin")
    assert list(unknown.paths) == [b"new"], "what the remote has is not known here"
    assert outgoing(at, f"(delete) {ZERO} refs/heads/topic {head(at)}").paths == {}
    at.git("tag", "-a", "v1", "-m", "v1")
    tagged = outgoing(at, f"refs/tags/v1 {head(at, 'v1')} refs/tags/v1 {ZERO}", remote="origin")
    assert list(tagged.paths) == [b"new"]


def test_the_newest_change_of_a_path_is_its_age(
    repository: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    at = repository()
    for day, names in (("2026-01-01", ("a", "b")), ("2026-01-03", ("b",)), ("2026-01-02", ())):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"{day}T00:00:00Z")
        at.write(*names, text=day)
        at.git("add", "-A")
        at.git("commit", "-qm", "m", "--allow-empty")
    sent = outgoing(at, f"refs/heads/main {head(at)} refs/heads/main {ZERO}")
    assert sent.paths == {b"a": 1_767_225_600.0, b"b": 1_767_398_400.0}
    assert sent.n_commits == 3


def test_of_very_many_commits_the_newest_are_looked_at(
    repository: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_change, "MAX_COMMITS", 2)
    monkeypatch.setattr(git_change, "_LOG", (*git_change._LOG, "--max-count=3"))
    at = repository()
    for name in ("a", "b", "c"):
        at.commit(name)
    sent = outgoing(at, f"refs/heads/main {head(at)} refs/heads/main {ZERO}")
    assert (sorted(sent.paths), sent.n_commits, sent.has_older) == ([b"b", b"c"], 2, True)


def test_lines_that_are_none_of_pre_push_are_refused(repository: Callable[..., Any]) -> None:
    at = repository()
    for line in ("a b c", f"refs/heads/x --all refs/heads/x {ZERO}", "1 2 3 4 5"):
        with pytest.raises(Misuse, match="no line of pre-push"):
            outgoing(at, line)
    assert outgoing(at, "").paths == {}


def test_a_repository_that_git_cannot_read_is_no_permission(repository: Callable[..., Any]) -> None:
    at = repository()
    at.add("a")
    tree = WorkTree(at.top)
    (at.top / ".git" / "index").write_bytes(b"broken")
    with pytest.raises(Unavailable, match="git diff does not say what changes"):
        tree.staged()


def test_outside_of_a_work_tree_there_is_nothing_to_ask(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="in no work tree of git"):
        WorkTree(tmp_path)
