"""Two trees on disk, one before a change and one after it, compared without git."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from actors.runtime.errors import Misuse
from coordinator.editing.atomic_file import read_bytes
from coordinator.reading.generated import is_lock_file
from coordinator.reading.line_diff import diff_lines
from coordinator.reading.source import SourceText
from coordinator.replay.change import LOCK_FILE, MAX_FILE_BYTES, Change, Skipped, usable_source
from coordinator.replay.hunk import hunks_between

MAX_FILES: Final = 50_000
_GIT: Final = ".git"


class FolderPair:
    """The files that are in both trees and differ, by path. What is passed over is counted in `skipped`.

    Raises `Misuse` for what is no folder, and for more than 50,000 files.
    """

    def __init__(self, before: Path, after: Path) -> None:
        for option, folder in (("--before", before), ("--after", after)):
            if not folder.is_dir():
                raise Misuse(f"there is no folder {str(folder)!r}: give {option} the root of a tree")
        self._before = before
        self._after = after
        self.skipped = Skipped()
        self._paths = self._common_paths()
        self.n_files = len(self._paths)

    def changes(self, told: Callable[[int], None] = lambda _: None) -> Iterator[Change]:
        """The changed files in the order of their paths. `told` hears how many files were compared."""
        for n_compared, path in enumerate(self._paths, 1):
            found = self._change(path)
            if isinstance(found, Change):
                yield found
            elif found:
                self.skipped[found] += 1
            told(n_compared)

    def _common_paths(self) -> list[str]:
        before, after = set(_files(self._before)), set(_files(self._after))
        self.skipped += Skipped({"added": len(after - before), "deleted": len(before - after)})
        return sorted(before & after)

    def _change(self, path: str) -> Change | str:
        """The change of one file, why it cannot be replayed, or "" for a file that is the same."""
        try:
            path.encode("utf-8")
        except UnicodeEncodeError:
            return "name_not_utf8"
        if (self._before / path).stat().st_size > MAX_FILE_BYTES or (
            self._after / path
        ).stat().st_size > MAX_FILE_BYTES:
            return "too_large"
        old, new = read_bytes(self._before / path), read_bytes(self._after / path)
        if old == new:
            return ""
        if is_lock_file(path):
            return LOCK_FILE
        return _compared(path, old, usable_source(old, ()), usable_source(new, ()))


def _compared(path: str, raw: bytes, old: SourceText | str, new: SourceText | str) -> Change | str:
    if isinstance(old, str) or isinstance(new, str):
        return old if isinstance(old, str) else str(new)
    kept = diff_lines(old.lines, new.lines).kept
    hunks = tuple(hunks_between(kept, len(old.lines), len(new.lines)))
    usable = usable_source(raw, hunks)
    return usable if isinstance(usable, str) else Change(0, path, raw, hunks)


def _files(root: Path) -> list[str]:
    """The regular files below a folder, without links and without what belongs to git."""
    found = (
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if _GIT not in path.relative_to(root).parts and path.is_file() and not path.is_symlink()
    )
    paths = list(islice(found, MAX_FILES + 1))
    if len(paths) > MAX_FILES:
        raise Misuse(f"{str(root)!r} has more than {MAX_FILES} files: name a folder inside it")
    return paths
