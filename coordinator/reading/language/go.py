"""Go: functions, methods by the type of their receiver, and types."""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from coordinator.reading.language.definition import Found, Passage, Rule, definition, named
from coordinator.reading.language.grammar import Grammar, any_of
from coordinator.reading.language.name import name_of, text_of

_RECEIVER_TYPE = re.compile(r"(\w+)\s*(?:\[.*\])?\s*\)\s*$", re.DOTALL)


def _method(node: Node) -> Found:
    receiver = node.child_by_field_name("receiver")
    owner = _RECEIVER_TYPE.search(text_of(receiver)) if receiver is not None else None
    name = name_of(node.child_by_field_name("name"))
    return definition(
        "function", f"{owner[1]}.{name}" if owner and name else name, node, node.child_by_field_name("body")
    )


def _types(node: Node) -> Found:
    """`type T struct {`; several types in parentheses stand for themselves."""
    specs = [child for child in node.children if child.type in ("type_spec", "type_alias")]
    if len(specs) != 1 or specs[0].start_point.row != node.start_point.row:
        return Passage((node,))
    return definition("class", name_of(specs[0].child_by_field_name("name")), node, _fields(specs[0]))


def _type(node: Node) -> Found:
    return definition("class", name_of(node.child_by_field_name("name")), node, _fields(node))


def _fields(spec: Node) -> Node | None:
    """The braces of a struct or an interface."""
    kind = spec.child_by_field_name("type")
    return kind.children[-1] if kind is not None and kind.type == "struct_type" and kind.children else None


_rules: dict[str, Rule] = {
    "function_declaration": named("function"),
    "method_declaration": _method,
    "type_declaration": _types,
    "type_spec": _type,
    "type_alias": _type,
}

GO: Final = Grammar(
    name="Go",
    wheel="tree_sitter_go",
    rules=_rules,
    transparent=frozenset({"ERROR"}),
    is_import=any_of("import_declaration"),
)
