"""C#: types, and their methods, constructors, operators and longer properties, with attributes."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from coordinator.reading.language.definition import Found, Rule, definition, named
from coordinator.reading.language.grammar import Grammar, any_of
from coordinator.reading.language.name import name_of, text_of
from coordinator.reading.language.place import spans_lines


def _property(node: Node) -> Found:
    """A property of one line is like a field, and no unit."""
    accessors = node.child_by_field_name("accessors") or node.child_by_field_name("value")
    name = name_of(node.child_by_field_name("name")) or "this[]"
    return definition("function", name, node, accessors) if spans_lines(node) else None


def _operator(node: Node) -> Found:
    symbol = node.child_by_field_name("operator") or node.child_by_field_name("type")
    name = f"operator{text_of(symbol)}" if symbol is not None else ""
    return definition("function", name, node, node.child_by_field_name("body"))


def _destructor(node: Node) -> Found:
    name = name_of(node.child_by_field_name("name"))
    return definition("function", f"~{name}" if name else "", node, node.child_by_field_name("body"))


_rules: dict[str, Rule] = {
    **dict.fromkeys(
        (
            "class_declaration", "interface_declaration", "struct_declaration", "enum_declaration",
            "record_declaration",
        ),
        named("class"),
    ),
    **dict.fromkeys(
        ("method_declaration", "constructor_declaration", "delegate_declaration", "local_function_statement"),
        named("function"),
    ),
    "property_declaration": _property,
    "indexer_declaration": _property,
    "operator_declaration": _operator,
    "conversion_operator_declaration": _operator,
    "destructor_declaration": _destructor,
}  # fmt: skip

CSHARP: Final = Grammar(
    name="C#",
    wheel="tree_sitter_c_sharp",
    rules=_rules,
    transparent=frozenset(
        {
            "ERROR", "namespace_declaration", "file_scoped_namespace_declaration", "declaration_list",
            "global_statement", "preproc_if", "preproc_else", "preproc_elif",
        }
    ),
    is_import=any_of("using_directive", "extern_alias_directive"),
    annotations=frozenset({"attribute_list"}),
)  # fmt: skip
