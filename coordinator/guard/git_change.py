"""What git is about to keep or to send: the paths that change, and how long ago they were changed.

A rename is two changes, of the old path and of the new one. A merge changes what differs from all of its parents: the
rest was kept by others already. Paths are bytes, as git has them, relative to the top of the work tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from actors.runtime.errors import Misuse, Unavailable
from coordinator.git_command import IN_A_HOOK, GitCommand, first_line

MAX_COMMITS: Final = 1_000
_DIFF: Final = ("diff", "--cached", "--no-renames", "--ignore-submodules=none", "--name-only", "-z")
_LOG: Final = (
    "log", "--diff-merges=combined", "--no-renames", "--ignore-submodules=none", "--name-only", "-z",
    "--format=%x00//%ct", "--no-show-signature", f"--max-count={MAX_COMMITS + 1}",
)  # fmt: skip
_COMMIT: Final = b"//"
_ROOT_SHOWN: Final = ("-c", "log.showRoot=true")


class Changes(NamedTuple):
    """Each path that changes, and when that was (seconds since the epoch; None: now). `n_commits` are looked at.

    `has_older` says that further, older commits are on their way too.
    """

    paths: dict[bytes, float | None]
    n_commits: int = 0
    has_older: bool = False


class WorkTree:
    """The work tree around a folder; in a hook, the one that git has called it for."""

    def __init__(self, folder: Path) -> None:
        said = GitCommand(folder, keeps=IN_A_HOOK).run("rev-parse", "--show-toplevel")
        if said.returncode:
            raise Misuse(f"{str(folder)!r} is in no work tree of git ({first_line(said.stderr)}): go to one")
        self.top = Path(_path(said.stdout))
        self._git = GitCommand(self.top, keeps=IN_A_HOOK)

    def staged(self) -> Changes:
        """What a commit would keep."""
        changed = self._changed_since(())
        for parent in self._other_parents():
            changed &= self._changed_since((parent,))
        return Changes(dict.fromkeys(sorted(changed), None))

    def _changed_since(self, parent: tuple[str, ...]) -> set[bytes]:
        return set(_names(self._said(*_DIFF, *parent, "--")))

    def _other_parents(self) -> list[str]:
        """What is being merged; nothing, usually."""
        at = self.top / _path(self._said("rev-parse", "--git-path", "MERGE_HEAD"))
        try:
            return at.read_text("ascii").split()
        except (OSError, UnicodeDecodeError):
            return []

    def outgoing(self, remote: str, updates: Iterable[bytes]) -> Changes:
        """What a push would send: `updates` are the lines that git gives to pre-push.

        Raises `Misuse` for a line that is none. What the remote has already, as far as is known here, is left out.
        """
        revisions = _revisions(updates)
        if not revisions:
            return Changes({})
        known = ("--not", f"--remotes={remote}") if remote else ()
        said = self._said(
            *_LOG, "--ignore-missing", "--stdin", *known, given="".join(revisions).encode(), head=_ROOT_SHOWN
        )
        commits = list(_commits(said))
        paths: dict[bytes, float | None] = {}
        for at_utc_s, names in reversed(commits[:MAX_COMMITS]):  # the newest change of a path counts
            paths |= dict.fromkeys(names, at_utc_s)
        return Changes(paths, min(len(commits), MAX_COMMITS), len(commits) > MAX_COMMITS)

    def _said(self, *arguments: str, given: bytes = b"", head: tuple[str, ...] = ()) -> bytes:
        """What git answers. Raises `Unavailable` where it does not."""
        said = self._git.run(*head, *arguments, given=given)
        if said.returncode:
            raise Unavailable(
                f"git {arguments[0]} does not say what changes ({first_line(said.stderr)}): see git status"
            )
        return said.stdout


def _path(said: bytes) -> str:
    return said.removesuffix(b"\n").decode("utf-8", "surrogateescape")


def _names(said: bytes) -> list[bytes]:
    return [name for name in said.split(b"\0") if name]


def _commits(said: bytes) -> Iterator[tuple[float, list[bytes]]]:
    """The time and the paths of each commit in what `log -z` prints.

    A commit begins with its time, after what no path begins with; a line break stands before the first path, unless the
    commit is a merge.
    """
    names: list[bytes] = []
    at_utc_s, last = -1.0, b""
    for field in said.split(b"\0"):
        if field.startswith(_COMMIT):
            if at_utc_s >= 0.0:
                yield at_utc_s, names
            at_utc_s, names = float(field.removeprefix(_COMMIT)), []
        elif field:
            names.append(field.removeprefix(b"\n") if last.startswith(_COMMIT) else field)
        last = field
    if at_utc_s >= 0.0:
        yield at_utc_s, names


def _revisions(updates: Iterable[bytes]) -> list[str]:
    """Lines for `log --stdin`: what is sent, and `^` before what the remote has."""
    found = []
    for line in updates:
        fields = line.decode("utf-8", "replace").split()
        if not fields:
            continue
        if len(fields) != 4 or not all(_is_object(one) for one in (fields[1], fields[3])):
            raise Misuse(
                f"{line[:200]!r} is no line of pre-push: give <local ref> <local sha> <remote ref> <remote sha>"
            )
        local, remote = fields[1], fields[3]
        if local.strip("0"):
            found.append(f"{local}\n")
            found += [f"^{remote}\n"] if remote.strip("0") else []
    return found


def _is_object(text: str) -> bool:
    return len(text) in (40, 64) and set(text) <= set("0123456789abcdef")
