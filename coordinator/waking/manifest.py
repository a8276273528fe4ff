"""What a wakeup placed, and whether it was used there: an item that is asked for again was missed where it stood.

One recall scores one item, and an item is scored once. What was not asked for by the time of the next wakeup, or of the
session's end, was a hit, if the agent did anything in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from actors.memory.fact import Fact
from actors.memory.word import jaccard, words
from coordinator.waking.layout import BEGIN, END, Placed

MIN_CONTAINED: Final = 6
LIKE_FROM: Final = 0.5


class Score(NamedTuple):
    """How often what stood at one end was used, and how often it was missed."""

    position: str
    n_hits: int
    n_misses: int


@dataclass(slots=True)
class Manifest:
    """The items of one wakeup for a client profile. `n_calls` counts what the agent did since."""

    profile: str = ""
    placed: Sequence[Placed] = ()
    n_calls: int = 0
    missed: set[int] = field(default_factory=set)

    def recalled(self, text: str, key: str, category: str) -> Placed | None:
        """Score a recall: the item that it matches best counts as missed. Returns it; None if it matches none."""
        likeness = [_likeness(one.fact, text, key, category) for one in self.placed]
        best = max(range(len(likeness)), key=lambda place: (likeness[place], -place), default=None)
        if best is None or not likeness[best]:
            return None
        self.missed.add(best)
        return self.placed[best]

    def scores(self) -> tuple[Score, ...]:
        """Hits and misses at each end; nothing if the agent has done nothing since."""
        if not self.n_calls:
            return ()
        return tuple(score for score in map(self._score, (BEGIN, END)) if score.n_hits + score.n_misses)

    def _score(self, position: str) -> Score:
        places = [place for place, one in enumerate(self.placed) if one.position == position]
        n_misses = sum(place in self.missed for place in places)
        return Score(position, len(places) - n_misses, n_misses)


def _likeness(fact: Fact, text: str, key: str, category: str) -> float:
    """How well a recall matches a fact; 0 if it does not, above 1 if one says the other literally."""
    if category not in ("", fact.category):
        return 0.0
    if key:
        return 2.0 if key == fact.key else 0.0
    if not text:
        return 0.0
    alike = jaccard(words(text), words(f"{fact.key} {fact.value}"))
    if _contains(fact.line, text) or _contains(text, fact.key) or _contains(text, fact.value):
        return 1.0 + alike
    return alike if alike >= LIKE_FROM else 0.0


def _contains(text: str, part: str) -> bool:
    """Whether a text has a part of six characters or more, in any case."""
    return len(part) >= MIN_CONTAINED and part.lower() in text.lower()
