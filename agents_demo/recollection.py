"""What an agent knows of a file by heart: its statements, not how they were written.

Models know much public code, yet quote it from memory in a form of their own: without comments, with other quotes and
line breaks. An edit that is written so lands where the file happens to say the same, and misses where it does not; the
file decides. Such an agent goes by its memory only where looking is dear: at statements outside of definitions, which
no part of a file shows alone, and in long definitions.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

from agents_demo.site import MODULE_SCOPE
from agents_demo.syntax import parse
from agents_demo.task import Task, read_source

LONG_UNIT_LINES: Final = 60
"""From so many lines on, without comments and blank lines, a definition is quoted from memory."""

_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Recollection:
    """Of the tree as it was at first, under `root`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def recall(self, task: Task) -> str:
        """What is remembered around the task's place; empty where looking is cheap. Raises `OSError`."""
        return recollected(read_source(self._root / task.path), task.unit)


def recollected(text: str, unit: str) -> str:
    """The statements outside of definitions, or a long definition with all that is around it.

    In the form that the parser's own printer gives them; empty for a short definition, or one that is not there.
    """
    module = parse(text)
    if module is None:
        return ""
    outermost, innermost = (_plain(name) for name in (unit.partition(".")[0], unit.rpartition(".")[2]))
    kept = [statement for statement in module.body if _name_of(statement) == outermost]
    remembered = ast.unparse(ast.Module(kept, [])) + "\n"
    return remembered if unit == MODULE_SCOPE or _is_long(remembered, innermost) else ""


def _plain(name: str) -> str:
    """The name without the number of a repeated one."""
    return name.partition("#")[0]


def _name_of(statement: ast.stmt) -> str:
    return statement.name if isinstance(statement, _DEFINITIONS) else MODULE_SCOPE


def _is_long(text: str, name: str) -> bool:
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, _DEFINITIONS) and node.name == name]
    return any((node.end_lineno or 0) - node.lineno + 1 >= LONG_UNIT_LINES for node in found)
