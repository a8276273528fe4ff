"""Folders and files that only their owner can read, and files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from actors.runtime.errors import Misuse


def private_folder(path: Path) -> Path:
    """Make the folder with mode 0700 where it is missing, and those above it that are missing; returns it."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    path.mkdir(mode=0o700, exist_ok=True)  # says so where something else is in its place
    return path


def write_private(path: Path, content: bytes) -> None:
    """Make a new file with mode 0600. Raises `FileExistsError` if it is there."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def write_whole(path: Path, content: bytes) -> None:
    """Put `content` into a file, all of it or none; what was there is replaced. Raises `Misuse` where that fails."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        write_private(temporary, content)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise Misuse(f"{str(path)!r} cannot be written: {error.strerror or error}") from error
