"""Places in a tree that can be rewritten, or that a rewrite has left behind, and how to find one again.

A place is known by the definition that holds it, a fingerprint of what it says once everything is rewritten, and its
number among the places of that definition with the same fingerprint, in either form. So it is found again whatever
has been rewritten around it, inside it, or beside it.
"""

from __future__ import annotations

import ast
import copy
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Final, NamedTuple

from agents_demo.rewrites import new_form_of, old_form_of
from agents_demo.syntax import ImportRun

MODULE_SCOPE: Final = "<module>"
ORPHAN_SCOPE: Final = "?"
"""Stands for the unknown definitions around a definition that is seen alone."""

_NUMBER: Final = re.compile(r"#\d+")
_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Site:
    """One place: a node in its old form (`kind` says which), or in a new form (`kind` is None).

    `scope` is the qualified name of the innermost definition, `#2` marking the second of a name; `unit` that of the
    outermost function around it, else of the innermost class, which is what a reader can expand. `ancestors` are the
    nodes around it, outermost first; `statement` is the innermost one that holds it.
    """

    node: ast.AST
    kind: str | None
    scope: str
    unit: str
    ancestors: tuple[ast.AST, ...]
    statement: ast.stmt

    @cached_property
    def fingerprint(self) -> str:
        """16 hex digits of what the node says with everything in it rewritten; the same for both forms."""
        said = ast.dump(_Normal().visit(copy.deepcopy(_identity(self.node))))
        return sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _identity(node: ast.AST) -> ast.AST:
    rewrite = old_form_of(node) or new_form_of(node)
    return node if rewrite is None else rewrite.identity(node)


class _Normal(ast.NodeTransformer):
    """Rewrites everything, inside out."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        rewrite = old_form_of(node)
        return node if rewrite is None else rewrite.rewritten(node)


class _Where(NamedTuple):
    """The definition around a node; `name` is its qualified name without a number."""

    name: str
    scope: str
    unit: str
    is_function: bool
    statement: ast.stmt | None


class _Walk:
    """Goes through a tree in source order and numbers the definitions of one name.

    With `only`, a scope, it does not enter definitions that cannot hold it.
    """

    def __init__(self, only: str | None = None) -> None:
        self._only = None if only is None else f"{_NUMBER.sub('', only)}."
        self._n_named: Counter[str] = Counter()
        self._ancestors: list[ast.AST] = []

    def sites(self, node: ast.AST, where: _Where) -> Iterator[Site]:
        if isinstance(node, _DEFINITIONS):
            where = self._inside(node, where)
            if self._only is not None and not self._only.startswith(f"{where.name}."):
                return
        if isinstance(node, ast.stmt):
            where = where._replace(statement=node)
        yield from self._site(node, where)
        if not isinstance(node, ast.JoinedStr | ImportRun):  # positions inside an f-string cannot be relied on
            self._ancestors.append(node)
            for child in ast.iter_child_nodes(node):
                yield from self.sites(child, where)
            self._ancestors.pop()

    def _site(self, node: ast.AST, where: _Where) -> Iterator[Site]:
        old = old_form_of(node)
        if where.statement is not None and (old is not None or new_form_of(node) is not None):
            kind = old.kind if old else None
            yield Site(node, kind, where.scope, where.unit, tuple(self._ancestors), where.statement)

    def _inside(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, where: _Where) -> _Where:
        name = node.name if where.name == MODULE_SCOPE else f"{where.name}.{node.name}"
        self._n_named[name] += 1
        scope = name if self._n_named[name] == 1 else f"{name}#{self._n_named[name]}"
        is_function = where.is_function or not isinstance(node, ast.ClassDef)
        return _Where(name, scope, where.unit if where.is_function else scope, is_function, node)


def _outside(name: str) -> _Where:
    return _Where(name, name, name, is_function=False, statement=None)


def sites_in(module: ast.Module, orphans: Iterable[ast.stmt] = (), *, only: str | None = None) -> list[Site]:
    """All places of a folded tree, in source order, then those of definitions whose surroundings are unknown.

    With `only`, a scope, at least those of that scope.
    """
    found = list(_Walk(only).sites(module, _outside(MODULE_SCOPE)))
    walk_alone = _Walk()
    for orphan in orphans:
        found.extend(walk_alone.sites(orphan, _outside(ORPHAN_SCOPE)))
    return found


def is_scope(found: str, wanted: str) -> bool:
    """Whether a scope that was found is the wanted one, or may be, where what stood around it was not seen."""
    if not found.startswith(f"{ORPHAN_SCOPE}."):
        return found == wanted
    tail = _NUMBER.sub("", found.removeprefix(ORPHAN_SCOPE))
    return f".{_NUMBER.sub('', wanted)}".endswith(tail)


def alike(sites: Iterable[Site], scope: str, fingerprint: str) -> list[Site]:
    """The places of that scope with that fingerprint, in either form, in order."""
    return [site for site in sites if is_scope(site.scope, scope) and site.fingerprint == fingerprint]


class _Rewritten(ast.NodeTransformer):
    def __init__(self, nodes: Iterable[ast.AST]) -> None:
        self._chosen = {id(node) for node in nodes}

    def generic_visit(self, node: ast.AST) -> ast.AST:
        chosen = id(node) in self._chosen
        super().generic_visit(node)
        rewrite = old_form_of(node) if chosen else None
        return node if rewrite is None else rewrite.rewritten(node)


def with_rewritten(module: ast.Module, sites: Iterable[Site]) -> ast.Module:
    """The folded tree, changed in place, with these places of it in their new form and nothing else touched."""
    _Rewritten(site.node for site in sites).visit(module)
    return module
