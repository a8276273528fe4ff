"""Files that a tool writes: an edit of them does not last."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final

from coordinator.reading.source import SourceText

SEARCHED_CHARACTERS: Final = 2_000  # at the beginning of a file, where generators say so
_SIGNS = re.compile(
    r"@generated\b|\bDO NOT (?:EDIT|MODIFY)\b|\b(?:auto(?:matically)?[ -]?generated|generated (?:automatically )?by)\b",
    re.IGNORECASE,
)
_LOCK_FILES = frozenset(
    {
        "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "deno.lock",
        "cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "pipfile.lock", "composer.lock", "gemfile.lock", "go.sum",
        "flake.lock",
    }
)  # fmt: skip


def is_lock_file(path: str) -> bool:
    """Whether a package manager writes the file, by its name."""
    return PurePosixPath(path).name.lower() in _LOCK_FILES


def note_on(source: SourceText, path: str) -> str:
    """What to say of a file that a tool writes; nothing of others."""
    if is_lock_file(path):
        return "lock file: its tool writes it"
    if _SIGNS.search(source.text[:SEARCHED_CHARACTERS]):
        return "says it is generated: change what it is made from"
    return ""
