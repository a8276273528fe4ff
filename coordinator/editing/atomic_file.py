"""Read and replace whole files so that nobody ever sees half of one.

A change goes to a temporary file beside the target, to the disk, and then over the target in one rename. Permission
bits, owner (where allowed) and symlinks stay; a hard link's other names keep the old content, as with any rename.
Writers that use this module exclude each other from comparing to renaming, by a lock on the file that is replaced, so
that two of them never lose one's change; others are noticed by the content's hash, up to that moment.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from actors.runtime.errors import Unavailable
from coordinator.editing.exclusive_rename import rename_exclusively
from coordinator.editing.file_error import FileExists, FileVanished, StaleFile, UnusableFile, file_error
from coordinator.editing.file_lock import lock
from coordinator.reading.source import content_hash

MAX_FILE_BYTES: Final = 64 * 1024 * 1024
LEFTOVER_AFTER_S: Final = 60.0
"""A temporary file that nobody holds and that is older than this was left by a writer that died."""

_PREFIX: Final = ".scentfield-"
_SUFFIX: Final = ".tmp"
_MAX_LOCK_ROUNDS: Final = 100
_LINK_UNSUPPORTED: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK})


def read_bytes(path: Path, *, max_bytes: int = MAX_FILE_BYTES) -> bytes:
    """The file's content.

    Raises `FileVanished` where there is none, `UnusableFile` for folders, pipes and devices, for what may not be read
    and for more than `max_bytes`.
    """
    with _our_errors(path), _opened(path) as fd:
        return _content(fd, path, max_bytes)


def replace_file(
    path: Path, raw: bytes, *, expected_hash: str | None, before_rename: Callable[[], None] = lambda: None
) -> None:
    """Give an existing file the content `raw`, on disk when this returns.

    `before_rename` is called when nothing but the rename is left to do; what it raises stops the change.
    Raises `StaleFile` if its content's SHA-256 is not `expected_hash` just before the rename (None: whatever it is),
    `FileVanished`, `UnusableFile` (also for a file that is read-only), `DiskFull`, or `Busy` where a program holds the
    file locked. On any error the file is as before.
    """
    with _our_errors(path):
        target = _resolved(path)
        with _temporary(target.parent, raw, mode=0o600) as temporary, _locked(target) as fd:
            _compare(fd, target, expected_hash)
            _take_after(temporary, os.fstat(fd), target)
            before_rename()
            temporary.replace(target)
        _sync_folder(target.parent)
        sweep_leftovers(target.parent)


def create_file(path: Path, raw: bytes, *, mode: int | None = None) -> None:
    """Write a file that must not exist yet, and the folders that it needs; whole, or not at all.

    `mode` are its permission bits; without, the process's umask decides. Raises `FileExists` (also for a symlink that
    leads nowhere), `UnusableFile` or `DiskFull`.
    """
    with _our_errors(path), _folder_for(path) as folders:
        # Mode 0o666: the process's umask decides, as for any new file.
        with _temporary(path.parent, raw, mode=0o666 if mode is None else 0o600) as temporary:
            if mode is not None:
                temporary.chmod(mode)
            _link(temporary, path, raw, mode)
        for folder in (path.parent, *(made.parent for made in folders)):
            _sync_folder(folder)


def remove_file(path: Path, *, expected_hash: str | None, before_unlink: Callable[[], None] = lambda: None) -> int:
    """Delete a file whose content's SHA-256 is `expected_hash`; returns the permission bits that it had.

    `before_unlink` is called when nothing else is left to do. Raises as `replace_file`.
    """
    with _our_errors(path):
        target = _resolved(path)
        with _locked(target) as fd:
            _compare(fd, target, expected_hash)
            _refuse_read_only(target)
            mode = stat.S_IMODE(os.fstat(fd).st_mode)
            before_unlink()
            target.unlink()
        _sync_folder(target.parent)
    return mode


def move_file(
    path: Path, new_path: Path, *, expected_hash: str | None, before_rename: Callable[[], None] = lambda: None
) -> None:
    """Give a file another name, where there must be no file yet, and the folders that it needs.

    `before_rename` is called when nothing but the rename is left to do. Raises as `replace_file`, and `FileExists`.
    """
    with _our_errors(path):
        target = _resolved(path)
        with _locked(target) as fd, _our_errors(new_path), _folder_for(new_path) as folders:
            _compare(fd, target, expected_hash)
            before_rename()
            try:
                rename_exclusively(target, new_path)
            except FileExistsError as error:
                raise _exists(new_path) from error
        for folder in (target.parent, new_path.parent, *(made.parent for made in folders)):
            _sync_folder(folder)


def sweep_leftovers(folder: Path, *, older_than_s: float = LEFTOVER_AFTER_S) -> int:
    """Delete temporary files that writers left in `folder` when they were killed; returns how many."""
    n_swept = 0
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        names = [entry.name for entry in entries if entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX)]
        n_swept = sum(_swept(folder / name, older_than_s) for name in sorted(names))
    return n_swept


def _swept(leftover: Path, older_than_s: float) -> bool:
    """Whether the file was old, nobody's (its writer holds a lock on it), and could be deleted."""
    with contextlib.suppress(OSError), _opened(leftover) as fd:
        if time.time() - os.fstat(fd).st_mtime >= older_than_s:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            leftover.unlink()
            return True
    return False


