"""Which names a module binds, so that a builtin's name is known to mean the builtin.

The scan is wider than Python's scopes: a name that is bound anywhere in the module, also as a method or a parameter,
counts as bound everywhere. What other modules do to this one from outside is not seen.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterator


class Bindings:
    """How often each name is bound in a module, and the classes at its top."""

    def __init__(self, module: ast.Module) -> None:
        self._n_bound = Counter(name for node in ast.walk(module) for name in _bound_by(node))
        self._classes = {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}

    def is_builtin(self, name: str) -> bool:
        """Whether the name can only mean the builtin: bound nowhere, and no `import *` that could bind it."""
        return hasattr(builtins, name) and not self._n_bound[name] and not self._n_bound["*"]

    def top_class(self, name: str) -> ast.ClassDef | None:
        """The class of that name, if it stands at the module's top, undecorated, and nothing else binds its name."""
        found = self._classes.get(name)
        if found is None or found.decorator_list or self._n_bound[name] != 1 or self._n_bound["*"]:
            return None
        return found

    def is_plain_class(self, found: ast.ClassDef) -> bool:
        """Whether the class's metaclass can only be `type`: its bases are such classes themselves, or builtins."""
        return not found.keywords and all(self._is_plain_base(base, found.lineno) for base in found.bases)

    def _is_plain_base(self, base: ast.expr, before_line: int) -> bool:
        if not isinstance(base, ast.Name):
            return False
        if self.is_builtin(base.id):
            return type(getattr(builtins, base.id)) is type
        found = self.top_class(base.id)
        return found is not None and found.lineno < before_line and self.is_plain_class(found)


def _bound_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            yield node.id
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.MatchMapping):
        yield node.rest or "_"
    elif isinstance(name := getattr(node, "name", None), str):  # definitions, handlers, patterns, type parameters
        yield name
