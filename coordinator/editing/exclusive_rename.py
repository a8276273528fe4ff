"""Rename a file without ever overwriting one."""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path
from typing import Final

_AT_FDCWD: Final = -100
_RENAME_NOREPLACE: Final = 1
_UNSUPPORTED: Final = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP})


def rename_exclusively(path: Path, new_path: Path) -> None:
    """Give `path` the name `new_path`. Raises `FileExistsError` if there is something of that name, or `OSError`.

    Where the system has no rename that refuses to overwrite, for a moment the file has both names.
    """
    if _renamed_at_once(path, new_path):
        return
    os.link(path, new_path, follow_symlinks=False)
    path.unlink()


def _renamed_at_once(path: Path, new_path: Path) -> bool:
    """Linux's renameat2 (glibc 2.28 and newer); False where it is not there, or not for this file system."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return False
    code = renameat2(_AT_FDCWD, os.fsencode(path), _AT_FDCWD, os.fsencode(new_path), _RENAME_NOREPLACE)
    if code == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), str(path), None, str(new_path))
