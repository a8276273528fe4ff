"""`class A(object):` becomes `class A:`.

Proof: without bases and keywords a class has the base `object`; the name must mean the builtin.
"""

from __future__ import annotations

import ast
import re

from typing_extensions import override

from agents_demo.rewrites.rewrite import Change, Place, Rewrite
from agents_demo.syntax import Lines


class ObjectBase(Rewrite[ast.ClassDef]):
    """A class whose only base is `object` loses it."""

    kind = "object_base"
    old_type = ast.ClassDef
    new_type = ast.ClassDef

    @override
    def is_old(self, node: ast.ClassDef) -> bool:
        only = node.bases[0] if len(node.bases) == 1 else None
        return not node.keywords and isinstance(only, ast.Name) and only.id == "object"

    @override
    def is_new(self, node: ast.AST) -> bool:
        assert isinstance(node, ast.ClassDef)
        return not node.keywords and not node.bases

    @override
    def rewritten(self, node: ast.ClassDef) -> ast.AST:
        kept = {name: value for name, value in ast.iter_fields(node) if name != "bases"}
        return ast.ClassDef(**kept, bases=[])

    @override
    def is_proven(self, node: ast.ClassDef, place: Place) -> bool:
        return place.bindings.is_builtin("object")

    @override
    def change(self, node: ast.ClassDef, lines: Lines) -> Change | None:
        start = lines.offset(node.lineno, node.col_offset)
        header = re.compile(rf"(class[ \t]+{re.escape(node.name)})[ \t]*\([ \t]*object[ \t]*,?[ \t]*\)[ \t]*:")
        found = header.match(lines.text, start)
        return None if found is None else Change(start, found.end(), f"{found[1]}:")

    def identity(self, node: ast.AST) -> ast.AST:
        """The class by its name: what stands in its body is others' business."""
        assert isinstance(node, ast.ClassDef)
        return ast.Name(id=f"class {node.name}", ctx=ast.Load())
