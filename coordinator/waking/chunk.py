"""Facts in small groups by topic, a line each.

Working memory holds about four items at a time, in groups (theta-gamma coupling: Lisman & Jensen 2013); and a line that
names its topic once is shorter than four that name it each. Which facts go together follows from the facts and their
order alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from actors.memory.fact import Fact
from actors.memory.word import jaccard, words

MAX_ITEMS: Final = 4
JOIN_FROM: Final = 0.3
WORDS_WEIGHT: Final = 0.5
CATEGORY_WEIGHT: Final = 0.3
PATH_WEIGHT: Final = 0.2
SEVERAL: Final = "*"
"""The topic of a chunk whose facts are of several categories; they are named in it."""
VERBATIM: Final = "="
"""The topic of facts in which something reads like the signs of a line: each stands as in a flat list."""
CONTRADICTED: Final = "! contradicted"
"""The topic of facts whose key is known to have another value too: they stand together, as in a flat list."""
_ROUNDING: Final = 1e-9
_DIGITS: Final = 1
"""Likenesses that differ by less than a tenth are as good as equal: then names decide, which a line need not repeat."""
_PREFIX_END: Final = " > "
_BETWEEN: Final = "; "
_BOUNDARY: Final = re.compile(r".*[/:.#_ -]")


class Chunk(NamedTuple):
    """Facts that belong together, four at most, the first of the order that they came in first.

    One that is `contradicted` by another value of its key has a chunk of its own.
    """

    facts: tuple[Fact, ...]
    contradicted: bool = False

    @property
    def topic(self) -> str:
        """What stands above its line: the category of its facts, or what has to be known of them."""
        if self.contradicted:
            return CONTRADICTED
        if not _may_share_a_line(self.facts[0]):
            return VERBATIM
        categories = {fact.category for fact in self.facts}
        return categories.pop() if len(categories) == 1 else SEVERAL

    @property
    def line(self) -> str:
        """The chunk as one line under its topic: `src/a.py: > parse: reads tokens; draw: draws lines`."""
        if self.topic in (VERBATIM, CONTRADICTED):
            return self.facts[0].line
        names = [fact.name if self.topic == SEVERAL else fact.key for fact in self.facts]
        prefix = shared_prefix(names) if len(names) > 1 else ""
        pairs = zip(names, self.facts, strict=True)
        items = _BETWEEN.join(f"{name[len(prefix) :]}: {fact.value}" for name, fact in pairs)
        return f"{prefix}{_PREFIX_END}{items}" if prefix else items


def chunk_text(chunks: Iterable[Chunk]) -> str:
    """The chunks, a line each, under lines like `[api]` where the topic changes."""
    lines, topic = [], ""
    for chunk in chunks:
        if chunk.topic != topic:
            topic = chunk.topic
            lines.append(f"[{topic}]\n")
        lines.append(f"{chunk.line}\n")
    return "".join(lines)


def shared_prefix(names: Sequence[str]) -> str:
    """What all names begin with, up to a sign between words; something is left of each. "" if they share nothing."""
    columns = zip(*[name[:-1] for name in names], strict=False)
    common = "".join(column[0] for column in takewhile(lambda column: len(set(column)) == 1, columns))
    match = _BOUNDARY.match(common)
    return match[0] if match else ""


def likeness(one: Fact, other: Fact) -> float:
    """How much two facts belong together, 0 to 1: by their words, their category, and where they were found."""
    shared = WORDS_WEIGHT * jaccard(words(_said(one)), words(_said(other)))
    shared += CATEGORY_WEIGHT * (one.category == other.category)
    return shared + PATH_WEIGHT * (one.path != "" and one.path == other.path)


def _said(fact: Fact) -> str:
    return f"{fact.key} {fact.value}"


def clustered(facts: Sequence[Fact], contradicted: Collection[int] = ()) -> list[Chunk]:
    """The facts in chunks: the first that is left begins one, and the likest to it join, from a mean of 0.3 on.

    Every fact is in exactly one chunk; chunks are in the order of their first facts. Facts whose number is in
    `contradicted` stand alone, the first of a key with its other values behind it.
    """
    places = list(enumerate(facts))
    left = {place: fact for place, fact in places if fact.fact_id not in contradicted}
    disputed = {place: fact for place, fact in places if fact.fact_id in contradicted}
    chunks = []
    for place, seed in places:
        if left.pop(place, None) is not None:
            chunks.append(Chunk((seed, *_joining(seed, left))))
        elif place in disputed:
            chunks += [Chunk((fact,), contradicted=True) for fact in _values_of(seed.name, disputed)]
    return chunks


def _values_of(name: str, disputed: dict[int, Fact]) -> list[Fact]:
    """Take out of `disputed` what a key is said to be."""
    return [disputed.pop(place) for place in [place for place, fact in disputed.items() if fact.name == name]]


def _joining(seed: Fact, left: dict[int, Fact]) -> list[Fact]:
    """Take out of `left` what joins the seed, the likest first."""
    if not _may_share_a_line(seed):
        return []
    members = [seed]
    near = {place: len(shared_prefix((seed.name, fact.name))) for place, fact in left.items()}
    sums = dict.fromkeys((place for place, fact in left.items() if _may_share_a_line(fact)), 0.0)
    while sums and len(members) < MAX_ITEMS:
        for place in sums:
            sums[place] += likeness(members[-1], left[place])
        n = len(members)
        place = max(sums, key=lambda one: (round(sums[one] / n, _DIGITS), near[one], sums[one], -one))
        if sums.pop(place) + _ROUNDING < JOIN_FROM * len(members):
            break
        members.append(left.pop(place))
    return members[1:]


def _may_share_a_line(fact: Fact) -> bool:
    """Nothing in it reads as the signs between the parts of a line."""
    _, *more = fact.value.split(_BETWEEN)
    names_more = fact.value.startswith(_PREFIX_END.lstrip()) or any(": " in part for part in more)
    return not names_more and _PREFIX_END not in fact.key and _BETWEEN not in fact.key
