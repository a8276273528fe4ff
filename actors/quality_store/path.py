"""What a path tells the quality store: its extension, and the label that numbers may carry.

A path is repository-relative and canonical when it gets here; the client resolves links and spelling.
"""

from __future__ import annotations

import re
from typing import Final

from actors.runtime.errors import BadTarget

OTHER: Final = "other"
_LABEL: Final = re.compile(r"[a-z0-9+_-]{1,16}")
_NO_STEPS: Final = frozenset({"", ".", ".."})
_SHOWN: Final = 80


def extension_of(path: str) -> str:
    """The lower-case suffix without its dot, or "" for a name without one.

    `src/A.RS` gives "rs", `a.tar.gz` gives "gz"; `Makefile`, `.bashrc` and `a.` give "". Every part of Scentfield that
    learns by extension asks this function, so that `.RS` and `.rs` are one.
    """
    stem, _, suffix = path.rpartition("/")[2].rpartition(".")
    return suffix.lower() if stem else ""


def label_of(extension: str) -> str:
    """The extension as numbers show it: itself if it matches `[a-z0-9+_-]{1,16}`, else "other".

    File names are free text and could carry secrets; a board must not.
    """
    return extension if _LABEL.fullmatch(extension) else OTHER


def check_path(space: str, path: str) -> None:
    """Raise `BadTarget` unless `space` is a name and `path` is canonical and relative to the repository."""
    if not space or "\0" in space:
        raise BadTarget(f"space {space[:_SHOWN]!r} is not a name: give the claim space that the file belongs to")
    if "\0" in path or not _NO_STEPS.isdisjoint(path.split("/")):
        raise BadTarget(
            f"path {path[:_SHOWN]!r} is not canonical: give it relative to the repository's root, "
            "with single slashes and without '.' or '..'"
        )
