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

from coordinator.git_command import GitCommand

MAX_WALKED: Final = 50_000
_GIT_S: Final = 5.0


def listed_files(root: Path, *, max_walked: int = MAX_WALKED) -> list[str]:
    """The paths below `root`, relative to it and in order. Without git the walk ends soon after `max_walked`.

    Git lists what it has recorded: some of it may be gone, or lie behind a link by now.
    """
    try:
        ended = GitCommand(root).run("ls-files", "-z", "-c", "-o", "--exclude-standard", timeout_s=_GIT_S)
    except (OSError, subprocess.SubprocessError):
        return sorted(_walked(root, max_walked))
    if ended.returncode:
        return sorted(_walked(root, max_walked))
    return sorted({os.fsdecode(name) for name in ended.stdout.split(b"\0") if name})


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
