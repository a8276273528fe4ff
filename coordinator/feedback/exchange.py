"""A question, the passages that were shown with it, and what was answered: all that a scorer may look at."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from coordinator.reading.query import Query, split_words, telling_words
from coordinator.retrieval.passage import Passage

_ASKING: Final = frozenset(
    {
        "am", "any", "because", "been", "could", "did", "get", "had", "he", "her", "his", "how", "me", "my", "our",
        "she", "some", "than", "their", "them", "there", "these", "they", "those", "us", "we", "what", "who", "whom",
        "whose", "why", "would", "you", "your",
    }
)  # fmt: skip
"""Words of questions that say how something is asked and not what about."""
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*[-*#>|])")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question and its answer."""

    query: str
    passages: Sequence[Passage]
    response: str


def content_words(text: str) -> tuple[str, ...]:
    """The different words that say what a question is about, in order and case-folded; all its words if none do."""
    query = Query(text)
    return tuple(word for word in telling_words(query) if word not in _ASKING) or query.words


def words_of(text: str) -> frozenset[str]:
    """All words of a text, case-folded; names are there whole and in parts."""
    return frozenset(split_words(text))


def sentences(text: str) -> list[str]:
    """The sentences, list items and paragraphs of a text, in order; empty ones are left out."""
    return [part for found in _SENTENCE_END.split(text) if (part := found.strip())]
