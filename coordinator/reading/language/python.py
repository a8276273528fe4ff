"""Python: functions and classes, with their decorators and docstrings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from coordinator.reading.language.definition import Rule, named, wrapped
from coordinator.reading.language.grammar import Grammar, any_of
from coordinator.reading.language.place import first_line, last_line
from coordinator.reading.unit import LineRange

_LONE_QUOTES = re.compile(r"""\s*[A-Za-z]{0,2}("{3}|'{3})\\?\s*""")


def _docstring(body: Node | None, contents: Sequence[str]) -> LineRange | None:
    """The first line of the docstring of `body`, with the opening quotes' line where they stand alone."""
    statement = next((child for child in body.children if child.type != "comment"), None) if body else None
    if statement is None or statement.type != "expression_statement" or statement.children[0].type != "string":
        return None
    first, last = first_line(statement), last_line(statement)
    alone = _LONE_QUOTES.fullmatch(contents[first - 1]) is not None
    return (first, min(first + 1, last)) if alone else (first, first)


_rules: dict[str, Rule] = {"function_definition": named("function"), "class_definition": named("class")}
_rules["decorated_definition"] = wrapped(_rules, "definition")

PYTHON: Final = Grammar(
    name="Python",
    wheel="tree_sitter_python",
    rules=_rules,
    transparent=frozenset(
        {
            "block", "if_statement", "elif_clause", "else_clause", "try_statement", "except_clause", "finally_clause",
            "except_group_clause", "with_statement", "for_statement", "while_statement", "match_statement",
            "case_clause", "ERROR",
        }
    ),
    is_import=any_of("import_statement", "import_from_statement", "future_import_statement"),
    docstring=_docstring,
)  # fmt: skip
