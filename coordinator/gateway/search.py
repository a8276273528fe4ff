"""Finding text in the files of a tree: lines that hold all words of a query, in the files that git knows.

Bounded in time and size, and says when a bound was reached: what was not looked at is never "not there".
"""

from __future__ import annotations

import fnmatch
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from coordinator.file_list import is_behind_link, listed_files, read_regular

MAX_FILES: Final = 50_000
MAX_FILE_BYTES: Final = 2 * 2**20
MAX_LINE_CHARS: Final = 240
DEADLINE_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Hit:
    """One line; `line` counts from 1, and `text` is cut at `MAX_LINE_CHARS`."""

    path: str
    line: int
    text: str


@dataclass(slots=True)
class Found:
    """The hits in order of their paths, how many more there are, and what was not looked at, if anything."""

    hits: list[Hit] = field(default_factory=list)
    n_more: int = 0
    n_files: int = 0
    not_looked_at: str = ""


def search(
    root: Path, query: str, *, glob: str = "", limit: int, monotonic: Callable[[], float] = time.monotonic
) -> Found:
    """Lines below `root` that hold all words of `query`, in any order and case; in paths that `glob` matches."""
    root = Path(os.path.realpath(root))
    words = query.casefold().split()
    found = Found()
    deadline_s = monotonic() + DEADLINE_S
    for path in listed_files(root, max_walked=MAX_FILES):
        if glob and not fnmatch.fnmatch(path, glob):
            continue
        if monotonic() > deadline_s or found.n_files >= MAX_FILES:
            found.not_looked_at = f"stopped before {path}: name a glob, to look at fewer files"
            break
        found.n_files += 1
        for hit in _hits(root, path, words):
            if len(found.hits) < limit:
                found.hits.append(hit)
            else:
                found.n_more += 1
    return found


def _hits(root: Path, path: str, words: list[str]) -> Iterator[Hit]:
    text = _text(root / path)
    folded = text.casefold()
    if not all(word in folded for word in words) or is_behind_link(root / path):
        return
    for number, line in enumerate(text.splitlines(), 1):
        folded = line.casefold()
        if all(word in folded for word in words):
            yield Hit(path, number, line.strip()[:MAX_LINE_CHARS])


def _text(path: Path) -> str:
    """A regular text file's text; empty for links, for what is too large, binary, or gone."""
    raw = read_regular(path, MAX_FILE_BYTES)
    return "" if raw is None or b"\0" in raw[:8_192] else raw.decode("utf-8", "replace")
