"""Ruby: modules, classes, methods; blocks of calls such as `describe`, `it` and `task` by what they are told first."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from coordinator.reading.language.definition import Found, Rule, definition, named
from coordinator.reading.language.grammar import Grammar
from coordinator.reading.language.name import MAX_TITLE_CHARACTERS, name_of, slug, text_of
from coordinator.reading.language.place import spans_lines
from coordinator.reading.unit import UnitKind

_REQUIRES = frozenset({"require", "require_relative", "load"})
_SUITES = frozenset({"describe", "context", "feature", "namespace", "shared_examples"})


def _singleton(node: Node) -> Found:
    """`def self.make` is a method of what is around it; `def thing.make` says of what."""
    owner, name = node.child_by_field_name("object"), name_of(node.child_by_field_name("name"))
    of = "" if owner is None or owner.type == "self" else f"{name_of(owner)}."
    return definition("function", f"{of}{name}" if name else "", node, node.child_by_field_name("body"))


def _call(node: Node) -> Found:
    """`private def ...`, or a call with a block of several lines."""
    arguments = node.child_by_field_name("arguments")
    first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
    if first is not None and first.type in ("method", "singleton_method"):
        return _rules[first.type](first)
    block = node.child_by_field_name("block")
    method = name_of(node.child_by_field_name("method"))
    if block is None or not method or not spans_lines(node):
        return None
    title = text_of(first).strip("'\":") if first is not None else ""
    kind: UnitKind = "class" if method in _SUITES else "function"
    body = block.child_by_field_name("body")
    name = slug(f"{method} {title}", MAX_TITLE_CHARACTERS)
    return definition(kind, name, node, block, *([body] if body is not None else []), scope="")


def _assignment(node: Node) -> Found:
    """`Point = Struct.new(:x) do`, and other constants that a block is given to."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    block = right.child_by_field_name("block") if right is not None and right.type == "call" else None
    if left is None or left.type != "constant" or block is None:
        return None
    body = block.child_by_field_name("body")
    return definition("class", name_of(left), node, block, *([body] if body is not None else []))


def _is_import(node: Node) -> bool:
    return node.type == "call" and name_of(node.child_by_field_name("method")) in _REQUIRES


_rules: dict[str, Rule] = {
    "module": named("class"),
    "class": named("class"),
    "method": named("function"),
    "singleton_method": _singleton,
    "call": _call,
    "assignment": _assignment,
}

RUBY: Final = Grammar(
    name="Ruby",
    wheel="tree_sitter_ruby",
    rules=_rules,
    transparent=frozenset(
        {"ERROR", "body_statement", "singleton_class", "if", "unless", "else", "then", "begin", "rescue", "ensure"}
    ),
    is_import=_is_import,
)
