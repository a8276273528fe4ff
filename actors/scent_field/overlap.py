"""Which entries stand in the way of a target, found without looking at all of them.

A tree of folders. A literal file is listed in its folder by its name; a folder or glob stands where its literal names
end. So the entries that overlap a file stand in its folder and on its own path, and those that overlap a folder or glob
on the way to its literal names or below them. Labels stand apart. Every folder is also found at once by its path:
a file that nothing but files could be in the way of costs one look into its folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Final, Generic, TypeAlias, TypeVar

from actors.runtime.errors import InvariantBroken
from actors.scent_field.glob import Walk
from actors.scent_field.target import Target, TargetKind, covers, overlaps

T = TypeVar("T")
Row: TypeAlias = tuple[int, str, T]  # key, the target's text, entry
Rows: TypeAlias = tuple[Row[T], ...]  # ascending by key; a tuple is the smallest container, and most hold one row

_FILE: Final = TargetKind.FILE
_LABEL: Final = TargetKind.LABEL


class _Folder(Generic[T]):
    """One folder of the tree: its literal files, and the folders and globs whose literal names end here."""

    __slots__ = ("files", "folders", "wide")

    def __init__(self) -> None:
        self.files: dict[str, Rows[T]] = {}
        self.folders: dict[str, _Folder[T]] = {}
        self.wide: dict[str, tuple[Target, Rows[T]]] = {}

    @property
    def is_empty(self) -> bool:
        return not self.files and not self.folders and not self.wide


class OverlapIndex(Generic[T]):
    """Entries by target, found by overlap, in ascending order of their keys.

    A key is a number that grows, such as a lease's or a waiter's. Several entries may stand on one target under
    different keys, and one key on several targets: such entries come in the order of their targets' texts.
    """

    def __init__(self) -> None:
        self._root: _Folder[T] = _Folder()
        self._folders: dict[str, _Folder[T]] = {"": self._root}
        self._labels: dict[str, Rows[T]] = {}
        self._n_entries = 0
        self._n_wide = 0

    def __len__(self) -> int:
        return self._n_entries

    @property
    def n_folders(self) -> int:
        """How many folders the tree holds now, the root left out; 0 when nothing but labels or root files is in it."""
        return len(self._folders) - 1

    def add(self, target: Target, key: int, entry: T) -> None:
        """Put an entry on a target. Raises `InvariantBroken` if this key stands on it already."""
        row = (key, target.text, entry)
        if target.kind is _FILE:
            files = self._folder(target.parts[:-1]).files
            files[target.parts[-1]] = _with_row(files.get(target.parts[-1]), row)
        elif target.kind is _LABEL:
            self._labels[target.text] = _with_row(self._labels.get(target.text), row)
        else:
            wide = self._folder(target.anchor).wide
            rows = wide[target.text][1] if target.text in wide else None
            wide[target.text] = (target, _with_row(rows, row))
            self._n_wide += 1
        self._n_entries += 1

    def add_each(self, paths: Sequence[str], first_key: int, entries: Sequence[T]) -> None:
        """Put one entry on each of these files, under keys that count on; only for `is_plain` paths."""
        folders = self._folders
        for key, path in enumerate(paths, first_key):
            above, _, name = path.rpartition("/")
            folder = folders.get(above)
            if folder is None:
                folder = self._folder(tuple(above.split("/")))
            row = (key, path, entries[key - first_key])
            folder.files[name] = _with_row(folder.files[name], row) if name in folder.files else (row,)
        self._n_entries += len(paths)

    def _folder(self, names: Sequence[str]) -> _Folder[T]:
        """The folder of that path, made with those above it where it is missing."""
        path = "/".join(names)
        folder = self._folders.get(path)
        if folder is None:
            folder = self._folders[path] = self._folder(names[:-1]).folders[names[-1]] = _Folder()
        return folder

    def remove(self, target: Target, key: int) -> None:
        """Take the entry with this key off a target. Raises `InvariantBroken` if there is none."""
        if target.kind is _LABEL:
            _store(self._labels, target.text, _without_row(self._labels.get(target.text), target, key))
        elif target.kind is _FILE:
            path, name = "/".join(target.parts[:-1]), target.parts[-1]
            files = self._there(path, target, key).files
            _store(files, name, _without_row(files.get(name), target, key))
            self._prune(path)
        else:
            path = "/".join(target.anchor)
            wide = self._there(path, target, key).wide
            rows = _without_row(wide[target.text][1] if target.text in wide else None, target, key)
            _store(wide, target.text, (target, rows) if rows else None)
            self._n_wide -= 1
            self._prune(path)
        self._n_entries -= 1

    def _there(self, path: str, target: Target, key: int) -> _Folder[T]:
        folder = self._folders.get(path)
        if folder is None:
            raise _missing(target, key)
        return folder

    def _prune(self, path: str) -> None:
        """Drop the folders that hold nothing any more, from this one up."""
        while path and self._folders[path].is_empty:
            del self._folders[path]
            path, _, name = path.rpartition("/")
            del self._folders[path].folders[name]

    def on(self, target: Target) -> list[T]:
        """The entries on exactly this target, ascending by key."""
        rows: Rows[T] = ()
        if target.kind is _LABEL:
            rows = self._labels.get(target.text, ())
        elif target.kind is _FILE:
            folder = self._folders.get("/".join(target.parts[:-1]))
            if folder is not None:
                rows = folder.files.get(target.parts[-1], ())
        else:
            folder = self._folders.get("/".join(target.anchor))
            if folder is not None and target.text in folder.wide:
                rows = folder.wide[target.text][1]
        return [row[2] for row in rows]

    def n_free(self, paths: Sequence[str], start: int, stop: int) -> int:
        """How many of these files, from `start` on and before `stop`, nothing overlaps; only for `is_plain` paths."""
        for place in range(start, stop):
            above, _, name = paths[place].rpartition("/")
            folder = self._folders.get(above)
            if folder is not None and name in folder.files:
                return place - start
            if self._n_wide and self._covering(tuple(paths[place].split("/"))):
                return place - start
        return stop - start

    def places_taken(self, paths: Sequence[str]) -> Iterator[int]:
        """Where among these files those are that something overlaps; only for `is_plain` paths."""
        place = 0
        while (place := place + self.n_free(paths, place, len(paths))) < len(paths):
            yield place
            place += 1

    def overlapping(self, target: Target) -> list[T]:
        """The entries on all targets that overlap this one, ascending by key, then by the text of their target."""
        if target.kind is _FILE:
            rows = self._on_path(target.parts)
        elif target.kind is _LABEL:
            rows = list(self._labels.get(target.text, ()))
        else:
            rows = self._in_reach(target)
        if len(rows) > 1:
            rows.sort(key=itemgetter(0, 1))
        return [row[2] for row in rows]

    def _on_path(self, parts: tuple[str, ...]) -> list[Row[T]]:
        """What overlaps a literal file: itself, and what covers it and stands on its way."""
        found = self._covering(parts) if self._n_wide else []
        folder = self._folders.get("/".join(parts[:-1]))
        if folder is not None:
            found.extend(folder.files.get(parts[-1], ()))
        return found

    def _covering(self, parts: tuple[str, ...]) -> list[Row[T]]:
        """The folders and globs that cover a file. They stand on its way, or where it would be if it were a folder."""
        found: list[Row[T]] = []
        folder: _Folder[T] | None = self._root
        for name in (*parts, ""):
            if folder is None:
                break
            _collect_covering(folder.wide, parts, found)
            folder = folder.folders.get(name)
        return found

    def _in_reach(self, target: Target) -> list[Row[T]]:
        """What overlaps a folder or glob: a walk down all names that its steps can take."""
        found: list[Row[T]] = []
        walk = Walk(target.steps)
        stack = [(self._root, walk.start)]
        while stack:
            folder, position = stack.pop()
            if walk.covers_below(position):
                _collect_below(folder, found)
                continue
            _collect_overlapping(folder.wide, target, found)
            for rows, after in _deeper(folder.files, walk, position):
                if walk.has_matched(after):
                    found.extend(rows)
            stack.extend(_deeper(folder.folders, walk, position))
        return found


V = TypeVar("V")


def _deeper(names: dict[str, V], walk: Walk, position: frozenset[int]) -> list[tuple[V, frozenset[int]]]:
    """What stands under the names that a walk can take next, each with the position there."""
    only = walk.only_name(position)
    if only is not None:
        return [(names[only], walk.after(position, only))] if only in names else []
    pairs = ((found, walk.after(position, name)) for name, found in names.items())
    return [(found, after) for found, after in pairs if after]


def _collect_overlapping(wide: dict[str, tuple[Target, Rows[T]]], target: Target, found: list[Row[T]]) -> None:
    for other, rows in wide.values():
        if overlaps(target, other):
            found.extend(rows)


def _collect_covering(wide: dict[str, tuple[Target, Rows[T]]], parts: tuple[str, ...], found: list[Row[T]]) -> None:
    for target, rows in wide.values():
        if covers(target, parts):
            found.extend(rows)


def _collect_below(folder: _Folder[T], found: list[Row[T]]) -> None:
    """All entries from here down: the folder or glob that asks covers each path they could stand for."""
    folders = [folder]
    for below in folders:
        folders.extend(below.folders.values())
        for rows in below.files.values():
            found.extend(rows)
        for _, rows in below.wide.values():
            found.extend(rows)


def _with_row(rows: Rows[T] | None, row: Row[T]) -> Rows[T]:
    if not rows:
        return (row,)
    if row[0] > rows[-1][0]:
        return (*rows, row)
    if any(row[0] == other[0] for other in rows):
        raise InvariantBroken(f"entry {row[0]} stands on {row[1]!r} already: remove it before it is added again")
    return tuple(sorted((*rows, row), key=itemgetter(0)))


def _without_row(rows: Rows[T] | None, target: Target, key: int) -> Rows[T]:
    kept = tuple(row for row in rows or () if row[0] != key)
    if len(kept) == len(rows or ()):
        raise _missing(target, key)
    return kept


def _missing(target: Target, key: int) -> InvariantBroken:
    return InvariantBroken(f"no entry {key} stands on {target.text!r}: it was removed before, or never added")


def _store(slots: dict[str, V], name: str, value: V | None) -> None:
    if value:
        slots[name] = value
    else:
        slots.pop(name, None)
