"""The tree of a text that may be only part of a file, with lines between that are no Python.

An agent's view is a whole file, one definition with the indentation it has in the file, or headers with their bodies
left out. What its markers look like is not known here: a line that does not parse where it stands is skipped. Text is
never shifted, so strings keep their content and positions are those of the text as it was shown.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final

from agents_demo.syntax import Lines, fold, has_lone_cr, indent_of, parse, parse_strictly

MAX_EXTENSIONS: Final = 30
"""How many lines in a row that seem to begin a statement may turn out to be inside a string or a bracket."""

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_MAX_HEADER_LINES: Final = 40
_HEADER: Final = re.compile(r"(async[ \t]+def|def|class)\b")
_NO_START: Final = re.compile(r"(else|elif|except|finally)\b|[#)\]}]|$")
_GOES_ON: Final = ("unterminated triple-quoted", "was never closed")


@dataclass(frozen=True)
class Fragment:
    """What could be parsed.

    `module` holds what stands at the margin; `orphans` are the indented definitions, where none stands at the margin.
    `is_whole` says that all of the text parsed at once; else `skipped` has the numbers, from 1, of lines that did not.
    """

    module: ast.Module
    orphans: tuple[ast.stmt, ...]
    is_whole: bool
    skipped: frozenset[int]


def read_fragment(text: str) -> Fragment:
    """Parse what can be parsed of a shown text; of one with a lone CR, nothing. The trees are folded."""
    if has_lone_cr(text):
        return Fragment(ast.Module(body=[], type_ignores=[]), (), is_whole=False, skipped=frozenset())
    module = parse(text)
    if module is not None:
        return Fragment(fold(module), (), is_whole=True, skipped=frozenset())
    reader = _Reader(Lines(text).lines)
    module = ast.Module(body=reader.statements(0, len(reader.lines), margin=0), type_ignores=[])
    is_alone = not any(isinstance(statement, _DEFINITIONS) for statement in module.body)
    orphans = fold(ast.Module(body=reader.orphans if is_alone else [], type_ignores=[]))
    return Fragment(fold(module), tuple(orphans.body), is_whole=False, skipped=frozenset(reader.skipped))


class _Reader:
    """Takes a text apart by indentation, line numbers from 0, the last one not included."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.widths = [_width(line) for line in lines]
        self.orphans: list[ast.stmt] = []
        self.skipped: set[int] = set()

    def statements(self, first: int, last: int, margin: int | None = None) -> list[ast.stmt]:
        """What parses between these lines at the `margin`, a width; if None, at that of the first statement.

        Deeper definitions after a line that was skipped go on with the class before it, if there is one.
        """
        found: list[ast.stmt] = []
        at: int | None = next(self._starts(first, last), None)
        while at is not None:
            width = self.widths[at]
            margin = width if margin is None or width < margin else margin
            parsed, upto = self._longest(at, last)
            if width > margin:
                holder = _open_class(found, width)
                definitions = [statement for statement in parsed if isinstance(statement, _DEFINITIONS)]
                (self.orphans if holder is None else holder.body).extend(definitions)
            else:
                found += parsed
            at = next(self._starts(upto, last), None)
        return found

    def _longest(self, at: int, last: int) -> tuple[list[ast.stmt], int]:
        """The statements that begin at the line `at`, and the line after them; none for a line that is skipped."""
        starts = self._starts(at + 1, last, self.widths[at], is_adorned=_is_decorator(self.lines[at]))
        ends = islice(chain(starts, (last,)), MAX_EXTENSIONS)
        first_end = next(ends)
        for end in chain((first_end,), ends):
            parsed, goes_on = self._parsed(at, end)
            if parsed is not None:
                return parsed, end
            if not goes_on:
                break
        definition = self._in_parts(at, first_end)
        if definition is not None:
            return [definition], first_end
        self.skipped.add(at + 1)
        return [], at + 1

    def _starts(self, first: int, last: int, margin: int | None = None, *, is_adorned: bool = False) -> Iterator[int]:
        """Where statements begin: lines no deeper than the margin, decorators together with what they adorn."""
        for number in range(first, last):
            width = self.widths[number]
            if margin is not None and width > margin:
                continue
            line = self.lines[number].strip()
            if not _NO_START.match(line):
                margin = width
                if not is_adorned:
                    yield number
                is_adorned = _is_decorator(line)

    def _parsed(self, first: int, last: int) -> tuple[list[ast.stmt] | None, bool]:
        """The statements of these lines, or None, and whether the text breaks off inside a string or a bracket."""
        is_indented = bool(indent_of(self.lines[first]))
        text = ("if 1:\n" if is_indented else "") + "".join(self.lines[first:last])
        try:
            body = parse_strictly(text).body
        except SyntaxError as error:
            return None, any(sign in str(error.msg) for sign in _GOES_ON)
        except (ValueError, RecursionError, MemoryError):
            return None, False
        for statement in body:
            ast.increment_lineno(statement, first - is_indented)
        return (_body_of(body[0]) if is_indented else body), False

    def _in_parts(self, first: int, last: int) -> _Definition | None:
        """What can be had of a definition that does not parse whole: its header and some of its body."""
        header = next((n for n in range(first, last) if _HEADER.match(self.lines[n].lstrip())), None)
        if header is None or (header != first and not _is_decorator(self.lines[first])):
            return None
        for end in range(header + 1, min(last, header + _MAX_HEADER_LINES) + 1):
            definition = self._definition(header, end)
            if definition is not None:
                self.skipped.update(range(first + 1, header + 1))  # decorators, or what stands between them
                definition.body = self.statements(end, last) or definition.body
                return definition
        return None

    def _definition(self, first: int, last: int) -> _Definition | None:
        """The definition whose header these lines are, with an empty body."""
        indent = indent_of(self.lines[first])
        prefix = "if 1:\n" if indent else ""
        parsed = parse(f"{prefix}{''.join(self.lines[first:last])}\n{indent} pass\n")
        if parsed is None:
            return None
        ast.increment_lineno(parsed, first - bool(indent))
        found = _body_of(parsed.body[0])[0] if indent else parsed.body[0]
        return found if isinstance(found, _DEFINITIONS) else None


def _open_class(statements: Sequence[ast.stmt], width: int) -> ast.ClassDef | None:
    """The innermost class that definitions of this width, coming next, would belong to."""
    last = statements[-1] if statements else None
    if not isinstance(last, ast.ClassDef) or last.col_offset >= width:
        return None
    return _open_class(last.body, width) or last


def _body_of(wrapper: ast.stmt) -> list[ast.stmt]:
    assert isinstance(wrapper, ast.If)
    return wrapper.body


def _is_decorator(line: str) -> bool:
    return line.lstrip().startswith("@")


def _width(line: str) -> int:
    return len(indent_of(line).expandtabs())
