"""Completeness by what was asked instead of by length: the question's terms that something is said about."""

from __future__ import annotations

from typing import Final

from coordinator.feedback.exchange import Exchange, content_words, sentences, words_of

NEW_WORDS: Final = 3
"""A sentence says something about a term if it has so many words that are not the question's."""


class TermCompleteness:
    """The share of the question's terms that stand in a sentence with three words that the question does not have.

    So an answer that repeats the question is not complete, however long; one short sentence can be.
    """

    def score(self, exchange: Exchange) -> float:
        """From 0 to 1; 0 for a question without words."""
        wanted = content_words(exchange.query)
        asked = words_of(exchange.query)
        telling = [
            found for part in sentences(exchange.response) if len((found := words_of(part)) - asked) >= NEW_WORDS
        ]
        covered = frozenset().union(*telling)
        return sum(word in covered for word in wanted) / len(wanted) if wanted else 0.0
