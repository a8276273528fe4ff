"""Several orders made one: reciprocal rank fusion (Cormack, Clarke & Buettcher 2009)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final, TypeVar

RANK_OFFSET: Final = 60
"""The constant of the paper: how little the first places stand out."""
Item = TypeVar("Item", bound=Hashable)


def fused(orders: Sequence[Sequence[Item]]) -> dict[Item, float]:
    """The sum of 1 / (60 + place) of each item over the orders that have it; places count from 1."""
    scores: dict[Item, float] = {}
    for order in orders:
        for place, item in enumerate(order, start=1):
            scores[item] = scores.get(item, 0.0) + 1.0 / (RANK_OFFSET + place)
    return scores