@contextlib.contextmanager
def _our_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise file_error(error, path) from error


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    # Non-blocking, or opening a pipe would wait for a writer for ever.
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        yield fd
    finally:
        os.close(fd)


def _content(fd: int, path: Path, max_bytes: int) -> bytes:
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        raise UnusableFile(f"{str(path)!r} is no regular file: only files can be read and edited")
    if status.st_size > max_bytes:
        raise UnusableFile(
            f"{str(path)!r} has {status.st_size} bytes, over the limit of {max_bytes}: edit it by other means"
        )
    with os.fdopen(os.dup(fd), "rb") as file:
        return file.read()


def _resolved(path: Path) -> Path:
    """The file behind all symlinks, so that a link stays a link."""
    try:
        return path.resolve(strict=True)
    except RuntimeError as error:  # what Python below 3.13 raises for a loop of links
        raise UnusableFile(f"{str(path)!r} is a loop of symlinks: point it at a file") from error


@contextlib.contextmanager
def _temporary(folder: Path, raw: bytes, *, mode: int) -> Iterator[Path]:
    """A file with `raw` on disk, gone at the end if it was not renamed. Locked meanwhile, so that no sweep takes it."""
    path = folder / f"{_PREFIX}{secrets.token_hex(8)}{_SUFFIX}"
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        lock(fd, path)
        _write_all(fd, raw)
        os.fsync(fd)
        yield path
    finally:
        os.close(fd)
        path.unlink(missing_ok=True)


def _write_all(fd: int, raw: bytes) -> None:
    rest = memoryview(raw)
    while rest:
        rest = rest[os.write(fd, rest) :]


@contextlib.contextmanager
def _locked(target: Path) -> Iterator[int]:
    """The file that `target` names, opened and locked: whoever replaces it takes the lock of the next one."""
    for _ in range(_MAX_LOCK_ROUNDS):
        with _opened(target) as fd:
            lock(fd, target)
            if _is_same_file(os.fstat(fd), target):
                yield fd
                return
    raise Unavailable(f"{str(target)!r} is replaced again and again by others: nothing was changed; try again")


def _is_same_file(status: os.stat_result, target: Path) -> bool:
    try:
        return os.path.samestat(status, target.stat())
    except FileNotFoundError as error:
        raise FileVanished(
            f"{str(target)!r} was moved or deleted meanwhile: nothing was changed; look where it is"
        ) from error


def _compare(fd: int, target: Path, expected_hash: str | None) -> None:
    found = content_hash(_content(fd, target, MAX_FILE_BYTES))
    if expected_hash is not None and found != expected_hash:
        raise StaleFile(
            f"{str(target)!r} has changed meanwhile (hash {found[:12]}..., expected {expected_hash[:12]}...): "
            "nothing was written; read it again and edit the current text"
        )


def _take_after(temporary: Path, status: os.stat_result, target: Path) -> None:
    """Give the new file the old one's owner and permission bits."""
    _refuse_read_only(target)
    mode = stat.S_IMODE(status.st_mode)
    own = temporary.stat()
    if (own.st_uid, own.st_gid) != (status.st_uid, status.st_gid):
        try:
            os.chown(temporary, status.st_uid, status.st_gid)
        except PermissionError:
            # A file that now belongs to somebody else must not run with the rights of its new owner.
            mode &= ~(stat.S_ISUID | stat.S_ISGID)
    temporary.chmod(mode)


def _refuse_read_only(target: Path) -> None:
    if not os.access(target, os.W_OK):
        raise UnusableFile(f"{str(target)!r} is read-only for you: nothing was written; change its permissions first")


@contextlib.contextmanager
def _folder_for(path: Path) -> Iterator[list[Path]]:
    """Create the missing folders above `path`, yield them (deepest first), and take them back on an error."""
    missing = [folder for folder in (path.parent, *path.parent.parents) if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield missing
    except BaseException:
        for folder in missing:
            with contextlib.suppress(OSError):  # not empty: somebody else uses it by now
                folder.rmdir()
        raise


def _link(temporary: Path, path: Path, raw: bytes, mode: int | None) -> None:
    """Make `temporary` appear as `path`, or raise `FileExists`."""
    try:
        os.link(temporary, path)
    except FileExistsError as error:
        raise _exists(path) from error
    except OSError as error:
        if error.errno not in _LINK_UNSUPPORTED:
            raise
        _write_exclusively(path, raw, mode)


def _write_exclusively(path: Path, raw: bytes, mode: int | None) -> None:
    """For file systems without hard links: others may see the file while it grows, but no half of one stays."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666 if mode is None else 0o600)
    except FileExistsError as error:
        raise _exists(path) from error
    try:
        _write_all(fd, raw)
        if mode is not None:
            os.fchmod(fd, mode)
        os.fsync(fd)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    finally:
        os.close(fd)


def _exists(path: Path) -> FileExists:
    return FileExists(f"{str(path)!r} already exists: nothing was written; edit it, or take another name")


def _sync_folder(folder: Path) -> None:
    """Put the folder's names on disk. Some file systems cannot, and need not."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise Unavailable(
                f"the new content of a file in {str(folder)!r} is in place but may not survive a power loss "
                f"({error.strerror}): check the disk"
            ) from error
    finally:
        os.close(fd)
