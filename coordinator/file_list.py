"""The files of a tree, and their bytes: those that git tracks or would track; without git all that are not hidden.

Links are not followed: what lies behind one is another tree's.
"""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from actors.runtime.errors import Unavailable
from coordinator.git_command import GitCommand, first_line

MAX_WALKED: Final = 50_000
_GIT_S: Final = 5.0
_PATIENT_GIT_S: Final = 60.0


def listed_files(root: Path, *, max_walked: int = MAX_WALKED, must_ignore: bool = False) -> list[str]:
    """The paths below `root`, relative to it and in order. Without git the walk ends soon after `max_walked`.

    Git lists what it has recorded: some of it may be gone, or lie behind a link by now. Where git fails in a
    repository, or is late, all files that are not hidden are listed; with `must_ignore` it raises `Unavailable`,
    because what git would ignore may be among them.
    """
    try:
        ended = GitCommand(root).run(
            "ls-files", "-z", "-c", "-o", "--exclude-standard", timeout_s=_PATIENT_GIT_S if must_ignore else _GIT_S
        )
    except (OSError, subprocess.SubprocessError) as error:
        reason = str(error)
    else:
        if not ended.returncode:
            return sorted({os.fsdecode(name) for name in ended.stdout.split(b"\0") if name})
        reason = first_line(ended.stderr)
    if must_ignore and any((folder / ".git").exists() for folder in (root, *root.parents)):
        raise Unavailable(
            f"git does not say which files of {str(root)!r} are ignored ({reason}): see `git status` there"
        )
    return sorted(_walked(root, max_walked))


def read_regular(path: Path, max_bytes: int) -> bytes | None:
    """A regular file's bytes; None for a link, for what is larger or no file, or gone."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode) or about.st_size > max_bytes:
            return None
        raw = file.read(max_bytes + 1)
    return raw if len(raw) <= max_bytes else None


def is_behind_link(path: Path) -> bool:
    """Whether a folder above is a link; the path itself has to be spelled without any up to the tree's root."""
    return os.path.realpath(path.parent) != str(path.parent)


def _walked(root: Path, max_walked: int) -> Iterator[str]:
    n_files = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            if not name.startswith("."):
                n_files += 1
                yield os.path.relpath(os.path.join(folder, name), root)  # noqa: PTH118  # many, and plain text
        if n_files > max_walked:
            return
