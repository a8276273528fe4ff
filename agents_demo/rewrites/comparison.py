"""Comparisons said plainly.

`not x in y` becomes `x not in y`, `not x is y` becomes `x is not y`: the compiler makes the same change. `x == None`
becomes `x is None`: nothing can prove that for every operator, so here the proof is that exactly this comparison
changed.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from typing_extensions import override

from agents_demo.rewrites.rewrite import Change, Place, Rewrite
from agents_demo.syntax import Lines

_NEGATED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {ast.In: ast.NotIn, ast.Is: ast.IsNot}
_IDENTICAL: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {ast.Eq: ast.Is, ast.NotEq: ast.IsNot}
_SPELLED: Final[dict[type[ast.cmpop], str]] = {ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not"}
_OPERATOR: Final = re.compile(r"[ \t]*(==|!=|\bin\b|\bis\b)[ \t]*")
_PLAIN: Final = re.compile(r"[ \t()]*")


class NegatedComparison(Rewrite[ast.UnaryOp]):
    """`not x in y` and `not x is y` become one comparison."""

    kind = "negated_comparison"
    old_type = ast.UnaryOp
    new_type = ast.Compare

    @override
    def is_old(self, node: ast.UnaryOp) -> bool:
        return isinstance(node.op, ast.Not) and _only_operator(node.operand) in _NEGATED

    @override
    def is_new(self, node: ast.AST) -> bool:
        return _only_operator(node) in (ast.NotIn, ast.IsNot)

    @override
    def rewritten(self, node: ast.UnaryOp) -> ast.AST:
        return _with_operator(node.operand, _NEGATED)

    @override
    def is_proven(self, node: ast.UnaryOp, place: Place) -> bool:
        return True

    @override
    def change(self, node: ast.UnaryOp, lines: Lines) -> Change | None:
        operand = node.operand
        assert isinstance(operand, ast.Compare)
        start, end = lines.span(node)
        left, right = lines.span(operand)  # with what parentheses its own ends have
        written = _with_operator_text(operand, lines, _NEGATED)
        before, after = lines.text[start + len("not") : left], lines.text[right:end]
        if written is None or not _PLAIN.fullmatch(before) or not _PLAIN.fullmatch(after):
            return None
        if before.count("(") == after.count(")") == 1 and after.strip() == ")":
            return Change(start, end, written)  # the parentheses held the comparison alone
        return Change(start, end, before.lstrip() + written + after)


class NoneComparison(Rewrite[ast.Compare]):
    """`x == None` and `x != None` become `x is None` and `x is not None`."""

    kind = "none_comparison"
    old_type = ast.Compare
    new_type = ast.Compare

    @override
    def is_old(self, node: ast.Compare) -> bool:
        return _only_operator(node) in _IDENTICAL and _is_none(node.comparators[0])

    @override
    def is_new(self, node: ast.AST) -> bool:
        assert isinstance(node, ast.Compare)
        return _only_operator(node) in (ast.Is, ast.IsNot) and _is_none(node.comparators[0])

    @override
    def rewritten(self, node: ast.Compare) -> ast.AST:
        return _with_operator(node, _IDENTICAL)

    @override
    def is_proven(self, node: ast.Compare, place: Place) -> bool:
        return True

    @override
    def change(self, node: ast.Compare, lines: Lines) -> Change | None:
        written = _with_operator_text(node, lines, _IDENTICAL)
        return None if written is None else Change(*lines.span(node), written)


def _only_operator(node: ast.AST) -> type[ast.cmpop] | None:
    """The operator of a comparison that has one; None for all else."""
    return type(node.ops[0]) if isinstance(node, ast.Compare) and len(node.ops) == 1 else None


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _with_operator(node: ast.expr, new_of: dict[type[ast.cmpop], type[ast.cmpop]]) -> ast.Compare:
    assert isinstance(node, ast.Compare)
    return ast.Compare(left=node.left, ops=[new_of[type(node.ops[0])]()], comparators=node.comparators)


def _with_operator_text(node: ast.Compare, lines: Lines, new_of: dict[type[ast.cmpop], type[ast.cmpop]]) -> str | None:
    """The comparison's text with its operator replaced; None where that stands across lines or beside a comment."""
    start, end = lines.span(node)
    gap_start, gap_end = lines.span(node.left)[1], lines.span(node.comparators[0])[0]
    gap = lines.text[gap_start:gap_end]
    found = _OPERATOR.search(gap)
    if found is None or not _PLAIN.fullmatch(gap[: found.start()]) or not _PLAIN.fullmatch(gap[found.end() :]):
        return None
    new = f" {_SPELLED[new_of[type(node.ops[0])]]} "
    return lines.text[start:gap_start] + _OPERATOR.sub(new, gap, count=1) + lines.text[gap_end:end]
