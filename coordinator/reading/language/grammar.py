"""A language as the walk sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from tree_sitter import Language, Node, Parser, Tree

from coordinator.reading.language.definition import Rules
from coordinator.reading.unit import LineRange

COMMENT: Final = frozenset({"comment"})


@dataclass(frozen=True, eq=False)
class Grammar:
    """Which nodes of a syntax tree matter, and for what.

    `load` gives the compiled grammar of a wheel. `rules` say what defines something, by type of node; what stands in
    `transparent` nodes counts as if it stood outside. `comments` and `leaders` (attributes, decorators) right above a
    definition belong to it; `annotations` stand inside of it, before its signature. `docstring` finds the first line of
    the documentation in a body; without it, that is the first line of the leading comment.
    """

    name: str
    load: Callable[[], object]
    rules: Rules = field(default_factory=dict)
    transparent: frozenset[str] = frozenset()
    is_import: Callable[[Node], bool] = lambda _: False
    comments: frozenset[str] = COMMENT
    leaders: frozenset[str] = frozenset()
    annotations: frozenset[str] = frozenset()
    docstring: Callable[[Node | None, Sequence[str]], LineRange | None] | None = None
    _languages: list[Language] = field(default_factory=list, repr=False)

    def parse(self, contents: Sequence[str]) -> Tree:
        """The syntax tree of `contents`, lines without their endings; the grammar is loaded once, at first use."""
        if not self._languages:
            self._languages.append(Language(self.load()))
        # The parser counts only LF: with one LF a line, its rows are our lines, whatever the file's endings are.
        return Parser(self._languages[0]).parse("\n".join(contents).encode("utf-8", "replace"))


def any_of(*types: str) -> Callable[[Node], bool]:
    """Whether a node is of one of `types`."""
    wanted = frozenset(types)
    return lambda node: node.type in wanted
