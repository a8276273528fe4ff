"""What a rule says of a node of the syntax tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from tree_sitter import Node

from coordinator.reading.language.name import name_of
from coordinator.reading.unit import UnitKind


@dataclass(frozen=True, slots=True)
class Definition:
    """A node that gives something a name.

    `signature` is the node where the signature begins, and `body` the one that ends it; without a body all of the
    node is signature. The children of `members` may be definitions too, whose names begin with `scope`. Members of a
    function count only where it is long. `last` is where it ends, if that is not the node itself but one that follows.
    """

    name: str
    kind: UnitKind
    signature: Node
    body: Node | None = None
    members: tuple[Node, ...] = ()
    scope: str = ""
    last: Node | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A node that is nothing itself: what stands in `nodes` counts as if it stood where the node does."""

    nodes: tuple[Node, ...]


Found: TypeAlias = Definition | Passage | None
Rule: TypeAlias = Callable[[Node], Found]
Rules: TypeAlias = Mapping[str, Rule]


def named(kind: UnitKind, name: str = "name", body: str = "body") -> Rule:
    """The rule for nodes that hold their name and body in fields called so."""

    def rule(node: Node) -> Found:
        return definition(kind, name_of(node.child_by_field_name(name)), node, node.child_by_field_name(body))

    return rule


def with_body(rule: Rule) -> Rule:
    """The same, but only for what has a body: others are mentioned, not defined."""

    def found(node: Node) -> Found:
        return rule(node) if node.child_by_field_name("body") is not None else None

    return found


def wrapped(rules: Rules, *fields: str) -> Rule:
    """The rule for nodes around a definition, such as its decorators; it stands in the first of `fields` there is."""

    def rule(node: Node) -> Found:
        inner = next((child for field in fields if (child := node.child_by_field_name(field)) is not None), None)
        inner_rule = rules.get(inner.type) if inner is not None else None
        return inner_rule(inner) if inner is not None and inner_rule is not None else None

    return rule


def definition(
    kind: UnitKind, name: str, signature: Node, body: Node | None = None, *members: Node, scope: str | None = None
) -> Definition | None:
    """A definition, or None without a name; its members stand in its body and under its name unless said otherwise."""
    if not name:
        return None
    inner = members or ((body,) if body is not None else ())
    return Definition(name, kind, signature, body, inner, name if scope is None else scope)


def renamed(found: Found, name: str) -> Found:
    """The same definition under another name."""
    return replace(found, name=name, scope=name) if isinstance(found, Definition) and name else found
