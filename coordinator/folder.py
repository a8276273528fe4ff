"""Folders and files that only their owner can read, and files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable
from pathlib import Path

from actors.runtime.errors import Misuse
from coordinator.editing.atomic_file import create_file, replace_file
from coordinator.editing.file_error import FileExists

Content = Callable[[os.stat_result], bytes]


def private_folder(path: Path) -> Path:
    """Make the folder with mode 0700 where it is missing, and those above it that are missing; returns it.

    Raises `Misuse` where something else is in its place, or it may not be made.
    """
    try:
        missing = [folder for folder in (path, *path.parents) if not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir(mode=0o700, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)  # says so where something else is in its place
    except OSError as error:
        raise Misuse(
            f"{str(path)!r} cannot be a folder of ours ({error.strerror or error}): take what is there away, change "
            "its permissions, or name another with SCENTFIELD_DATA_DIR"
        ) from error
    return path


def write_private(path: Path, content: bytes | Content, *, may_replace: bool = False) -> None:
    """Make a file with mode 0600, whole or not at all. Raises `FileExistsError` if it is there and must not go.

    Content may depend on what the file will be, on its inode for example, which stays what it is. Raises `Misuse` where
    nothing can be written.
    """
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        _write_new(temporary, content)
        if may_replace:
            temporary.replace(path)
        else:
            _put_first(temporary, path)
    except FileExistsError:
        raise
    except OSError as error:
        raise Misuse(
            f"{str(path)!r} cannot be written ({error.strerror or error}): make room, or see who may write to its "
            "folder"
        ) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _write_new(path: Path, content: bytes | Content) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content if isinstance(content, bytes) else content(os.fstat(descriptor)))
        file.flush()
        os.fsync(descriptor)


def _put_first(temporary: Path, path: Path) -> None:
    """Give the file its name unless somebody else's has it."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links, on which two who begin at one time are not told apart
        if path.exists():
            raise FileExistsError(f"{path} is there") from None
        temporary.rename(path)


def write_whole(path: Path, content: bytes) -> None:
    """Put `content` into a file, all of it or none; one that was there keeps its permissions, a symlink stays one.

    Raises `Misuse` for a folder that is not there and for what is no regular file, `Unavailable` for a full disk.
    """
    if not path.parent.is_dir():
        raise Misuse(f"{str(path)!r} cannot be written: there is no folder {str(path.parent)!r}, make it first")
    with contextlib.suppress(FileExists):
        create_file(path, content)
        return
    replace_file(path, content, expected_hash=None)
