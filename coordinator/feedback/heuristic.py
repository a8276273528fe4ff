"""The four measures of the feedback contract. They look at words and lengths, and know nothing of truth.

An answer can score well and be wrong: docs/feedback.md says by how much the score tells a right answer from another
question's.
"""

from __future__ import annotations

import re
from typing import Final

from coordinator.feedback.exchange import Exchange, content_words, sentences, words_of

SHORT_CHARACTERS: Final = 50
LONG_CHARACTERS: Final = 500
SHORT_COMPLETENESS: Final = 0.5
"""The completeness of an answer of 50 characters; from there it rises to 1.0 at 500."""
SENTENCES_A_TRANSITION: Final = 3
BASELINE_ACCURACY: Final = 0.85
TRANSITIONS: Final = (
    "accordingly", "additionally", "although", "as a result", "because", "besides", "consequently", "conversely",
    "finally", "for example", "for instance", "furthermore", "hence", "however", "in addition", "in contrast",
    "in other words", "in particular", "instead", "likewise", "meanwhile", "moreover", "nevertheless", "nonetheless",
    "on the other hand", "otherwise", "similarly", "specifically", "subsequently", "therefore", "thus", "whereas",
)  # fmt: skip
"""Words that tie one sentence to another and have no other use; so neither "then" nor "since"."""
_TRANSITION: Final = re.compile(r"\b(?:" + "|".join(TRANSITIONS).replace(" ", r"\s+") + r")\b", re.IGNORECASE)


class KeywordOverlap:
    """Relevance: the share of the question's content words that the answer has."""

    def score(self, exchange: Exchange) -> float:
        """From 0 to 1; 0 for a question without words."""
        wanted = content_words(exchange.query)
        found = words_of(exchange.response)
        return sum(word in found for word in wanted) / len(wanted) if wanted else 0.0


class LengthCompleteness:
    """Completeness: by characters, 0.5 at 50 and 1.0 from 500 on, linear between and below."""

    def score(self, exchange: Exchange) -> float:
        """From 0 to 1."""
        n_characters = len(exchange.response.strip())
        if n_characters < SHORT_CHARACTERS:
            return SHORT_COMPLETENESS * n_characters / SHORT_CHARACTERS
        part = (n_characters - SHORT_CHARACTERS) / (LONG_CHARACTERS - SHORT_CHARACTERS)
        return min(1.0, SHORT_COMPLETENESS + (1.0 - SHORT_COMPLETENESS) * part)


class TransitionWords:
    """Coherence: words such as "however" and "therefore"; one in three sentences is as good as more."""

    def score(self, exchange: Exchange) -> float:
        """From 0 to 1."""
        n_sentences = len(sentences(exchange.response))
        n_transitions = len(_TRANSITION.findall(exchange.response))
        return min(1.0, SENTENCES_A_TRANSITION * n_transitions / n_sentences) if n_sentences else 0.0


class BaselineAccuracy:
    """Accuracy: the contract's proxy, 0.85 for every answer."""

    def score(self, exchange: Exchange) -> float:  # noqa: ARG002  # it looks at nothing
        """Always 0.85."""
        return BASELINE_ACCURACY
