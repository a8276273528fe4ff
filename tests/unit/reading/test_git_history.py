"""Histories from real repositories."""

import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from coordinator.reading import git_history
from coordinator.reading.git_history import MAX_KEPT, NOT_READY, GitHistory
from coordinator.reading.line_history import LineHistory
from coordinator.reading.source import SourceText, decode

LINES = [f"line {number}\n" for number in range(1, 21)]
ENOUGH_S = 30.0


def git(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True, env=environment)


def commit(root: Path, lines: list[str], message: str, name: str = "a [x].py") -> SourceText:
    (root / name).write_text("".join(lines))
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", message)
    return decode("".join(lines).encode())


def changed(at: int) -> list[str]:
    return [*LINES[: at - 1], "changed\n", *LINES[at:]]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    commit(tmp_path, LINES, "make it")
    return tmp_path


def told(history: LineHistory | None) -> list[tuple[str, tuple[tuple[int, int], ...]]]:
    assert history is not None
    return [(change.message, change.lines.ranges) for change in history.changes]


def of(root: Path, source: SourceText, name: str = "a [x].py") -> LineHistory | None:
    history, note = GitHistory(root, wait_s=ENOUGH_S).of(name, source)
    assert note == ""
    return history


def test_commits_are_told_newest_first_with_the_lines_that_they_wrote(repo: Path) -> None:
    commit(repo, changed(5), "change five\n\nbecause")
    source = commit(repo, ["new\n", "new\n", *changed(5)], "insert at the top")
    commit(repo, ["x\n"], "another file", name="b.py")
    assert told(of(repo, source)) == [
        ("", ()),
        ("insert at the top", ((1, 2),)),
        ("change five\n\nbecause", ((7, 7),)),
    ]


def test_what_is_not_committed_yet_is_the_newest_change(repo: Path) -> None:
    commit(repo, changed(5), "change five")
    lines = ["new\n", *changed(5)]
    (repo / "a [x].py").write_text("".join(lines))
    assert told(of(repo, decode("".join(lines).encode()))) == [("", ((1, 1),)), ("change five", ((6, 6),))]


def test_a_workspace_below_the_top_of_its_repository_has_a_history_too(repo: Path) -> None:
    (repo / "lib").mkdir()
    commit(repo, LINES, "make another", name="lib/c.py")
    source = commit(repo, changed(3), "change three", name="lib/c.py")
    assert told(of(repo / "lib", source, "c.py")) == [("", ()), ("change three", ((3, 3),))]


def test_without_a_repository_a_commit_or_a_committed_file_there_is_none(tmp_path: Path) -> None:
    source = decode("".join(LINES).encode())
    started: list[Callable[[], None]] = []
    assert GitHistory(tmp_path, start=started.append).of("a.py", source) == (None, "")
    assert started == []
    git(tmp_path, "init", "-q")
    assert of(tmp_path, source) is None
    commit(tmp_path, ["x\n"], "first", name="b.py")
    assert not told(of(tmp_path, source))[1:]


def test_a_file_whose_lines_git_counts_otherwise_has_none(repo: Path) -> None:
    assert of(repo, commit(repo, ["a\rb\n"], "carriage return")) is None


def test_a_read_that_comes_before_the_answer_goes_without_and_the_next_one_has_it(repo: Path) -> None:
    source = commit(repo, changed(5), "change five")
    started: list[Callable[[], None]] = []
    histories = GitHistory(repo, start=started.append, wait_s=0.0)
    assert histories.of("a [x].py", source) == (None, NOT_READY)
    assert histories.of("a [x].py", source) == (None, NOT_READY)
    (work,) = started  # git is asked once
    work()
    history, note = histories.of("a [x].py", source)
    assert note == ""
    assert told(history)[1:] == [("change five", ((5, 5),))]


def test_a_program_in_a_repository_s_configuration_is_not_run(
    repo: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    source = commit(repo, changed(5), "change five")
    folder = tmp_path_factory.mktemp("outside")
    program = folder / "monitor"
    program.write_text(f"#!/bin/sh\ntouch {folder / 'was_run'}\n")
    program.chmod(0o755)
    git(repo, "config", "core.fsmonitor", str(program))
    assert of(repo, source) is not None
    assert not (folder / "was_run").exists()


def test_an_answer_stays_as_it_is_for_the_same_content(repo: Path) -> None:
    source = commit(repo, changed(5), "change five")
    histories = GitHistory(repo, wait_s=ENOUGH_S)
    before = histories.of("a [x].py", source)
    commit(repo, changed(9), "change nine")
    commit(repo, changed(5), "back again")
    assert histories.of("a [x].py", source) == before


def test_only_so_many_answers_are_kept(repo: Path) -> None:
    started: list[Callable[[], None]] = []
    histories = GitHistory(repo, start=started.append, wait_s=0.0)
    for number in range(MAX_KEPT + 5):
        histories.of(f"{number}.py", decode(b"x\n"))
    assert len(histories._asked) == MAX_KEPT


def test_a_git_that_says_too_much_or_takes_too_long_gives_no_history(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = commit(repo, changed(5), "change five")
    monkeypatch.setattr(git_history, "MAX_BYTES", 10)
    assert of(repo, source) is None
    monkeypatch.setattr(git_history, "MAX_BYTES", 2**20)
    slow = repo / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 600\n", encoding="utf-8")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", str(slow.parent), prepend=os.pathsep)
    monkeypatch.setattr(threading.Timer, "start", lambda timer: timer.function())
    assert of(repo, source) is None


def test_a_machine_without_git_reads_without_a_history(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = commit(repo, changed(5), "change five")
    monkeypatch.setenv("PATH", str(repo))
    assert of(repo, source) is None
