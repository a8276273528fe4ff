"""A run of `import` lines becomes one module a line, sorted.

Proof: the same aliases, none of which hides another, of modules of the standard library whose import has no effect that
another one's could depend on, so their order does not matter.
"""

from __future__ import annotations

import ast
import sys
from typing import Final

from typing_extensions import override

from agents_demo.rewrites.rewrite import Change, Place, Rewrite
from agents_demo.syntax import ImportRun, Lines, indent_of

_SPEAKS_WHEN_IMPORTED: Final = frozenset(("antigravity", "idlelib", "rlcompleter", "this", "turtle", "turtledemo"))


class SortedImports(Rewrite[ImportRun]):
    """Consecutive `import` statements in order, one module each."""

    kind = "sorted_imports"
    old_type = ImportRun
    new_type = ImportRun

    @override
    def is_old(self, node: ImportRun) -> bool:
        return not self.is_new(node)

    @override
    def is_new(self, node: ast.AST) -> bool:
        assert isinstance(node, ImportRun)
        keys = [_key(alias) for alias in _aliases(node)]
        return len(keys) == len(node.statements) and keys == sorted(keys)

    @override
    def rewritten(self, node: ImportRun) -> ast.AST:
        return ImportRun.of([_positioned(alias, node) for alias in sorted(_aliases(node), key=_key)])

    @override
    def is_proven(self, node: ImportRun, place: Place) -> bool:
        aliases = _aliases(node)
        tops = [alias.name.partition(".")[0] for alias in aliases]
        # `import a` twice, or `import a` and `import a.b`, bind one name to one module: harmless in any order.
        bound = {(alias.asname or top, alias.asname and alias.name) for alias, top in zip(aliases, tops, strict=True)}
        return (
            all(top in sys.stdlib_module_names and top not in _SPEAKS_WHEN_IMPORTED for top in tops)
            and len({name for name, _ in bound}) == len(bound)
        )  # fmt: skip

    @override
    def change(self, node: ImportRun, lines: Lines) -> Change | None:
        assert node.end_lineno is not None
        written_lines = lines.lines[node.lineno - 1 : node.end_lineno]
        indent = indent_of(written_lines[0])
        if len(written_lines) != len(node.statements) or not all(_is_plain(line, indent) for line in written_lines):
            return None
        new = [f"{indent}import {_spell(alias)}" for alias in sorted(_aliases(node), key=_key)]
        return Change(*lines.block(node.lineno, node.end_lineno), lines.newline.join(new))


def _aliases(node: ImportRun) -> list[ast.alias]:
    return [alias for statement in node.statements for alias in statement.names]


def _key(alias: ast.alias) -> tuple[str, str]:
    return alias.name, alias.asname or ""


def _spell(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name


def _positioned(alias: ast.alias, node: ImportRun) -> ast.Import:
    return ast.copy_location(ast.Import(names=[alias]), node)


def _is_plain(line: str, indent: str) -> bool:
    """Whether the line holds one statement and nothing else, no comment, no continuation."""
    return line.startswith(f"{indent}import ") and not any(sign in line for sign in ";#\\")
