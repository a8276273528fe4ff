"""Folders that only their owner can read."""

from __future__ import annotations

from pathlib import Path


def private_folder(path: Path) -> Path:
    """Make the folder with mode 0700 where it is missing; returns it."""
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path
