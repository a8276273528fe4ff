"""What a kind of rewrite has to say about itself.

A rewrite is known three ways: on the tree (an old form and the new form it becomes), in the text (the change that
turns one into the other), and by the conditions under which the two are proven to mean the same. The forms are told
by syntax alone, so that an agent that sees one definition finds the same places as one that sees the file; the proof
needs the file.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from typing import ClassVar, Generic, NamedTuple, TypeVar

from agents_demo.bindings import Bindings
from agents_demo.syntax import Lines

Old = TypeVar("Old", bound=ast.AST)


class Change(NamedTuple):
    """Replace the characters from `start` to `end`, indices into the whole text, by `text`."""

    start: int
    end: int
    text: str


class Place(NamedTuple):
    """Where a node stands: the nodes around it, outermost first, and the names of its module."""

    ancestors: tuple[ast.AST, ...]
    bindings: Bindings


class Rewrite(ABC, Generic[Old]):
    """One kind of rewrite. `old_type` and `new_type` are the node types of the two forms."""

    kind: ClassVar[str]
    old_type: ClassVar[type[ast.AST]]
    new_type: ClassVar[type[ast.AST]]

    @abstractmethod
    def is_old(self, node: Old) -> bool:
        """Whether this node of `old_type` has the form that can be rewritten."""

    @abstractmethod
    def is_new(self, node: ast.AST) -> bool:
        """Whether this node of `new_type` has the form that the rewrite leaves behind."""

    @abstractmethod
    def rewritten(self, node: Old) -> ast.AST:
        """The new form of an old node, with no positions; it may share children with the old one."""

    @abstractmethod
    def is_proven(self, node: Old, place: Place) -> bool:
        """Whether the old node and its new form mean the same at this place."""

    @abstractmethod
    def change(self, node: Old, lines: Lines) -> Change | None:
        """The change in the text; None where the new form cannot be written there."""

    def identity(self, node: ast.AST) -> ast.AST:
        """The part of a node, in either form, that tells it from others of its definition."""
        return node
