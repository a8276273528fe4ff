"""`"%s is %r" % (a, b)` becomes `f"{a!s} is {b!r}"`.

Proof: over a tuple display with `%s`, `%r` and `%a` alone, CPython's compiler makes the same change (since 3.11), so
both compile to the same code. A right side that is no tuple display must be one that is never a tuple. `%d` is taken
only for what is exactly an integer: an integer literal or a call of the builtin `len`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from typing_extensions import override

from agents_demo.rewrites.rewrite import Change, Place, Rewrite
from agents_demo.syntax import Lines, parse

MAX_LENGTH: Final = 100
"""Longer f-strings, in characters, are not written: nobody would want them on one line."""

_PIECE: Final = re.compile(r"%[srad%]|[^%]+|%")
_CONVERSIONS: Final = {"%s": "s", "%r": "r", "%a": "a", "%d": "s"}
_NEVER_A_TUPLE: Final = frozenset(
    ("ascii", "bin", "chr", "float", "format", "hash", "hex", "id", "int", "len", "oct", "ord", "repr", "str", "type")
)
_GIVE_TEXT: Final = frozenset(("join", "lower", "replace", "strip", "upper", "format"))
_ESCAPES: Final = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "{": "{{", "}": "}}"}
_UNWRITABLE: Final = re.compile(r"[\\{}!#\r\n]")
_NOT_INSIDE: Final = (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Starred, ast.JoinedStr)


class PercentFormat(Rewrite[ast.BinOp]):
    """A `%` format with a literal on the left becomes an f-string."""

    kind = "percent_format"
    old_type = ast.BinOp
    new_type = ast.JoinedStr

    @override
    def is_old(self, node: ast.BinOp) -> bool:
        if not (isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant)):
            return False
        template, arguments = node.left.value, _arguments(node.right)
        if not isinstance(template, str) or arguments is None:
            return False
        pieces = _pieces(template)
        slots = [piece for piece in pieces if piece in _CONVERSIONS]
        return (
            "%" not in pieces
            and 0 < len(slots) == len(arguments)
            and all(map(_fits, slots, arguments))
            and not any(isinstance(inner, _NOT_INSIDE) for argument in arguments for inner in ast.walk(argument))
        )

    @override
    def is_new(self, node: ast.AST) -> bool:
        assert isinstance(node, ast.JoinedStr)
        slots = [value for value in node.values if isinstance(value, ast.FormattedValue)]
        return bool(slots) and all(slot.conversion != -1 and slot.format_spec is None for slot in slots)

    @override
    def rewritten(self, node: ast.BinOp) -> ast.AST:
        return ast.JoinedStr(values=list(_values(node)))

    @override
    def is_proven(self, node: ast.BinOp, place: Place) -> bool:
        return all(place.bindings.is_builtin(name) for name in _builtins_relied_on(node))

    @override
    def change(self, node: ast.BinOp, lines: Lines) -> Change | None:
        start, end = lines.span(node)
        if start and (lines.text[start - 1].isalnum() or lines.text[start - 1] in "_\"'"):
            return None  # the prefix `f` would run into what stands there
        if "\n" in lines.text[start:end] and "#" in lines.text[start:end]:
            return None  # a comment between the lines would be lost
        written = self._written(node, lines)
        if written is None or len(written) > MAX_LENGTH:
            return None
        return Change(start, end, written)

    def _written(self, node: ast.BinOp, lines: Lines) -> str | None:
        arguments = _arguments(node.right) or []
        texts = [lines.segment(argument) for argument in arguments]
        if any(_UNWRITABLE.search(text) for text in texts):
            return None
        for quote in ('"', "'"):
            if not any(quote in text for text in texts):
                written = f"f{quote}{''.join(_spell(node, texts, quote))}{quote}"
                return written if self._reads_back(written, node) else None
        return None

    def _reads_back(self, written: str, node: ast.BinOp) -> bool:
        read = parse(written)
        wanted = ast.Module(body=[ast.Expr(value=self.rewritten(node))], type_ignores=[])  # type: ignore[arg-type]  # AST
        return read is not None and ast.dump(read) == ast.dump(wanted)


def _pieces(template: str) -> list[str]:
    """The template cut into literal stretches and formats; a lone "%" stands for a format that is not understood."""
    return _PIECE.findall(template)


def _arguments(right: ast.expr) -> list[ast.expr] | None:
    """What fills the slots, or None where it is not known how many there are."""
    if isinstance(right, ast.Tuple):
        return right.elts
    return [right] if _is_never_a_tuple(right) else None


def _is_never_a_tuple(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, tuple)
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id in _NEVER_A_TUPLE and not (node.func.id == "type" and len(node.args) != 1)
    return isinstance(node.func, ast.Attribute) and _is_text(node.func.value) and node.func.attr in _GIVE_TEXT


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _fits(slot: str, argument: ast.expr) -> bool:
    if slot != "%d":
        return True
    if isinstance(argument, ast.Constant):
        return type(argument.value) is int
    return isinstance(argument, ast.Call) and isinstance(argument.func, ast.Name) and argument.func.id == "len"


def _builtins_relied_on(node: ast.BinOp) -> Iterator[str]:
    slots = [piece for piece in _pieces(_template(node)) if piece in _CONVERSIONS]
    for slot, argument in zip(slots, _arguments(node.right) or [], strict=True):
        is_called = isinstance(argument, ast.Call) and isinstance(argument.func, ast.Name)
        if is_called and (slot == "%d" or argument is node.right):
            yield argument.func.id  # type: ignore[attr-defined]  # `is_called` says that it is there


def _template(node: ast.BinOp) -> str:
    assert isinstance(node.left, ast.Constant)
    return str(node.left.value)


def _values(node: ast.BinOp) -> Iterator[ast.expr]:
    """The f-string's parts as the parser gives them: neighbouring literals are one."""
    arguments = iter(_arguments(node.right) or [])
    literal = ""
    for piece in _pieces(_template(node)):
        if piece in _CONVERSIONS:
            if literal:
                yield ast.Constant(value=literal)
            yield ast.FormattedValue(value=next(arguments), conversion=ord(_CONVERSIONS[piece]))
            literal = ""
        else:
            literal += "%" if piece == "%%" else piece
    if literal:
        yield ast.Constant(value=literal)


def _spell(node: ast.BinOp, texts: list[str], quote: str) -> Iterator[str]:
    unused = iter(texts)
    for piece in _pieces(_template(node)):
        if piece in _CONVERSIONS:
            yield f"{{{next(unused)}!{_CONVERSIONS[piece]}}}"
        else:
            yield "".join(_escaped(char, quote) for char in ("%" if piece == "%%" else piece))


def _escaped(char: str, quote: str) -> str:
    if char == quote:
        return "\\" + char
    return _ESCAPES.get(char) or (char if char.isprintable() else char.encode("unicode_escape").decode())
