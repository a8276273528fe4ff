"""What can go wrong with a file on disk, named by what the caller should do."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Final

from actors.runtime.errors import Misuse, ScentfieldError, Unavailable


class StaleFile(Misuse):
    """The file's content is not the one that the change was made for: read it again."""

    code = "stale_file"


class FileVanished(Misuse):
    """There is no such file, or there no longer is."""

    code = "file_vanished"


class FileExists(Misuse):
    """The file to create is already there."""

    code = "file_exists"


class UnusableFile(Misuse):
    """The file or its folder does not allow it, or it is no regular file."""

    code = "unusable_file"


class DiskFull(Unavailable):
    """No space, quota or size limit left; nothing was changed."""

    code = "disk_full"


_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_GONE: Final = frozenset({errno.ENOENT, errno.ENOTDIR})
_FORBIDDEN: Final = frozenset(
    {errno.EACCES, errno.EPERM, errno.EROFS, errno.EISDIR, errno.EEXIST, errno.ELOOP, errno.ENAMETOOLONG, errno.EXDEV}
)


def file_error(error: OSError, path: Path) -> ScentfieldError:
    """`error` as one of ours, with what was tried on which file, and the next step."""
    reason = error.strerror or str(error)
    if error.errno in _FULL:
        return DiskFull(f"no room to write {str(path)!r} ({reason}): nothing was changed; free space, then try again")
    if error.errno in _GONE:
        return FileVanished(f"{str(path)!r} is not there ({reason}): it was moved or deleted, or the path is wrong")
    if error.errno in _FORBIDDEN:
        return UnusableFile(f"{str(path)!r} cannot be used ({reason}): check its permissions and its path")
    return Unavailable(f"{str(path)!r} could not be read or written ({reason}): nothing was changed; check the disk")
