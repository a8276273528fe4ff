"""PHP: types, methods, functions, with attributes; closures by the variable that they are given to."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from coordinator.reading.language.definition import Found, Rule, definition, named
from coordinator.reading.language.grammar import Grammar
from coordinator.reading.language.name import slug, text_of
from coordinator.reading.language.place import spans_lines

_CLOSURES = frozenset({"anonymous_function", "anonymous_function_creation_expression", "arrow_function"})
_INCLUDES = frozenset(
    {"require_expression", "require_once_expression", "include_expression", "include_once_expression"}
)


def _closure(node: Node) -> Found:
    inner = node.named_children[0] if node.named_children else None
    if inner is None or inner.type != "assignment_expression" or not spans_lines(node):
        return None
    left, right = inner.child_by_field_name("left"), inner.child_by_field_name("right")
    if left is None or right is None or right.type not in _CLOSURES:
        return None
    return definition("function", slug(text_of(left).lstrip("$")), node, right.child_by_field_name("body"))


def _is_import(node: Node) -> bool:
    if node.type == "expression_statement":
        return bool(node.named_children) and node.named_children[0].type in _INCLUDES
    return node.type == "namespace_use_declaration"


_rules: dict[str, Rule] = {
    **dict.fromkeys(
        ("class_declaration", "interface_declaration", "trait_declaration", "enum_declaration"), named("class")
    ),
    "method_declaration": named("function"),
    "function_definition": named("function"),
    "expression_statement": _closure,
}

PHP: Final = Grammar(
    name="PHP",
    wheel="tree_sitter_php",
    entry="language_php",
    rules=_rules,
    transparent=frozenset({"ERROR", "namespace_definition", "compound_statement", "if_statement", "else_clause"}),
    is_import=_is_import,
    annotations=frozenset({"attribute_list"}),
)
