"""A language as the walk sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import count
from time import thread_time
from typing import Final

from tree_sitter import Language, Node, Parser, Tree

from coordinator.reading.language.definition import Rules
from coordinator.reading.unit import LineRange

MIN_STEPS: Final = 2_000
BYTES_A_STEP: Final = 16
"""A parse may take a hundred steps for so many bytes, more than twice what real source takes."""
MAX_PARSE_S: Final = 2.0
"""Of processor time, for texts whose single steps take long; no real source comes near, so no view depends on it."""
MIN_UNCLOSED: Final = 500
BYTES_AN_UNCLOSED: Final = 100
"""With more brackets open at its end a text is not parsed: to give up thousands is one step, of minutes."""
_BRACKETS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))
_CHUNK_BYTES = 2_048  # one is copied for each text of a node
COMMENT: Final = frozenset({"comment"})


@dataclass(frozen=True, eq=False)
class Grammar:
    """Which nodes of a syntax tree matter, and for what.

    `wheel` is the module of the compiled grammar, and `entry` its function that gives it. `rules` say what defines
    something, by type of node; what stands in `transparent` nodes counts as if it stood outside. `comments` and
    `leaders` (attributes, decorators) right above a definition belong to it; `annotations` stand inside of it, before
    its signature. `docstring` finds the first line of the documentation in a body; without it, that is the first line
    of the leading comment. `has_loose_ends` says that the parser puts comments which lead a definition at the end of
    the one before.
    """

    name: str
    wheel: str
    entry: str = "language"
    rules: Rules = field(default_factory=dict)
    transparent: frozenset[str] = frozenset()
    is_import: Callable[[Node], bool] = lambda _: False
    comments: frozenset[str] = COMMENT
    leaders: frozenset[str] = frozenset()
    annotations: frozenset[str] = frozenset()
    has_loose_ends: bool = False
    docstring: Callable[[Node | None, Sequence[str]], LineRange | None] | None = None
    _languages: list[Language] = field(default_factory=list, repr=False)

    def parse(self, contents: Sequence[str]) -> Tree | None:
        """The syntax tree of `contents`, lines without their endings; None where it takes too long to find one.

        The compiled grammar is imported at its first use: few processes need more than a few of them.
        """
        # The parser counts only LF: with one LF a line, its rows are our lines, whatever the file's endings are.
        if not self._languages:
            self._languages.append(Language(getattr(import_module(self.wheel), self.entry)()))
        return _parsed(Parser(self._languages[0]), "\n".join(contents).encode("utf-8", "replace"))


def _parsed(parser: Parser, raw: bytes) -> Tree | None:
    if _n_unclosed(raw) > MIN_UNCLOSED + len(raw) // BYTES_AN_UNCLOSED:
        return None
    limit = MIN_STEPS + len(raw) // BYTES_A_STEP
    steps, until_s = count(1), thread_time() + MAX_PARSE_S
    try:
        return parser.parse(
            lambda start, _: raw[start : start + _CHUNK_BYTES],
            progress_callback=lambda _offset, _has_error: next(steps) > limit or thread_time() > until_s,
        )
    except ValueError:  # what the parser says of a parse that was stopped
        return None


def _n_unclosed(raw: bytes) -> int:
    return sum(max(0, raw.count(opening) - raw.count(closing)) for opening, closing in _BRACKETS)


def any_of(*types: str) -> Callable[[Node], bool]:
    """Whether a node is of one of `types`."""
    wanted = frozenset(types)
    return lambda node: node.type in wanted
