"""Python text and its syntax tree: parsing without warnings, and where a node's text lies.

Only LF and CRLF end a line here; a text with a lone CR is refused, because the parser would count it as a line's end.
"""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_LONE_CR: Final = re.compile(r"\r(?!\n)")
_INDENT: Final = re.compile(r"[ \t\f]*")


class ImportRun(ast.stmt):
    """Consecutive `import` statements, one below the other, held as one statement.

    It stands in a tree that `fold` made; `unfold` puts the statements back.
    """

    _fields = ("statements",)
    statements: list[ast.Import]

    @classmethod
    def of(cls, statements: Sequence[ast.Import]) -> ImportRun:
        """The run of these statements, at least one, where they stand."""
        run = cls()
        run.statements = list(statements)
        run.lineno, run.col_offset = statements[0].lineno, statements[0].col_offset
        run.end_lineno, run.end_col_offset = statements[-1].end_lineno, statements[-1].end_col_offset
        return run


class Lines:
    """A text by line and column, as the parser counts them: lines from 1, columns in UTF-8 bytes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines: list[str] = _LINE.findall(text)
        self._starts = list(accumulate((len(line) for line in self.lines), initial=0))

    @property
    def newline(self) -> str:
        """The ending of the first line; LF for a text without any."""
        return "\r\n" if self.lines and self.lines[0].endswith("\r\n") else "\n"

    def offset(self, lineno: int, col_offset: int) -> int:
        """The index into `text` of a position that the parser gave."""
        line = self.lines[lineno - 1]
        column = col_offset if line.isascii() else len(line.encode()[:col_offset].decode())
        return self._starts[lineno - 1] + column

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Where the node's text begins and ends in `text`."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def segment(self, node: ast.expr | ast.stmt) -> str:
        """The node's text, without parentheses around it."""
        start, end = self.span(node)
        return self.text[start:end]

    def line_at(self, offset: int) -> int:
        """The number, from 1, of the line that holds the character at `offset`."""
        return min(bisect_right(self._starts, offset), len(self.lines))

    def block(self, first: int, last: int) -> tuple[int, int]:
        """Where the lines `first` to `last`, both included, lie in `text`; without the last one's ending."""
        line = self.lines[last - 1]
        return self._starts[first - 1], self._starts[last - 1] + len(line.rstrip("\r\n"))


def indent_of(line: str) -> str:
    """The white space that a line begins with."""
    found = _INDENT.match(line)
    return found.group() if found else ""


def has_lone_cr(text: str) -> bool:
    """Whether a CR stands alone, which the parser takes for a line's end and `Lines` does not."""
    return _LONE_CR.search(text) is not None


def parse(text: str) -> ast.Module | None:
    """The text's tree, or None where it does not parse, or where a lone CR would shift its line numbers."""
    if has_lone_cr(text):
        return None
    try:
        return parse_strictly(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def parse_strictly(text: str) -> ast.Module:
    """The text's tree. Raises what `ast.parse` raises; warnings about old escapes are not of interest here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def fold(module: ast.Module) -> ast.Module:
    """The same tree, changed in place: each run of `import` statements on consecutive lines is one `ImportRun`."""
    for node in ast.walk(module):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and any(isinstance(statement, ast.Import) for statement in body):
                setattr(node, name, _folded(body))
    return module


def _folded(body: list[ast.stmt]) -> list[ast.stmt]:
    folded: list[ast.stmt] = []
    run: list[ast.Import] = []
    for statement in body:
        if run and not (isinstance(statement, ast.Import) and statement.lineno == (run[-1].end_lineno or 0) + 1):
            folded.append(ImportRun.of(run))
            run = []
        if isinstance(statement, ast.Import):
            run.append(statement)
        else:
            folded.append(statement)
    return [*folded, ImportRun.of(run)] if run else folded


class _Unfold(ast.NodeTransformer):
    def visit_ImportRun(self, node: ImportRun) -> list[ast.Import]:
        return node.statements


def unfold(module: ast.Module) -> ast.Module:
    """The same tree, changed in place, with plain `import` statements again."""
    _Unfold().visit(module)
    return module
