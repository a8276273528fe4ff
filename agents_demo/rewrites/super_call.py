"""`super(A, self)` becomes `super()`.

Proof: the call stands directly in a method of the class A, whose first parameter it passes and which is never bound
anew; A is an undecorated class at the module's top whose name nothing else binds; and A's metaclass can only be
`type`, which is known to hand the `__class__` cell on.
"""

from __future__ import annotations

import ast
from typing import Final

from typing_extensions import override

from agents_demo.rewrites.rewrite import Change, Place, Rewrite
from agents_demo.syntax import Lines

_SCOPES: Final = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


class SuperCall(Rewrite[ast.Call]):
    """`super` with its two usual arguments is called without them."""

    kind = "super_call"
    old_type = ast.Call
    new_type = ast.Call

    @override
    def is_old(self, node: ast.Call) -> bool:
        return _is_super(node) and len(node.args) == 2 and all(isinstance(argument, ast.Name) for argument in node.args)

    @override
    def is_new(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and _is_super(node) and not node.args

    @override
    def rewritten(self, node: ast.Call) -> ast.AST:
        return ast.Call(func=node.func, args=[], keywords=[])

    @override
    def is_proven(self, node: ast.Call, place: Place) -> bool:
        named, receiver = node.args
        assert isinstance(named, ast.Name)
        assert isinstance(receiver, ast.Name)
        scopes = [around for around in place.ancestors if isinstance(around, _SCOPES)]
        if len(scopes) != 2 or not place.bindings.is_builtin("super"):
            return False
        holder, method = scopes
        return (
            isinstance(holder, ast.ClassDef)
            and holder is place.bindings.top_class(named.id)
            and place.bindings.is_plain_class(holder)
            and isinstance(method, ast.FunctionDef)
            and _is_in_body(method, place)
            and _keeps_first(method, receiver.id)
        )

    @override
    def change(self, node: ast.Call, lines: Lines) -> Change | None:
        return Change(*lines.span(node), "super()")


def _is_super(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "super" and not node.keywords


def _is_in_body(method: ast.FunctionDef, place: Place) -> bool:
    """Whether the place is in the method's body, not among its decorators or defaults."""
    inside = place.ancestors[place.ancestors.index(method) + 1 :]
    return bool(inside) and any(inside[0] is statement for statement in method.body)


def _keeps_first(method: ast.FunctionDef, receiver: str) -> bool:
    """Whether the method's first parameter has this name and is never bound anew, nor in what it contains."""
    parameters = [*method.args.posonlyargs, *method.args.args]
    bound_anew = any(
        isinstance(node, ast.Name) and node.id == receiver and not isinstance(node.ctx, ast.Load)
        for node in ast.walk(method)
    )
    return bool(parameters) and parameters[0].arg == receiver and not bound_anew
