"""`raise NotImplementedError()` becomes `raise NotImplementedError`.

Proof: raising a class raises the instance that calling it without arguments gives; the name must mean the builtin.
"""

from __future__ import annotations

import ast
import builtins
from typing import Final

from typing_extensions import override

from agents_demo.rewrites.rewrite import Change, Place, Rewrite
from agents_demo.syntax import Lines

_EXCEPTIONS: Final = frozenset(
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
)


class BareRaise(Rewrite[ast.Raise]):
    """A builtin exception is raised without a call that passes nothing."""

    kind = "bare_raise"
    old_type = ast.Raise
    new_type = ast.Raise

    @override
    def is_old(self, node: ast.Raise) -> bool:
        raised = node.exc
        return isinstance(raised, ast.Call) and not raised.args and not raised.keywords and _is_exception(raised.func)

    @override
    def is_new(self, node: ast.AST) -> bool:
        assert isinstance(node, ast.Raise)
        return _is_exception(node.exc)

    @override
    def rewritten(self, node: ast.Raise) -> ast.AST:
        return ast.Raise(exc=_called(node), cause=node.cause)

    @override
    def is_proven(self, node: ast.Raise, place: Place) -> bool:
        return place.bindings.is_builtin(_called(node).id)

    @override
    def change(self, node: ast.Raise, lines: Lines) -> Change | None:
        assert node.exc is not None
        return Change(*lines.span(node.exc), _called(node).id)


def _is_exception(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Name) and node.id in _EXCEPTIONS


def _called(node: ast.Raise) -> ast.Name:
    assert isinstance(node.exc, ast.Call)
    assert isinstance(node.exc.func, ast.Name)
    return node.exc.func
