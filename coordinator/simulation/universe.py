"""What the simulated agents work on: few targets, so that they meet, and all paths that those could match.

Overlap is decided here by trying every path, with another matcher than the house's: two targets are in each other's way
if there is a path that both cover. `PATHS` holds a witness for each pair of targets that overlap.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from typing import Final

SPACES: Final = ("house", "house", "house", "shed")
"""Claim spaces, as often as they are worked in."""

FILES: Final = (
    "src/api.py",
    "src/app.py",
    "src/db/pool.py",
    "src/db/query.py",
    "docs/guide.md",
    "tests/test_api.py",
)
FOLDERS: Final = ("src/", "src/db/", "docs/")
GLOBS: Final = ("src/*.py", "src/**/*.py", "src/db/q*", "**/*.md", "tests/test_*.py", "src/a*", "*/*_api.py")
LABELS: Final = ("task:login", "task:billing")
TARGETS: Final = (*FILES, *FOLDERS, *GLOBS, *LABELS)
PATHS: Final = (
    *FILES,
    *LABELS,
    "src",
    "src/db",
    "docs",
    "src/notes.md",
    "src/a.md",
    "src/db/notes.md",
    "src/db/q.md",
    "src/a_api.py",
    "src/db/pool_api.py",
    "docs/old_api.py",
)


def covers(target: str, path: str) -> bool:
    """Whether a path is among those that a target stands for."""
    if ":" in target or ":" in path:
        return target == path
    names = path.split("/")
    if target.endswith("/"):
        folder = target.rstrip("/").split("/")
        return names[: len(folder)] == folder
    return _matches(target.split("/"), names)


def _matches(pattern: list[str], names: list[str]) -> bool:
    if not pattern:
        return not names
    first, *rest = pattern
    if first == "**":
        return any(_matches(rest, names[skipped:]) for skipped in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], first) and _matches(rest, names[1:])


@cache
def paths_of(target: str) -> frozenset[str]:
    """All paths of the universe that a target covers."""
    return frozenset(path for path in PATHS if covers(target, path))


@cache
def meet(one: str, other: str) -> bool:
    """Whether two targets are in each other's way."""
    return not paths_of(one).isdisjoint(paths_of(other))


def any_meet(some: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Whether one of these is in the way of one of those."""
    return any(meet(one, other) for one in some for other in others)
