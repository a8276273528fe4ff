"""Where the hooks of a repository are, and what becomes of them. All work trees of a repository share them."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from actors.runtime.errors import Misuse
from coordinator.folder import write_whole
from coordinator.git_command import GitCommand, first_line
from coordinator.guard.hook_script import ASIDE, is_guarded, is_own, is_shell, own_script, with_guard, without_guard

MAX_HOOK_BYTES: Final = 2**20
_EVERYBODYS: Final = frozenset(("global", "system"))


@dataclass(frozen=True, slots=True)
class HookState:
    """One hook: whether it calls the guard and git runs it, and what else there is: `others` says it in a few words."""

    hook: str
    path: Path
    is_guarded: bool
    others: str


class HookFolder:
    """The folder in which git looks for the hooks of the repository around `folder`.

    Raises `Misuse` where there is no work tree, or the folder is that of all repositories of a user.
    """

    def __init__(self, folder: Path) -> None:
        git = GitCommand(folder)
        self.top = Path(_said(git, "rev-parse", "--show-toplevel"))
        git = GitCommand(self.top)
        _refuse_everybodys(git)
        self.path = Path(os.path.normpath(self.top / _said(git, "rev-parse", "--git-path", "hooks")))
        self.notes = tuple(_notes(git, self.path, self.top))

    def install(self, hook: str, command: tuple[str, ...]) -> str:
        """Put the guard into one hook; says what was done. Raises `Misuse` where that would break what is there."""
        at = self.path / hook
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            return self._install(at, hook, command)
        except OSError as error:
            raise Misuse(
                f"{str(at)!r} cannot be changed ({error.strerror or error}): see who may write there"
            ) from error

    def _install(self, at: Path, hook: str, command: tuple[str, ...]) -> str:
        if not os.path.lexists(at):
            _write_program(at, own_script(hook, command))
            return "written"
        script = _script(at)
        if script is not None and is_own(script, hook):
            _write_program(at, own_script(hook, command))
            return "written anew"
        if script is not None and is_shell(script) and os.access(at, os.X_OK) and not at.is_symlink():
            write_whole(at, with_guard(hook, script, command))
            return "added to the hook that was there"
        self._put_aside(at)
        _write_program(at, own_script(hook, command))
        return f"written; the hook that was there is {at.name}{ASIDE} now, and is called after it"

    def _put_aside(self, at: Path) -> None:
        aside = at.with_name(f"{at.name}{ASIDE}")
        if os.path.lexists(aside):
            raise Misuse(f"{str(aside)!r} is there already, beside another {at.name}: keep one of the two")
        at.rename(aside)

    def uninstall(self, hook: str) -> str:
        """Take it out again; what was there before is as it was. Says what was done."""
        at = self.path / hook
        try:
            script = _script(at)
            if script is None or not is_guarded(script):
                return "was not there"
            if not is_own(script, hook):
                write_whole(at, without_guard(script))
                return "taken out of the hook that was there"
            return self._restore(at)
        except OSError as error:
            raise Misuse(
                f"{str(at)!r} cannot be changed ({error.strerror or error}): see who may write there"
            ) from error

    def _restore(self, at: Path) -> str:
        aside = at.with_name(f"{at.name}{ASIDE}")
        if os.path.lexists(aside):
            aside.replace(at)
            return "removed; the hook that was put aside has its name again"
        at.unlink()
        return "removed"

    def state(self, hook: str) -> HookState:
        """How one hook is now."""
        at = self.path / hook
        if not os.path.lexists(at):
            return HookState(hook, at, False, "no hook")
        script = _script(at)
        is_run = os.access(at, os.X_OK)
        guarded = script is not None and is_guarded(script)
        aside = at.with_name(f"{hook}{ASIDE}")
        if guarded and script is not None and is_own(script, hook):
            others = f"then {aside.name}" if os.path.lexists(aside) else "nothing else"
        else:
            others = "then the rest of the hook" if guarded else "another hook"
        return HookState(hook, at, guarded and is_run, others if is_run else f"{others}; it is not executable")


def _script(at: Path) -> bytes | None:
    """What a hook says; None for one that is no file of reasonable size. Raises `Misuse` for a folder."""
    if at.is_dir():
        raise Misuse(f"{str(at)!r} is a folder: take it away")
    if not at.is_file() or at.stat().st_size > MAX_HOOK_BYTES:
        return None
    return at.read_bytes()


def _write_program(at: Path, script: bytes) -> None:
    write_whole(at, script)
    at.chmod(stat.S_IMODE(at.stat().st_mode) | 0o755)


def _said(git: GitCommand, *arguments: str) -> str:
    said = git.run(*arguments)
    if said.returncode:
        raise Misuse(
            f"{str(git.folder)!r} is in no work tree of git ({first_line(said.stderr)}): go to one, or use --root"
        )
    return said.stdout.removesuffix(b"\n").decode("utf-8", "surrogateescape")


def _refuse_everybodys(git: GitCommand) -> None:
    """A folder of hooks for all repositories of a user is not this repository's to change."""
    said = git.run("config", "--show-scope", "--get", "core.hooksPath")
    scope, _, path = said.stdout.decode("utf-8", "replace").strip().partition("\t")
    if said.returncode == 0 and scope in _EVERYBODYS:
        raise Misuse(
            f"core.hooksPath is {path!r} for all repositories ({scope}): give this one hooks of its own with "
            "`git config core.hooksPath .git/hooks`, or call `scentfield guard check pre-commit` there yourself"
        )


def _notes(git: GitCommand, path: Path, top: Path) -> list[str]:
    """What somebody may be surprised by."""
    if path.parent.name == ".husky":
        return [f"{path} is made anew by husky: run this again after each installation of packages"]
    is_versioned = path.is_relative_to(top) and ".git" not in path.relative_to(top).parts
    if is_versioned and git.run("check-ignore", "-q", "--", str(path)).returncode == 1:
        return [f"{path} is part of the work tree: committed, these lines name a program of this machine for everybody"]
    return []
