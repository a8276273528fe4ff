"""Hooks of real repositories: what is there stays and runs, whoever has put it there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.errors import Misuse
from coordinator.guard.hook_folder import HookFolder
from coordinator.guard.hook_script import ASIDE

MARK = '#!/bin/sh\necho {} "$@" >> seen\n'
HUSKY = '#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n'
HUSKY_RUNNER = '#!/usr/bin/env sh\nsh "$(dirname "$(dirname "$0")")/$(basename "$0")" "$@"\n'


def program(at: Path, text: str) -> Path:
    at.parent.mkdir(parents=True, exist_ok=True)
    at.write_text(text, encoding="utf-8")
    at.chmod(0o755)
    return at


@pytest.fixture
def guard(tmp_path: Path) -> tuple[str, ...]:
    return (str(program(tmp_path / "bin" / "guard me", MARK.format("guard"))), "check")


def seen(at: Any) -> list[str]:
    file = at.top / "seen"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    file.unlink(missing_ok=True)
    return lines


def committed(at: Any, name: str) -> list[str]:
    at.add(name)
    at.git("commit", "-qm", "m")
    return seen(at)


def test_where_there_is_no_hook_one_is_written_and_removed_again(
    repository: Callable[..., Any], guard: tuple[str, ...]
) -> None:
    at = repository()
    folder = HookFolder(at.top)
    before = sorted(path.name for path in folder.path.iterdir())
    assert folder.state("pre-commit").others == "no hook"
    assert folder.install("pre-commit", guard) == "written"
    assert folder.install("pre-commit", guard) == "written anew"
    assert folder.state("pre-commit").is_guarded
    assert committed(at, "a") == ["guard check pre-commit"]
    assert folder.uninstall("pre-commit") == "removed"
    assert folder.uninstall("pre-commit") == "was not there"
    assert sorted(path.name for path in folder.path.iterdir()) == before


def test_a_shell_script_that_is_there_runs_after_the_guard(
    repository: Callable[..., Any], guard: tuple[str, ...]
) -> None:
    at = repository()
    folder = HookFolder(at.top)
    hook = program(folder.path / "pre-commit", MARK.format("mine"))
    before = hook.read_bytes()
    assert folder.install("pre-commit", guard) == "added to the hook that was there"
    assert folder.install("pre-commit", guard) == "added to the hook that was there"
    assert committed(at, "a") == ["guard check pre-commit", "mine"]
    assert folder.state("pre-commit").others == "then the rest of the hook"
    folder.uninstall("pre-commit")
    assert (hook.read_bytes(), committed(at, "b")) == (before, ["mine"])


def test_a_guard_that_refuses_keeps_the_rest_from_running(repository: Callable[..., Any], tmp_path: Path) -> None:
    at = repository()
    folder = HookFolder(at.top)
    program(folder.path / "pre-commit", MARK.format("mine"))
    folder.install("pre-commit", (str(program(tmp_path / "no", "#!/bin/sh\nexit 3\n")),))
    at.add("a")
    assert at.git("commit", "-qm", "m", check=False).returncode
    assert seen(at) == []


def test_a_hook_that_is_no_shell_script_or_a_link_is_put_aside_and_called(
    repository: Callable[..., Any], guard: tuple[str, ...], tmp_path: Path
) -> None:
    for name, is_link in (("python", False), ("link", True)):
        at = repository(name)
        folder = HookFolder(at.top)
        text = "#!/usr/bin/env python3\nopen('seen', 'a').write('mine\\n')\n"
        there = program(tmp_path / f"{name}.script", MARK.format("mine") if is_link else text)
        hook = folder.path / "pre-commit"
        if is_link:
            hook.symlink_to(there)
        else:
            there.rename(hook)
        assert folder.install("pre-commit", guard).startswith("written; the hook that was there is pre-commit.before")
        folder.install("pre-commit", guard)
        assert committed(at, "a") == ["guard check pre-commit", "mine"]
        assert folder.state("pre-commit").others == f"then pre-commit{ASIDE}"
        assert folder.uninstall("pre-commit") == "removed; the hook that was put aside has its name again"
        assert hook.is_symlink() == is_link
        assert committed(at, "b") == ["mine"]


def test_a_hook_that_was_switched_off_stays_off(repository: Callable[..., Any], guard: tuple[str, ...]) -> None:
    at = repository()
    folder = HookFolder(at.top)
    hook = program(folder.path / "pre-commit", MARK.format("mine"))
    hook.chmod(0o644)
    folder.install("pre-commit", guard)
    assert committed(at, "a") == ["guard check pre-commit"]
    folder.uninstall("pre-commit")
    assert (hook.stat().st_mode & 0o777, committed(at, "b")) == (0o644, [])


def test_two_hooks_that_were_put_aside_are_for_somebody_to_sort_out(
    repository: Callable[..., Any], guard: tuple[str, ...]
) -> None:
    folder = HookFolder(repository().top)
    for name in ("pre-commit", f"pre-commit{ASIDE}"):
        program(folder.path / name, "#!/usr/bin/env node\n")
    with pytest.raises(Misuse, match="is there already, beside another pre-commit: keep one of the two"):
        folder.install("pre-commit", guard)
    assert (folder.path / "pre-commit").read_text() == "#!/usr/bin/env node\n"
    (folder.path / "pre-push").mkdir()
    with pytest.raises(Misuse, match="is a folder: take it away"):
        folder.install("pre-push", guard)


def test_the_hooks_of_husky_keep_their_names(repository: Callable[..., Any], guard: tuple[str, ...]) -> None:
    at = repository()
    program(at.top / ".husky" / "_" / "h", HUSKY_RUNNER)
    program(at.top / ".husky" / "_" / "pre-commit", HUSKY)
    program(at.top / ".husky" / "_" / ".gitignore", "*")
    program(at.top / ".husky" / "pre-commit", "echo husky >> seen\n")
    at.git("config", "core.hooksPath", ".husky/_")
    folder = HookFolder(at.top)
    assert "made anew by husky" in folder.notes[0]
    folder.install("pre-commit", guard)
    assert committed(at, "a") == ["guard check pre-commit", "husky"]
    folder.uninstall("pre-commit")
    assert (at.top / ".husky" / "_" / "pre-commit").read_text() == HUSKY


def test_the_hooks_of_the_pre_commit_framework_go_on(
    repository: Callable[..., Any], guard: tuple[str, ...], tmp_path: Path
) -> None:
    pre_commit = Path(sys.executable).with_name("pre-commit")
    at = repository()
    hook = {"id": "mark", "name": "mark", "language": "system", "entry": "sh -c 'echo framework >> seen'"}
    config = {"repos": [{"repo": "local", "hooks": [hook | {"always_run": True, "pass_filenames": False}]}]}
    at.write(".pre-commit-config.yaml", text=json.dumps(config))
    at.git("add", "-A")
    environment = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "pre-commit")}

    def install(*words: str) -> None:
        subprocess.run([pre_commit, *words], cwd=at.top, env=environment, capture_output=True, check=True)

    install("install")
    folder = HookFolder(at.top)
    before = (folder.path / "pre-commit").read_bytes()
    assert folder.install("pre-commit", guard) == "added to the hook that was there"
    assert committed(at, "a") == ["guard check pre-commit", "framework"]
    install("install")
    assert not folder.state("pre-commit").is_guarded, "the framework writes its hook anew"
    folder.install("pre-commit", guard)
    folder.uninstall("pre-commit")
    assert (folder.path / "pre-commit").read_bytes() == before
    folder.install("pre-push", guard)
    install("install", "--hook-type", "pre-push")
    assert folder.install("pre-push", guard).startswith("added to the hook")


def test_a_folder_of_hooks_for_all_repositories_is_not_touched(
    repository: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = repository()
    (tmp_path / "config").write_text(f"[core]\nhooksPath = {tmp_path}/hooks\n", encoding="utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    with pytest.raises(Misuse, match=r"for all repositories \(global\): give this one hooks of its own"):
        HookFolder(at.top)
    at.git("config", "core.hooksPath", ".git/hooks")
    assert HookFolder(at.top).path == at.top / ".git" / "hooks"


def test_hooks_that_are_part_of_the_work_tree_are_said_to_be(repository: Callable[..., Any]) -> None:
    at = repository()
    at.git("config", "core.hooksPath", "tools/hooks")
    assert "part of the work tree" in HookFolder(at.top).notes[0]
    at.write(".gitignore", text="tools/\n")
    assert HookFolder(at.top).notes == ()


def test_work_trees_share_their_hooks_and_odd_places_are_no_trouble(
    repository: Callable[..., Any], guard: tuple[str, ...], tmp_path: Path
) -> None:
    at = repository("an odd\n'place' $HOME")
    at.commit("a")
    at.git("worktree", "add", "-q", str(tmp_path / "tree"))
    HookFolder(tmp_path / "tree").install("pre-commit", guard)
    assert committed(at, "b") == ["guard check pre-commit"]
    with pytest.raises(Misuse, match="in no work tree of git"):
        HookFolder(tmp_path)
