"""Rust: functions, types, traits, modules and macros; what is in an `impl` of a type is called by the type."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from coordinator.reading.language.definition import Found, Rule, definition, named, with_body
from coordinator.reading.language.grammar import Grammar, any_of
from coordinator.reading.language.name import name_of, slug


def _impl(node: Node) -> Found:
    """`impl-Display-for-Foo`, whose `fmt` is `Foo.fmt`."""
    of, trait = _bare(node.child_by_field_name("type")), _bare(node.child_by_field_name("trait"))
    name = slug(f"impl {trait} for {of}" if trait else f"impl {of}")
    return definition("class", name, node, node.child_by_field_name("body"), scope=of)


def _bare(node: Node | None) -> str:
    """The name of a type without its path and parameters."""
    while node is not None:
        inner = node.child_by_field_name("name") or node.child_by_field_name("type")
        if inner is None:
            break
        node = inner
    return name_of(node)


def _macro(node: Node) -> Found:
    opening = next((child for child in node.children if child.type in ("{", "(", "[")), None)
    return definition("function", name_of(node.child_by_field_name("name")), node, opening)


_rules: dict[str, Rule] = {
    "function_item": named("function"),
    "function_signature_item": named("function"),
    "struct_item": named("class"),
    "enum_item": named("class"),
    "union_item": named("class"),
    "trait_item": named("class"),
    "mod_item": with_body(named("class")),
    "impl_item": _impl,
    "macro_definition": _macro,
}

RUST: Final = Grammar(
    name="Rust",
    wheel="tree_sitter_rust",
    rules=_rules,
    transparent=frozenset({"ERROR", "foreign_mod_item", "declaration_list", "expression_statement", "block"}),
    is_import=any_of("use_declaration", "extern_crate_declaration"),
    comments=frozenset({"line_comment", "block_comment"}),
    leaders=frozenset({"attribute_item"}),
)
