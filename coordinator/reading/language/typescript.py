"""TypeScript, also with JSX: what JavaScript has, and interfaces, types, enums and namespaces."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tree_sitter import Node

from coordinator.reading.block_units import MAX_BLOCK_LINES
from coordinator.reading.language.definition import Definition, Found, Rule, named
from coordinator.reading.language.grammar import Grammar
from coordinator.reading.language.javascript import RULES as JAVASCRIPT_RULES
from coordinator.reading.language.javascript import TRANSPARENT, exported, is_import
from coordinator.reading.language.place import first_line, last_line, spans_lines


def _statement(node: Node) -> Found:
    """A namespace is an expression to this grammar."""
    inner = node.named_children[0] if node.named_children else None
    if inner is not None and inner.type == "internal_module":
        return _namespace(inner)
    return JAVASCRIPT_RULES["expression_statement"](node)


def _ambient(node: Node) -> Found:
    """`declare` in front of something."""
    inner = next((child for child in node.named_children if child.type in _rules), None)
    return _rules[inner.type](inner) if inner is not None else None


def _shape(body: str) -> Rule:
    """An interface or a type: what it consists of counts only where it is long."""
    whole = named("class", body=body)

    def rule(node: Node) -> Found:
        found = whole(node)
        is_long = last_line(node) - first_line(node) >= MAX_BLOCK_LINES
        return found if is_long or not isinstance(found, Definition) else replace(found, members=())

    return rule


def _property(node: Node) -> Found:
    return named("function")(node) if spans_lines(node) else None


_namespace = named("class")
_rules: dict[str, Rule] = {
    **JAVASCRIPT_RULES,
    "abstract_class_declaration": named("class"),
    "interface_declaration": _shape("body"),
    "type_alias_declaration": _shape("value"),
    "method_signature": named("function"),
    "property_signature": _property,
    "enum_declaration": named("class"),
    "internal_module": _namespace,
    "module": _namespace,
    "function_signature": named("function"),
    "abstract_method_signature": named("function"),
    "public_field_definition": JAVASCRIPT_RULES["variable_declarator"],
    "ambient_declaration": _ambient,
    "expression_statement": _statement,
}
_rules["export_statement"] = exported(_rules)

TYPESCRIPT: Final = Grammar(
    name="TypeScript",
    wheel="tree_sitter_typescript",
    entry="language_typescript",
    rules=_rules,
    transparent=TRANSPARENT,
    is_import=is_import,
    leaders=frozenset({"decorator"}),
    annotations=frozenset({"decorator"}),
)
TSX: Final = Grammar(
    name="TSX",
    wheel="tree_sitter_typescript",
    entry="language_tsx",
    rules=_rules,
    transparent=TRANSPARENT,
    is_import=is_import,
    leaders=frozenset({"decorator"}),
    annotations=frozenset({"decorator"}),
)
