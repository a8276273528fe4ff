"""Which entries stand in the way of a target, found without looking at all of them.

A tree of names. A literal file stands at the end of its path; a folder or glob stands where its literal names end. So
the entries that overlap a file stand on its own path, and those that overlap a folder or glob on the way to its literal
names or below them. Labels stand apart.
"""

from __future__ import annotations

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


class _Node(Generic[T]):
    """One name in the tree: the literal file of this path, and the folders and globs whose literal names end here."""

    __slots__ = ("children", "rows", "wide")

    def __init__(self) -> None:
        self.children: dict[str, _Node[T]] | None = None
        self.rows: Rows[T] | None = None
        self.wide: dict[str, tuple[Target, Rows[T]]] | None = None

    @property
    def is_empty(self) -> bool:
        return not self.children and not self.rows and not self.wide


class OverlapIndex(Generic[T]):
    """Entries by target, found by overlap, in ascending order of their keys.

    A key is a number that grows, such as a lease's or a waiter's. Several entries may stand on one target under
    different keys, and one key on several targets: such entries come in the order of their targets' texts.
    """

    def __init__(self) -> None:
        self._root: _Node[T] = _Node()
        self._labels: dict[str, Rows[T]] = {}
        self._n_entries = 0

    def __len__(self) -> int:
        return self._n_entries

    @property
    def n_nodes(self) -> int:
        """How many names the tree holds now; 0 when nothing but labels is in it."""
        return sum(len(node.children or ()) for node in _nodes_below(self._root))

    def add(self, target: Target, key: int, entry: T) -> None:
        """Put an entry on a target. Raises `InvariantBroken` if this key stands on it already."""
        row = (key, target.text, entry)
        if target.kind is _LABEL:
            self._labels[target.text] = _with_row(self._labels.get(target.text), row)
        else:
            self._add_path(target, row)
        self._n_entries += 1

    def _add_path(self, target: Target, row: Row[T]) -> None:
        node = self._root
        is_file = target.kind is _FILE
        for name in target.parts if is_file else target.anchor:
            children = node.children
            if children is None:
                children = node.children = {}
            child = children.get(name)
            if child is None:
                child = children[name] = _Node()
            node = child
        if is_file:
            node.rows = (row,) if node.rows is None else _with_row(node.rows, row)
            return
        if node.wide is None:
            node.wide = {}
        rows = node.wide[target.text][1] if target.text in node.wide else None
        node.wide[target.text] = (target, _with_row(rows, row))

    def remove(self, target: Target, key: int) -> None:
        """Take the entry with this key off a target. Raises `InvariantBroken` if there is none."""
        if target.kind is _LABEL:
            labelled = _without_row(self._labels.get(target.text), target, key)
            _store(self._labels, target.text, labelled)
        else:
            self._remove_path(target, key)
        self._n_entries -= 1

    def _remove_path(self, target: Target, key: int) -> None:
        names = target.anchor
        path = [self._root]
        for name in names:
            child = (path[-1].children or {}).get(name)
            if child is None:
                raise _missing(target, key)
            path.append(child)
        node = path[-1]
        if target.kind is _FILE:
            node.rows = _without_row(node.rows, target, key) or None
        else:
            wide = node.wide or {}
            rows = _without_row(wide[target.text][1] if target.text in wide else None, target, key)
            _store(wide, target.text, (target, rows) if rows else None)
            node.wide = wide or None
        _prune(path, names)

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
        found: list[Row[T]] = []
        node = self._root
        if node.wide is not None:
            _collect_covering(node.wide, parts, found)
        for name in parts:
            children = node.children
            if children is None:
                return found
            child = children.get(name)
            if child is None:
                return found
            node = child
            if node.wide is not None:
                _collect_covering(node.wide, parts, found)
        if node.rows is not None:
            found.extend(node.rows)
        return found

    def _in_reach(self, target: Target) -> list[Row[T]]:
        """What overlaps a folder or glob: a walk down all names that its steps can take."""
        found: list[Row[T]] = []
        walk = Walk(target.steps)
        stack = [(self._root, walk.start)]
        while stack:
            node, position = stack.pop()
            if walk.covers_below(position):
                _collect_below(node, found)
                continue
            if node.rows is not None and walk.has_matched(position):
                found.extend(node.rows)
            if node.wide is not None:
                _collect_overlapping(node.wide, target, found)
            if node.children is not None:
                stack.extend(_deeper(node.children, walk, position))
        return found


def _deeper(
    children: dict[str, _Node[T]], walk: Walk, position: frozenset[int]
) -> list[tuple[_Node[T], frozenset[int]]]:
    only = walk.only_name(position)
    if only is not None:
        return [(children[only], walk.after(position, only))] if only in children else []
    pairs = ((child, walk.after(position, name)) for name, child in children.items())
    return [(child, after) for child, after in pairs if after]


def _collect_overlapping(wide: dict[str, tuple[Target, Rows[T]]], target: Target, found: list[Row[T]]) -> None:
    for other, rows in wide.values():
        if overlaps(target, other):
            found.extend(rows)


def _collect_covering(wide: dict[str, tuple[Target, Rows[T]]], parts: tuple[str, ...], found: list[Row[T]]) -> None:
    for target, rows in wide.values():
        if covers(target, parts):
            found.extend(rows)


def _collect_below(node: _Node[T], found: list[Row[T]]) -> None:
    """All entries from here down: the folder or glob that asks covers each path they could stand for."""
    for below in _nodes_below(node):
        if below.rows is not None:
            found.extend(below.rows)
        if below.wide is not None:
            for _, rows in below.wide.values():
                found.extend(rows)


def _nodes_below(node: _Node[T]) -> list[_Node[T]]:
    nodes = [node]
    for at in nodes:
        if at.children is not None:
            nodes.extend(at.children.values())
    return nodes


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


V = TypeVar("V")


def _store(slots: dict[str, V], name: str, value: V | None) -> None:
    if value:
        slots[name] = value
    else:
        slots.pop(name, None)


def _prune(path: list[_Node[T]], names: tuple[str, ...]) -> None:
    """Drop the nodes that hold nothing any more, from the end of the path up."""
    for parent, name, node in zip(reversed(path[:-1]), reversed(names), reversed(path[1:]), strict=True):
        if not node.is_empty or parent.children is None:
            return
        del parent.children[name]
        parent.children = parent.children or None
