"""How well each of a few short texts answers a query: Okapi BM25 (Robertson & Zaragoza 2009).

In plain Python: the corpus is the hundred pieces of one file, made once and asked a few times; why no library does it
is in docs/decisions/0013-ranking-in-plain-python.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import Final

SATURATION: Final = 1.2
LENGTH_WEIGHT: Final = 0.6


class WordIndex:
    """A few texts as counts of words, and how much each has to say."""

    def __init__(self, texts: Sequence[Mapping[str, int]]) -> None:
        self._texts = texts
        self._norms = _norms([sum(words.values()) for words in texts])

    def scores(self, query: Iterable[str]) -> list[float]:
        """How well each text answers, 0.0 where it holds no word of `query`."""
        scores = [0.0] * len(self._texts)
        for word in query:
            # A query asks for few words: to look for each in all texts takes less than to note where every word is.
            found = [(place, words[word]) for place, words in enumerate(self._texts) if word in words]
            rarity = log(1 + (len(self._texts) - len(found) + 0.5) / (len(found) + 0.5))
            for place, count in found:
                scores[place] += rarity * count * (SATURATION + 1) / (count + self._norms[place])
        return scores


def bm25(query: Iterable[str], texts: Sequence[Mapping[str, int]]) -> list[float]:
    """The score of each text, for texts that are asked once."""
    return WordIndex(texts).scores(query)


def _norms(lengths: Sequence[int]) -> Sequence[float]:
    """What a text of each length has to hold a word for as much as one of middling length."""
    mean = sum(lengths) / len(lengths) if lengths else 0.0
    return [SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * n / mean) for n in lengths] if mean else lengths
