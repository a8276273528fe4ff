"""What an agent is looking for, and which lines speak of it.

Identifiers are split, so that "retry policy" finds `RetryPolicy`, `retry_policy` and `MAX_RETRY`. A word counts by how
rare it is among the lines of the file (inverse document frequency, Spärck Jones 1972).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from math import log
from typing import Final

MAX_QUERY_WORDS: Final = 64
MAX_SHOWN_CHARACTERS: Final = 60
MAX_CACHED_CHARACTERS: Final = 64
_IDENTIFIER = re.compile(r"\w+")
# Between aB, ABc | c, letters and digits, and at underscores.
_SEAM = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])|_+")
_COMMON: Final = frozenset(
    {
        "an", "and", "are", "as", "at", "be", "but", "by", "can", "do", "does", "for", "from", "has", "have", "if",
        "in", "into", "is", "it", "its", "no", "not", "now", "of", "on", "or", "should", "so", "that", "the", "then",
        "this", "to", "use", "used", "using", "was", "were", "when", "where", "which", "will", "with",
    }
)  # fmt: skip
"""English words that say nothing about what is looked for."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query and where it is from, in a word for the header: "given", "task", "search"."""

    text: str
    origin: str = "given"

    @property
    def words(self) -> tuple[str, ...]:
        """Its different words in order; the first 64 of a longer text."""
        return tuple(dict.fromkeys(split_words(self.text)))[:MAX_QUERY_WORDS]

    def __str__(self) -> str:
        return self.label(MAX_SHOWN_CHARACTERS)

    def label(self, max_characters: int) -> str:
        """Where the query is from, and so much of its text."""
        text = " ".join(self.text.split())
        shown = text if len(text) <= max_characters else text[: max_characters - 3] + "..."
        return f'query ({self.origin}) "{shown}"'


def split_words(text: str) -> Iterator[str]:
    """The words of `text`, case-folded: each identifier and, where it has several, its parts."""
    identifiers = _IDENTIFIER.findall(text)
    is_usual = max(map(len, identifiers), default=0) <= MAX_CACHED_CHARACTERS
    return chain.from_iterable(map(_known_words if is_usual else _words, identifiers))


def _words(identifier: str) -> tuple[str, ...]:
    parts = [part.casefold() for part in _SEAM.split(identifier) if part]
    return (*parts, identifier.casefold()) if len(parts) > 1 else tuple(parts)


_known_words = lru_cache(maxsize=8_192)(_words)  # a file says the same names again and again


def telling_words(query: Query) -> tuple[str, ...]:
    """The words of a query that tell texts apart: neither single characters nor English's commonest words."""
    return tuple(word for word in query.words if len(word) > 1 and word not in _COMMON)


def overlaps(lines: Sequence[str], query: Query) -> list[float]:
    """How much of the query each line holds, 0 to 1, by the rarity of its words in `lines`.

    Words that no line holds are left out of account; if none is held, all lines have 0.
    """
    wanted = query.words
    found = [_found(line, wanted) for line in lines]
    counts = Counter(word for words in found for word in words)
    rarity = {word: log(1 + len(lines) / counts[word]) for word in wanted if counts[word]}
    total = sum(rarity.values())
    return [sum(rarity[word] for word in words) / total if words else 0.0 for words in found]


def _found(line: str, wanted: Sequence[str]) -> list[str]:
    """The wanted words that the line holds, in the order of the query, which keeps sums of floats the same."""
    folded = line.casefold()
    candidates = [word for word in wanted if word in folded]  # most lines hold none: do not split those
    if not candidates:
        return []
    words = frozenset(split_words(line))
    return [word for word in candidates if word in words]
