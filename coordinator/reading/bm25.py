"""How well each of a few short texts answers a query: Okapi BM25 (Robertson & Zaragoza 2009).

In plain Python: the corpus is the hundred pieces of one file, made and asked once; why no library does it is in
docs/decisions/0013-ranking-in-plain-python.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import Final

SATURATION: Final = 1.2
LENGTH_WEIGHT: Final = 0.6


def bm25(query: Iterable[str], texts: Sequence[Mapping[str, int]]) -> list[float]:
    """The score of each text, 0.0 where it holds no word of `query`; texts are counts of words."""
    lengths = [sum(words.values()) for words in texts]
    mean = sum(lengths) / len(texts) if texts else 0.0
    norms = [SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * n / mean) for n in lengths] if mean else lengths
    n_with = Counter(word for words in texts for word in words)
    scores = [0.0] * len(texts)
    for word in query:
        if n_with[word]:
            rarity = log(1 + (len(texts) - n_with[word] + 0.5) / (n_with[word] + 0.5))
            for place, words in enumerate(texts):
                if count := words.get(word, 0):
                    scores[place] += rarity * count * (SATURATION + 1) / (count + norms[place])
    return scores
