"""Folders that only their owner can read."""

from __future__ import annotations

from pathlib import Path


def private_folder(path: Path) -> Path:
    """Make the folder with mode 0700 where it is missing, and those above it that are missing; returns it."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    path.mkdir(mode=0o700, exist_ok=True)  # says so where something else is in its place
    return path
