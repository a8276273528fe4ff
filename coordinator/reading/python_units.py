"""The units of a Python file, by tree-sitter.

Works on broken source too: what the parser recovers is used, the rest belongs to runs. Functions and classes inside a
function are part of it; those below `if`, `try`, `with`, loops and `match` count as if they stood outside.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import tree_sitter_python
from tree_sitter import Language, Node, Parser

from coordinator.reading.unit import LineRange, NameCounter, Outline, Unit, line_groups, unit_by_lines

EXTENSIONS = frozenset({"py", "pyi", "pyw"})

_DEFINITIONS = frozenset({"function_definition", "class_definition", "decorated_definition"})
_IMPORTS = frozenset({"import_statement", "import_from_statement", "future_import_statement"})
_TRANSPARENT = frozenset(
    {
        "block", "if_statement", "elif_clause", "else_clause", "try_statement", "except_clause", "finally_clause",
        "except_group_clause", "with_statement", "for_statement", "while_statement", "match_statement", "case_clause",
        "ERROR",
    }
)  # fmt: skip
_MAX_DEPTH = 60  # of nested blocks; Python itself allows 100 levels of indentation, and generated text any number
_LONE_QUOTES = re.compile(r"""\s*[A-Za-z]{0,2}("{3}|'{3})\\?\s*""")


def python_outline(lines: Sequence[str]) -> Outline | None:
    """The units of `lines` (with their endings); None where they are broken and no definition could be recovered."""
    contents = [line.rstrip("\r\n") for line in lines]
    # The parser counts only LF: with one LF a line, its rows are our lines, whatever the file's endings are.
    tree = Parser(_language()).parse("\n".join(contents).encode("utf-8", "replace"))
    walk = _Walk(contents)
    walk.visit(tree.root_node, scope="", floor=0, pending=[], depth=0)
    if tree.root_node.has_error and not walk.units:
        return None
    units = walk.units + _runs(tree.root_node, contents, walk.units)
    fallback = "syntax errors: units may be incomplete" if tree.root_node.has_error else ""
    return Outline(tuple(sorted(units, key=lambda unit: (unit.lines[0], -unit.lines[1]))), fallback)


@lru_cache(maxsize=1)
def _language() -> Language:
    return Language(tree_sitter_python.language())


@dataclass(slots=True)
class _Walk:
    """Collects definitions; `pending` holds the comments that may lead the next one."""

    contents: Sequence[str]
    units: list[Unit] = field(default_factory=list)
    names: NameCounter = field(default_factory=NameCounter)

    def visit(self, parent: Node, *, scope: str, floor: int, pending: list[Node], depth: int) -> int:
        """Collect the definitions below `parent` that begin after line `floor`; the last line that they cover."""
        for child in parent.children:
            if child.type == "comment":
                pending.append(child)
            elif child.type in _DEFINITIONS:
                floor = self._define(child, scope, floor, pending, depth)
                pending.clear()
            elif child.type in _TRANSPARENT and depth < _MAX_DEPTH:
                floor = self.visit(child, scope=scope, floor=floor, pending=pending, depth=depth + 1)
            elif child.is_named:
                pending.clear()
        return floor

    def _define(self, node: Node, scope: str, floor: int, pending: Sequence[Node], depth: int) -> int:
        definition = node.child_by_field_name("definition") if node.type == "decorated_definition" else node
        name = definition.child_by_field_name("name") if definition is not None else None
        if definition is None or name is None or not name.text or _first(node) <= floor:
            return floor
        unit = self._unit(node, definition, scope + name.text.decode("utf-8", "replace"), floor, pending)
        self.units.append(unit)
        if unit.kind == "class":
            inner = scope + name.text.decode("utf-8", "replace") + "."
            self.visit(definition, scope=inner, floor=unit.signature[1], pending=[], depth=depth + 1)
        return unit.lines[1]

    def _unit(self, node: Node, definition: Node, name: str, floor: int, pending: Sequence[Node]) -> Unit:
        signature = (_first(definition), _colon_line(definition))
        return Unit(
            name=self.names.name(name),
            kind="class" if definition.type == "class_definition" else "function",
            lines=(_leading(node, pending, floor), _last(node)),
            signature=signature,
            decorated_at=_first(node),
            summary=_summary(definition.child_by_field_name("body"), self.contents),
        )


def _first(node: Node) -> int:
    return node.start_point.row + 1


def _last(node: Node) -> int:
    return node.end_point.row + 1


def _leading(node: Node, comments: Sequence[Node], floor: int) -> int:
    """The first line of the comment that stands right above `node`, at its indentation; else the node's own."""
    first = _first(node)
    for comment in reversed(comments):
        touches = _first(comment) == first - 1 and comment.start_point.column == node.start_point.column
        if not touches or first - 1 <= floor:
            break
        first -= 1
    return first


def _colon_line(definition: Node) -> int:
    """The line where the signature ends; its first line where the colon is missing."""
    colons = [child for child in definition.children if child.type == ":"]
    return _last(colons[-1]) if colons else _first(definition)


def _summary(body: Node | None, contents: Sequence[str]) -> LineRange | None:
    """The first line of the docstring of `body`, if it has one."""
    statement = next((child for child in body.children if child.type != "comment"), None) if body else None
    if statement is None or statement.type != "expression_statement" or statement.children[0].type != "string":
        return None
    first, last = _first(statement), _last(statement)
    alone = _LONE_QUOTES.fullmatch(contents[first - 1]) is not None
    return (first, min(first + 1, last)) if alone else (first, first)


def _runs(root: Node, contents: Sequence[str], definitions: Sequence[Unit]) -> list[Unit]:
    """Imports and other statements that stand between definitions."""
    labels = ["run"] * len(contents)
    for child in root.children:
        if child.type in _IMPORTS:
            _label(labels, (_first(child), _last(child)), "imports")
    for unit in definitions:
        _label(labels, unit.lines, "definition")
    summary = _summary(root, contents)
    runs: list[Unit] = []
    for label, first, last in line_groups(labels, [not content.strip() for content in contents]):
        if label == "imports":
            runs.append(unit_by_lines("imports", first, last))
        elif label == "run":
            inside = summary is not None and first <= summary[0] and summary[1] <= last
            runs.append(unit_by_lines("run", first, last, summary if inside else None))
    return runs


def _label(labels: list[str], lines: LineRange, label: str) -> None:
    first, last = lines
    labels[first - 1 : last] = [label] * (min(last, len(labels)) - first + 1)
