"""C and C++: functions, also where they are only declared, types, and macros of several lines.

Namespaces are passed through: their names are in no unit's.
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from coordinator.reading.language.definition import Definition, Found, Rule, definition, named, with_body
from coordinator.reading.language.grammar import Grammar, any_of
from coordinator.reading.language.name import name_of, slug, text_of

_TYPES = ("struct_specifier", "union_specifier", "enum_specifier", "class_specifier")
_TEMPLATE_ARGUMENTS = re.compile(r"<[^<>]*>")
_MAX_DECLARATORS = 20


def _function(node: Node) -> Found:
    """A function has no members: what looks like a declaration in its body may be a variable with arguments."""
    name = _declared(node)
    return Definition(name, "function", node, node.child_by_field_name("body")) if name else None


def _declared(node: Node) -> str:
    """What the declarator of `node` names, if that is a function: `Foo.bar` for `Foo<T>::bar`."""
    declarator, is_function = node.child_by_field_name("declarator"), False
    for _ in range(_MAX_DECLARATORS):
        if declarator is None:
            return ""
        is_function = is_function or declarator.type == "function_declarator"
        inner = declarator.child_by_field_name("declarator") or _wrapped_in(declarator)
        if inner is None:
            break
        declarator = inner
    return _dotted(text_of(declarator)) if declarator is not None and is_function else ""


def _wrapped_in(declarator: Node) -> Node | None:
    """The declarator inside of parentheses or a reference, which have no field for it."""
    if declarator.type not in ("parenthesized_declarator", "reference_declarator"):
        return None
    return next(
        (child for child in declarator.named_children if child.type.endswith(("declarator", "identifier"))), None
    )


def _dotted(name: str) -> str:
    for _ in range(_MAX_DECLARATORS):
        shorter = _TEMPLATE_ARGUMENTS.sub("", name) if "operator" not in name else name
        if shorter == name:
            break
        name = shorter
    return slug(name.replace("::", ".").strip("."))


def _declaration(node: Node) -> Found:
    """A declared function, or a type with a body in front of what is declared with it."""
    return _type_inside(node) or _function(node)


def _typedef(node: Node) -> Found:
    inner = _type_inside(node)
    declarator = node.child_by_field_name("declarator")
    if inner is None or declarator is None:
        return inner
    return definition("class", _dotted(text_of(declarator)), node, inner.body, *inner.members)


def _type_inside(node: Node) -> Definition | None:
    kind = node.child_by_field_name("type")
    body = kind.child_by_field_name("body") if kind is not None and kind.type in _TYPES else None
    if kind is None or body is None:
        return None
    name = kind.child_by_field_name("name") or node.child_by_field_name("declarator")
    return definition("class", _dotted(text_of(name)) if name is not None else "", node, body)


def _class(node: Node) -> Found:
    name = node.child_by_field_name("name")
    return definition(
        "class", _dotted(text_of(name)) if name is not None else "", node, node.child_by_field_name("body")
    )


def _template(node: Node) -> Found:
    """What the template is of; its parameters are a part of the signature."""
    inner = next((child for child in reversed(node.children) if child.type in _cpp_rules), None)
    found = _cpp_rules[inner.type](inner) if inner is not None else None
    if not isinstance(found, Definition):
        return found
    return Definition(found.name, found.kind, node, found.body, found.members, found.scope)


def _macro(node: Node) -> Found:
    """A macro with parameters and more than one line; shorter ones are what they say."""
    value = node.child_by_field_name("value")
    if value is None or value.end_point.row == node.start_point.row:
        return None
    return definition("function", name_of(node.child_by_field_name("name")), node, value)


_type = with_body(_class)
_rules: dict[str, Rule] = {
    "function_definition": _function,
    "declaration": _declaration,
    "type_definition": _typedef,
    "preproc_function_def": _macro,
    **dict.fromkeys(_TYPES, _type),
}
_cpp_rules: dict[str, Rule] = {
    **_rules,
    "field_declaration": _declaration,
    "template_declaration": _template,
    "concept_definition": named("class"),
}
_transparent = frozenset(
    {
        "ERROR", "linkage_specification", "declaration_list", "preproc_if", "preproc_ifdef", "preproc_elif",
        "preproc_elifdef", "preproc_else",
    }
)  # fmt: skip

C: Final = Grammar(
    name="C",
    wheel="tree_sitter_c",
    rules=_rules,
    transparent=_transparent,
    is_import=any_of("preproc_include"),
)
CPP: Final = Grammar(
    name="C++",
    wheel="tree_sitter_cpp",
    rules=_cpp_rules,
    transparent=_transparent | {"namespace_definition"},
    is_import=any_of("preproc_include", "using_declaration", "import_declaration"),
    leaders=frozenset({"attribute_declaration"}),
)
