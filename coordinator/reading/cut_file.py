"""A file cut into pieces, and what is known of them before anybody asks.

An agent reads a file again for another query, or after it was told more; only what the query says is new then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Final

from actors.quality_store.path import extension_of
from coordinator.reading.bm25 import WordIndex
from coordinator.reading.entropy import line_tokens
from coordinator.reading.grammar import outline_of
from coordinator.reading.piece import cut_pieces
from coordinator.reading.query import split_words
from coordinator.reading.source import SourceText
from coordinator.reading.unit import Outline

MAX_KEPT_FILES: Final = 8
MAX_KEPT_CHARACTERS: Final = 400_000
"""A longer file is cut anew each time; so no more than some 50 MB are kept."""
MAX_PIECE_CHARACTERS: Final = 4_000  # longer pieces are split anew each time: the cache stays small


class CutFile:
    """The pieces of one file with their texts, their tokens (`sizes`) and their words.

    `weights` are the tokens of each line, `extension` is in lower case without its dot.
    """

    def __init__(self, lines: Sequence[str], outline: Outline, extension: str) -> None:
        self.outline = outline
        self.extension = extension
        self.n_lines = len(lines)
        self.weights = [line_tokens(line) for line in lines]
        self.pieces = cut_pieces(lines, outline)
        spans = [(piece.lines[0] - 1, piece.lines[1]) for piece in self.pieces]
        self.texts = ["".join(lines[start:stop]) for start, stop in spans]
        self.sizes = [sum(self.weights[start:stop]) for start, stop in spans]

    @cached_property
    def words(self) -> WordIndex:
        """Of the pieces' texts."""
        return WordIndex([_words_of(text) for text in self.texts])

    @cached_property
    def names(self) -> WordIndex:
        """Of the pieces' names."""
        return WordIndex([Counter(split_words(piece.name)) for piece in self.pieces])

    @cached_property
    def middling_name(self) -> str:
        """The definition's name that is of middling length; empty where there is none."""
        names = sorted((unit.name for unit in self.outline.units if unit.is_definition), key=len)
        return names[len(names) // 2] if names else ""


def cut_file(source: SourceText, path: str) -> CutFile:
    """The file in pieces; those cut last are kept."""
    return _kept(source, path) if len(source.text) <= MAX_KEPT_CHARACTERS else _cut(source, path)


def _cut(source: SourceText, path: str) -> CutFile:
    return CutFile(source.lines, outline_of(source, path), extension_of(path))


_kept = lru_cache(maxsize=MAX_KEPT_FILES)(_cut)


def _words_of(text: str) -> Counter[str]:
    return _known_words(text) if len(text) <= MAX_PIECE_CHARACTERS else Counter(split_words(text))


@lru_cache(maxsize=1_024)  # an agent reads a file again after an edit, and most pieces are as they were
def _known_words(text: str) -> Counter[str]:
    return Counter(split_words(text))
