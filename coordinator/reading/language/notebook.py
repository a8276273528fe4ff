"""Jupyter notebooks: cells, over the lines of the JSON that they are kept in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from coordinator.reading.language.data import JSON
from coordinator.reading.language.name import text_of
from coordinator.reading.language.place import first_line, last_line
from coordinator.reading.language.run import runs_between
from coordinator.reading.unit import Outline, Unit, outline_in_order


def notebook_outline(lines: Sequence[str]) -> Outline | None:
    """The cells of `lines` (with their endings), `cell-1` and on; None where two of them share a line."""
    contents = [line.rstrip("\r\n") for line in lines]
    tree = JSON.parse(contents)
    if tree is None:
        return None
    root = tree.root_node
    units: list[Unit] = []
    for number, cell in enumerate(_cells(root), start=1):
        if units and first_line(cell) <= units[-1].lines[1]:
            return None
        units.append(_unit(f"cell-{number}", cell))
    if root.has_error and not units:
        return None
    fallback = "syntax errors: units may be incomplete" if root.has_error else ""
    return outline_in_order([*units, *runs_between(units, contents)], fallback)


def _unit(name: str, cell: Node) -> Unit:
    """A cell; its signature is the first line of its source."""
    source = _value(cell, "source")
    first = source.named_children[0] if source is not None and source.named_children else cell
    return Unit(
        name=name,
        kind="section",
        lines=(first_line(cell), last_line(cell)),
        signature=(first_line(first), first_line(first)),
        decorated_at=first_line(first),
    )


def _cells(root: Node) -> Iterator[Node]:
    notebook = next((child for child in root.named_children if child.type == "object"), None)
    cells = _value(notebook, "cells") if notebook is not None else None
    if cells is not None and cells.type == "array":
        yield from (cell for cell in cells.named_children if cell.type == "object")


def _value(parent: Node, key: str) -> Node | None:
    for pair in parent.named_children:
        named = pair.child_by_field_name("key") if pair.type == "pair" else None
        if named is not None and text_of(named) == f'"{key}"':
            return pair.child_by_field_name("value")
    return None
