"""An answer without a model: the sentences of the passages that say most about the question, word for word.

Nothing is added, so that what the scorers see is what the passages say. Deterministic; it reads nothing but its
arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from coordinator.feedback.exchange import content_words, sentences
from coordinator.feedback.number import check_whole
from coordinator.reading.query import Query, overlaps
from coordinator.retrieval.condensing import MARK
from coordinator.retrieval.passage import Passage

MAX_CHARACTERS: Final = 800
MOST_CHARACTERS: Final = 65_536
MAX_SENTENCES: Final = 5_000
NEIGHBOUR_SHARE: Final = 0.25
PASSAGE_SHARE: Final = 0.5
_HEADING_MARKS: Final = "#=-*~ \n"
_APART: Final = "\n\n"


@dataclass(frozen=True, slots=True)
class _Piece:
    """One sentence; `place` is that of its passage."""

    place: int
    text: str


class Extractive:
    """A generator of up to `max_characters`. Raises `Misuse` for a size that leaves no room for a sentence.

    A sentence counts by the question's words that it holds, rare ones more (`overlaps`), a quarter of what its
    neighbours hold, and half of the most that its passage holds in a sentence or the title, less further down.
    """

    def __init__(self, max_characters: int = MAX_CHARACTERS) -> None:
        check_whole("max_characters", max_characters, 1, MOST_CHARACTERS)
        self._max_characters = max_characters

    def __call__(self, query: str, passages: Sequence[Passage]) -> str:
        """The chosen sentences in the order of the passages; an empty text if there are no passages."""
        pieces = _pieces(passages, self._max_characters)
        weights = _weights(query, passages, pieces)
        order = sorted(range(len(pieces)), key=lambda number: (-weights[number], number))
        return _joined(pieces, self._fitting(pieces, order))

    def _fitting(self, pieces: Sequence[_Piece], order: Sequence[int]) -> list[int]:
        """The numbers of those that fit together, the best first; a sentence that stands there twice is taken once."""
        left, taken, seen = self._max_characters + len(_APART), list[int](), set[str]()
        for number in order:
            text = pieces[number].text
            if len(text) + len(_APART) <= left and text not in seen:
                taken.append(number)
                seen.add(text)
                left -= len(text) + len(_APART)
        return taken


def _pieces(passages: Sequence[Passage], max_characters: int) -> list[_Piece]:
    """The first sentences; of one that is too long its beginning. Headings and what marks a gap are none."""
    found = [
        _Piece(place, sentence[:max_characters])
        for place, passage in enumerate(passages)
        for sentence in sentences(_without_gaps(passage.text))
        if sentence.strip(_HEADING_MARKS) not in ("", passage.title)
    ]
    return found[:MAX_SENTENCES]


def _without_gaps(text: str) -> str:
    """Each gap as the end of a paragraph, so that nothing is joined over it."""
    return "".join("\n" if line == MARK else line for line in text.splitlines(keepends=True))


def _weights(query: str, passages: Sequence[Passage], pieces: Sequence[_Piece]) -> list[float]:
    texts = [piece.text for piece in pieces] + [passage.title for passage in passages]
    held = overlaps(texts, Query(" ".join(content_words(query))))
    own, best = held[: len(pieces)], held[len(pieces) :]
    for piece, weight in zip(pieces, own, strict=True):
        best[piece.place] = max(weight, best[piece.place])
    return [
        weight
        + NEIGHBOUR_SHARE * max(_near(pieces, own, number, -1), _near(pieces, own, number, 1))
        + PASSAGE_SHARE * best[piece.place] / (1 + piece.place)
        for number, (piece, weight) in enumerate(zip(pieces, own, strict=True))
    ]


def _near(pieces: Sequence[_Piece], weights: Sequence[float], number: int, step: int) -> float:
    other = number + step
    if 0 <= other < len(pieces) and pieces[other].place == pieces[number].place:
        return weights[other]
    return 0.0


def _joined(pieces: Sequence[_Piece], taken: Sequence[int]) -> str:
    """The sentences in order, those of one passage on after another, passages apart by a line."""
    by_place: dict[int, list[str]] = {}
    for number in sorted(taken):
        by_place.setdefault(pieces[number].place, []).append(pieces[number].text)
    return _APART.join(" ".join(parts) for parts in by_place.values())
