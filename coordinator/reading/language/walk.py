"""The units of a file in any language that has a grammar.

Works on broken source too: what the parser recovers is used, the rest belongs to runs. What is defined inside of a
function or a section is part of it, unless that has more than `MAX_SHORT_LINES`; then it can be had on its own, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final

from tree_sitter import Node

from coordinator.reading.block_units import MAX_BLOCK_LINES
from coordinator.reading.language.definition import Definition, Passage
from coordinator.reading.language.grammar import Grammar
from coordinator.reading.language.place import comment_summary, first_line, last_line, lead_of, signature_lines
from coordinator.reading.language.run import runs_between
from coordinator.reading.unit import LineRange, NameCounter, Outline, Unit, outline_in_order

MAX_SHORT_LINES: Final = MAX_BLOCK_LINES  # of a function that is shown whole or not at all
MAX_DEPTH: Final = 60  # of nested nodes; Python allows 100 levels of indentation, and generated text any number


def outline_by(grammar: Grammar, lines: Sequence[str]) -> Outline | None:
    """The units of `lines` (with their endings); None where they are broken and no definition could be recovered."""
    contents = [line.rstrip("\r\n") for line in lines]
    tree = grammar.parse(contents)
    if tree is None:
        return None
    root = tree.root_node
    walk = _Walk(grammar, contents)
    walk.visit(root, scope="", floor=0, pending=[], depth=0)
    if root.has_error and not walk.units:
        return None
    summary = grammar.docstring(root, contents) if grammar.docstring else None
    runs = runs_between(walk.units, contents, imports=walk.imports, summary=summary)
    fallback = "syntax errors: units may be incomplete" if root.has_error else ""
    return outline_in_order([*walk.units, *runs], fallback)


@dataclass(slots=True)
class _Walk:
    """Collects definitions and imports; `pending` holds the comments and attributes that may lead the next one."""

    grammar: Grammar
    contents: Sequence[str]
    units: list[Unit] = field(default_factory=list)
    imports: list[LineRange] = field(default_factory=list)
    names: NameCounter = field(default_factory=NameCounter)

    def visit(self, parent: Node, *, scope: str, floor: int, pending: list[Node], depth: int) -> int:
        """Collect the definitions below `parent` that begin after line `floor`; the last line that they cover."""
        grammar = self.grammar
        for child in parent.children:
            if child.type in grammar.comments or child.type in grammar.leaders:
                pending.append(child)
                continue
            rule = grammar.rules.get(child.type)
            found = rule(child) if rule is not None else None
            if isinstance(found, Definition):
                floor = self._define(child, found, scope, floor, pending, depth)
                pending[:] = self._loose_ends(child) if found.last is None else []
            elif isinstance(found, Passage) and depth < MAX_DEPTH:
                pending.clear()
                for node in found.nodes:
                    floor = self.visit(node, scope=scope, floor=floor, pending=[], depth=depth + 1)
            elif child.type in grammar.transparent and depth < MAX_DEPTH:
                floor = self.visit(child, scope=scope, floor=floor, pending=pending, depth=depth + 1)
            elif child.is_named:
                self._note_import(child)
                pending.clear()
        return floor

    def _define(
        self, node: Node, found: Definition, scope: str, floor: int, pending: Sequence[Node], depth: int
    ) -> int:
        if first_line(node) <= floor:
            return floor
        unit = self._unit(node, found, scope, floor, pending)
        self.units.append(unit)
        if depth < MAX_DEPTH and (found.kind == "class" or _n_lines(unit.lines) > MAX_SHORT_LINES):
            inner = f"{scope}{found.scope}." if found.scope else scope
            inner_floor = unit.signature[1]
            for member in found.members:
                inner_floor = self.visit(member, scope=inner, floor=inner_floor, pending=[], depth=depth + 1)
        return unit.lines[1]

    def _unit(self, node: Node, found: Definition, scope: str, floor: int, pending: Sequence[Node]) -> Unit:
        lead = lead_of(node, pending, floor, self.contents, self.grammar)
        docstring = self.grammar.docstring
        signature = signature_lines(found, self.grammar)
        return Unit(
            name=self.names.name(scope + found.name),
            kind=found.kind,
            lines=(lead.first, self._last_text(found.last or node, signature[1])),
            signature=signature,
            decorated_at=lead.decorated_at,
            summary=docstring(found.body, self.contents) if docstring else comment_summary(lead.comment, self.contents),
        )

    def _last_text(self, node: Node, least: int) -> int:
        """The last line of `node` that is neither blank nor a comment which leads what follows."""
        loose = self._loose_ends(node)
        last = first_line(loose[0]) - 1 if loose else last_line(node)
        while last > least and not self.contents[last - 1].strip():
            last -= 1
        return max(last, least)

    def _loose_ends(self, node: Node) -> list[Node]:
        """The comments at the end of `node` that are indented no more than it, so that they may lead what follows."""
        if not self.grammar.has_loose_ends:
            return []
        last = node
        while last.children and last.children[-1].type not in self.grammar.comments:
            last = last.children[-1]
        ends = takewhile(lambda child: child.type in self.grammar.comments, reversed(last.children))
        return [comment for comment in reversed(list(ends)) if comment.start_point.column <= node.start_point.column]

    def _note_import(self, node: Node) -> None:
        if node.start_point.column == 0 and self.grammar.is_import(node):
            self.imports.append((first_line(node), last_line(node)))


def _n_lines(lines: LineRange) -> int:
    return lines[1] - lines[0] + 1
