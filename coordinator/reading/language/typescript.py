"""TypeScript, also with JSX: what JavaScript has, and interfaces, types, enums and namespaces."""

from __future__ import annotations

from typing import Final

import tree_sitter_typescript
from tree_sitter import Node

from coordinator.reading.language.definition import Found, Rule, named
from coordinator.reading.language.grammar import Grammar
from coordinator.reading.language.javascript import RULES as JAVASCRIPT_RULES
from coordinator.reading.language.javascript import TRANSPARENT, exported, is_import


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


_namespace = named("class")
_rules: dict[str, Rule] = {
    **JAVASCRIPT_RULES,
    "abstract_class_declaration": named("class"),
    "interface_declaration": named("class"),
    "type_alias_declaration": named("class", body="value"),
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
    load=tree_sitter_typescript.language_typescript,
    rules=_rules,
    transparent=TRANSPARENT,
    is_import=is_import,
    leaders=frozenset({"decorator"}),
    annotations=frozenset({"decorator"}),
)
TSX: Final = Grammar(
    name="TSX",
    load=tree_sitter_typescript.language_tsx,
    rules=_rules,
    transparent=TRANSPARENT,
    is_import=is_import,
    leaders=frozenset({"decorator"}),
    annotations=frozenset({"decorator"}),
)
