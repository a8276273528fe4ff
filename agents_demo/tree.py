"""A real source tree that every machine with Python has: part of its own standard library.

Left out: what is no library source (tests, site-packages, generated tables), links, and files that are not UTF-8.
"""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from actors.runtime.errors import Misuse
from agents_demo.syntax import parse

PACKAGES: Final = (
    *("asyncio", "collections", "concurrent", "ctypes", "curses", "dbm", "distutils", "email", "html", "http"),
    *("importlib", "json", "logging", "multiprocessing", "sqlite3", "tomllib", "unittest", "urllib", "venv"),
    *("wsgiref", "xml", "xmlrpc", "zipfile", "zoneinfo"),
)
"""The packages that are copied beside the modules at the top, as far as the running Python has them."""

_SKIPPED_FOLDERS: Final = frozenset(("__pycache__", "test", "tests", "site-packages", "dist-packages"))
_SKIPPED_PREFIXES: Final = ("_sysconfigdata", "sitecustomize", "usercustomize")


@dataclass(frozen=True, slots=True)
class SourceTree:
    """A copy: where it is and what it holds. `paths` are relative to `root`, with slashes, sorted."""

    root: Path
    paths: tuple[str, ...]
    n_bytes: int

    @property
    def n_files(self) -> int:
        """How many files were copied."""
        return len(self.paths)


def copy_tree(into: Path, *, source: Path | None = None) -> SourceTree:
    """Copy the standard library of the running Python, or `source`, to `into`.

    `into` must not exist or be empty; raises `Misuse` otherwise, or where the source holds no Python files.
    """
    source = Path(sysconfig.get_path("stdlib")) if source is None else source
    if into.exists() and any(into.iterdir()):
        raise Misuse(f"the folder {str(into)!r} is not empty: name one that does not exist yet")
    paths, n_bytes = [], 0
    for path in source_paths(source):
        content = (source / path).read_bytes()
        if _is_usable(content):
            (into / path).parent.mkdir(parents=True, exist_ok=True)
            (into / path).write_bytes(content)
            paths.append(path)
            n_bytes += len(content)
    if not paths:
        raise Misuse(f"there is no Python source in {str(source)!r}: name the folder of a standard library")
    return SourceTree(into, tuple(paths), n_bytes)


def source_paths(source: Path) -> list[str]:
    """The `.py` files of the modules at the top and of `PACKAGES`, relative, with slashes, sorted."""
    found = [*source.glob("*.py"), *(path for package in PACKAGES for path in _under(source / package))]
    return sorted(path.relative_to(source).as_posix() for path in found if _is_wanted(path))


def _under(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*.py"):
        if not _SKIPPED_FOLDERS.intersection(path.relative_to(folder).parts):
            yield path


def _is_wanted(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and not path.name.startswith(_SKIPPED_PREFIXES)


def _is_usable(content: bytes) -> bool:
    try:
        return parse(content.decode()) is not None
    except UnicodeDecodeError:
        return False
