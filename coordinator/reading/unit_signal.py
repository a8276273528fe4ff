"""What speaks for a piece of a file being needed, as numbers from 0 to 1 that a linear score adds up.

Each signal has a name, and is worked out within one file: the piece that speaks of the query most has 1.0. Signals of
what is not there, such as a query, a history or a model, are 0.0 for all pieces.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import TYPE_CHECKING, Final

from actors.thresholds.ranking import SIGNALS
from coordinator.reading.bm25 import bm25
from coordinator.reading.piece import Piece
from coordinator.reading.query import Query, split_words, telling_words

if TYPE_CHECKING:
    from coordinator.reading.cut_file import CutFile
    from coordinator.reading.line_history import Change, LineHistory
    from coordinator.reading.redundancy import Vectors

MIN_MENTION: Final = 4
"""Characters of a name that counts as mentioned; shorter ones, such as `get`, are words like others."""
_TYPICAL_TOKENS: Final = 150
_DECIMALS: Final = 9  # a platform's last bit must not order pieces

Column = list[float]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What pieces are weighed by: all of it may be missing. `vectors` are of the query and then of each piece."""

    query: Query | None = None
    history: LineHistory | None = None
    vectors: Vectors | None = None


def signals_of(cut: CutFile, evidence: Evidence) -> list[Column]:
    """One row for each piece, in the order of `ranking.SIGNALS`."""
    pieces = cut.pieces
    columns = {
        **_said(cut, evidence.query),
        "meaning": _meaning(len(pieces), evidence.vectors),
        **_happened(pieces, evidence),
        "imports": [float(piece.unit is not None and piece.unit.kind == "imports") for piece in pieces],
        "end": [float(place == len(pieces) - 1) for place in range(len(pieces))],
        "size": [min(1.0, max(-1.0, log((size + 10) / _TYPICAL_TOKENS) / 3)) for size in cut.sizes],
    }
    columns["near"] = _near(columns)
    rows = zip(*(columns[name] for name in SIGNALS), strict=True)
    return [[round(number, _DECIMALS) for number in row] for row in rows]


def _said(cut: CutFile, query: Query | None) -> Mapping[str, Column]:
    """What the pieces' text and names have in common with the query."""
    if query is None:
        nothing = [0.0] * len(cut.pieces)
        return {"words": nothing, "first_line": nothing, "name": nothing}
    wanted = telling_words(query)
    first_line = Query(query.text.strip().partition("\n")[0])
    names = _of_most(cut.names.scores(wanted))
    mentioned = frozenset(query.words)
    return {
        "words": _of_most(cut.words.scores(wanted)),
        "first_line": _of_most(cut.words.scores(telling_words(first_line))),
        "name": [
            1.0 if _is_mentioned(piece, mentioned) else 0.5 * name
            for piece, name in zip(cut.pieces, names, strict=True)
        ],
    }


def _is_mentioned(piece: Piece, words: frozenset[str]) -> bool:
    last_part = piece.name.partition("#")[0].rpartition(".")[2].casefold()
    return len(last_part) >= MIN_MENTION and last_part in words


def _meaning(n_pieces: int, vectors: Vectors | None) -> Column:
    """How much nearer to the query in meaning than the file is on average, in thirds of a standard deviation."""
    if vectors is None or not n_pieces:
        return [0.0] * n_pieces
    cosines = vectors[1:] @ vectors[0]
    spread = float(cosines.std()) or 1.0
    return [min(1.0, max(-1.0, apart / spread / 3)) for apart in (cosines - cosines.mean()).tolist()]


def _happened(pieces: Sequence[Piece], evidence: Evidence) -> Mapping[str, Column]:
    """What the file's history says: what changed lately, and what changed for reasons like the query."""
    recency, similar = [0.0] * len(pieces), [0.0] * len(pieces)
    changes = evidence.history.changes if evidence.history else ()
    likeness = _likeness([change.message for change in changes], evidence.query)
    starts = [piece.lines[0] for piece in pieces]
    for age, (change, alike) in enumerate(zip(changes, likeness, strict=True)):
        touched = _touched(change, starts)
        for place in touched:
            recency[place] += 3.0 / (3 + len(touched)) / (1 + 0.3 * age)
            similar[place] += alike / (1 + len(touched)) ** 0.5
    return {"recency": [min(1.0, log(1 + heat)) for heat in recency], "similar": _of_most(similar)}


def _touched(change: Change, starts: Sequence[int]) -> list[int]:
    """The places of the pieces that a change wrote to, in order; `starts` are the pieces' first lines."""
    found: set[int] = set()
    for first, last in change.lines.ranges:
        found.update(range(max(0, bisect_right(starts, first) - 1), bisect_right(starts, last)))
    return sorted(found)


def _likeness(messages: Sequence[str], query: Query | None) -> Column:
    if query is None:
        return [0.0] * len(messages)
    return bm25(telling_words(query), [_words_of(message) for message in messages])


@lru_cache(maxsize=256)  # the commits of a few files; a message has 600 characters at most
def _words_of(message: str) -> Counter[str]:
    return Counter(split_words(message))


def _near(columns: Mapping[str, Column]) -> Column:
    """The interest of the more interesting neighbour: edits come in clusters."""
    spoken = zip(*(columns[name] for name in ("words", "first_line", "meaning")), strict=True)
    interest = [0.0, *(sum(max(0.0, number) for number in row) / 3 for row in spoken), 0.0]
    return list(map(max, interest[:-2], interest[2:]))


def _of_most(scores: Sequence[float]) -> Column:
    """Scores as shares of the highest."""
    most = max(scores, default=0.0)
    return [score / most for score in scores] if most else [0.0] * len(scores)
