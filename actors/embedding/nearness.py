"""Which vectors are near each other. Rows are unit vectors, so that a product is a cosine, or zero: near nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from actors.runtime.errors import Misuse

WINDOW: Final = 64
REDUNDANT: Final = 0.92


class Similar(NamedTuple):
    """A text by its place in the call, and its cosine to the query."""

    place: int
    cosine: float


class Duplicate(NamedTuple):
    """The text at `place` says what the earlier text at `of` says."""

    place: int
    of: int
    cosine: float


def most_similar(query: npt.NDArray[np.float32], rows: npt.NDArray[np.float32], n_wanted: int) -> tuple[Similar, ...]:
    """The rows [n, d] nearest to the query [d], nearest first, ties by place. Raises `Misuse` for fewer than 1."""
    if n_wanted < 1:
        raise Misuse(f"{n_wanted} similar texts are no answer: ask for 1 or more")
    cosines = rows @ query
    order = np.argsort(-cosines, kind="stable")[:n_wanted]
    return tuple(Similar(int(place), float(cosines[place])) for place in order)


def near_duplicates(
    rows: npt.NDArray[np.float32],
    threshold: float = REDUNDANT,
    window: int = WINDOW,
    may_stand_for: Callable[[int, int], bool] = lambda _of, _place: True,
) -> tuple[Duplicate, ...]:
    """What of rows [n, d] can be dropped: near, by `threshold` or more, to one of the last `window` kept before it.

    A kept row is never dropped later, and a dropped one drops no other (greedy, as Carbonell & Goldstein 1998). Only a
    kept row that `may_stand_for(of, place)` drops the one at `place`; of several the nearest, then the first.
    Raises `Misuse` for a threshold outside (0, 1] or an empty window.
    """
    if not 0.0 < threshold <= 1.0:
        raise Misuse(f"a cosine of {threshold!r} is no threshold: give one above 0 and up to 1")
    if window < 1:
        raise Misuse(f"a window of {window} kept texts holds nothing: give 1 or more")
    kept = np.empty_like(rows)
    kept_from: list[int] = []
    dropped: list[Duplicate] = []
    for place, row in enumerate(rows):
        first = max(0, len(kept_from) - window)
        cosines = kept[first : len(kept_from)] @ row
        is_near = cosines >= threshold
        found = (one for one in _nearest_first(cosines, is_near) if may_stand_for(kept_from[first + one], place))
        nearest = next(found, None) if is_near.any() else None  # most texts are near to none: sort nothing for them
        if nearest is None:
            kept[len(kept_from)] = row
            kept_from.append(place)
        else:
            dropped.append(Duplicate(place, kept_from[first + nearest], float(cosines[nearest])))
    return tuple(dropped)


def _nearest_first(cosines: npt.NDArray[np.float32], is_near: npt.NDArray[np.bool_]) -> Iterator[int]:
    near = np.flatnonzero(is_near)
    yield from near[np.argsort(-cosines[near], kind="stable")].tolist()
