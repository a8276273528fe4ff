"""A passage in fewer tokens: what says much, and speaks of the query, stays.

Prose is left out by paragraphs, code by lines; a mark stands where something was. Nothing is reworded.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import ceil
from typing import Final

from coordinator.reading.entropy import weigh
from coordinator.reading.query import Query
from coordinator.reading.sieve import LineFilter, Sieve

MARK: Final = "…\n"
LEAST_SHARE: Final = 0.2
"""Of the tokens, at level 1.0."""


def condensed(text: str, query: str, level: float, *, by_paragraph: bool) -> str:
    """`text` with so much left out as `level` says: nothing at 0.0, four fifths of its tokens at 1.0.

    The first stretch always stays, since it says what the passage is, and so does the best of the others, whatever they
    cost.
    """
    if level == 0.0:
        return text
    stretches = _paragraphs(text) if by_paragraph else text.splitlines(keepends=True)
    kept = _kept(stretches, query, level)
    parts = []
    for is_kept, run in groupby(range(len(stretches)), key=kept.__contains__):
        places = list(run)
        if is_kept:
            parts += [stretches[place] for place in places]
        elif any(stretches[place].strip() for place in places):
            parts.append(MARK)
        else:
            parts += [stretches[place] for place in places]
    return "".join(parts)


def _kept(stretches: Sequence[str], query: str, level: float) -> frozenset[int]:
    """The places of what stays."""
    costs = [weigh(stretch).n_tokens for stretch in stretches]
    budget = ceil(sum(costs) * (1.0 - (1.0 - LEAST_SHARE) * level))
    first = next((place for place, cost in enumerate(costs) if cost), 0)
    sieve = Sieve(stretches, "", LineFilter(Query(query)))
    kept, left = {first}, budget - (costs[first] if costs else 0)
    for place in sieve.in_order():
        if place != first and (costs[place] <= left or len(kept) == 1):
            kept.add(place)
            left -= costs[place]
    return frozenset(kept)


def _paragraphs(text: str) -> list[str]:
    """The stretches between blank lines, each with the blank lines after it."""
    found: list[str] = []
    after_blank = True
    for line in text.splitlines(keepends=True):
        is_blank = not line.strip()
        if (after_blank and not is_blank) or not found:
            found.append(line)
        else:
            found[-1] += line
        after_blank = is_blank
    return found
