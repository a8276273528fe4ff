"""What real changes say of the weights by which `units` ranks pieces: one step from the defaults.

The pieces of a file compete for each hunk: the chance of a piece is the softmax of the scores (ListNet, Cao et al.
2007). One Newton step with a strong pull to the defaults needs only sums over files, so it is the same in whatever
order and on however many processors they were taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, fsum
from typing import TYPE_CHECKING, Final, NamedTuple

from actors.quality_store.path import OTHER
from actors.thresholds.messages import RankingEvidence
from actors.thresholds.ranking import DEFAULT_WEIGHTS, LEARNED, MAX_RANKINGS, SIGNALS, clamped_shifts
from coordinator.reading.unit import LineRange
from coordinator.reading.unit_choice import UnitChoice, score

if TYPE_CHECKING:
    from coordinator.replay.trial import Trial

MAX_HUNKS_A_FILE: Final = 6
"""Hunks of one file and commit that count: they are mostly about one thing."""
PULL: Final = 30.0
"""How strongly the defaults hold, in the unit of the curvature: about thirty hunks that a signal decides."""
_LIKELIHOOD: Final = {**DEFAULT_WEIGHTS, "size": 0.2}
"""The weights without what `size` takes off for the room that a piece needs: here the question is only which is hit."""
_N: Final = len(LEARNED)
_PLACES: Final = tuple(SIGNALS.index(name) for name in LEARNED)


class RankingSums(NamedTuple):
    """What one file, or several, say: the slope of the log-likelihood and its curvature, for each learned signal."""

    n_hunks: int = 0
    slope: tuple[float, ...] = (0.0,) * _N
    curve: tuple[tuple[float, ...], ...] = ((0.0,) * _N,) * _N

    def plus(self, other: RankingSums) -> RankingSums:
        """Both together."""
        return RankingSums(
            self.n_hunks + other.n_hunks,
            _added(self.slope, other.slope),
            tuple(map(_added, self.curve, other.curve)),
        )


def ranking_sums(choice: UnitChoice, needed: Sequence[LineRange]) -> RankingSums:
    """What the hunks of one file say; nothing where there is no piece to choose from."""
    rows = [[row[place] for place in _PLACES] for row in choice.rows]
    hits = _hits(choice, needed)
    if not needed or len(rows) < 2 or not any(hits):
        return RankingSums()
    n_hunks = min(len(needed), MAX_HUNKS_A_FILE)
    chances = _softmax([score(row, _LIKELIHOOD) for row in choice.rows])
    means = [fsum(chance * row[at] for chance, row in zip(chances, rows, strict=True)) for at in range(_N)]
    seen = [fsum(hit * row[at] for hit, row in zip(hits, rows, strict=True)) / sum(hits) for at in range(_N)]
    apart = [[number - mean for number, mean in zip(row, means, strict=True)] for row in rows]
    curve = tuple(
        tuple(n_hunks * fsum(p * row[a] * row[b] for p, row in zip(chances, apart, strict=True)) for b in range(_N))
        for a in range(_N)
    )
    return RankingSums(n_hunks, tuple(n_hunks * (s - m) for s, m in zip(seen, means, strict=True)), curve)


def ranking_evidence(trials: Iterable[Trial]) -> tuple[RankingEvidence, ...]:
    """The shifts for each extension, by name; of too many extensions those with the most hunks.

    Files without an extension of their own teach nothing.
    """
    sums: dict[str, RankingSums] = {}
    for trial in trials:
        if trial.extension != OTHER:
            sums[trial.extension] = sums.get(trial.extension, RankingSums()).plus(trial.ranking)
    told = [extension for extension, one in sums.items() if one.n_hunks]
    kept = sorted(told, key=lambda extension: (-sums[extension].n_hunks, extension))[:MAX_RANKINGS]
    return tuple(RankingEvidence(name, _shifts(sums[name]), sums[name].n_hunks) for name in sorted(kept))


def _hits(choice: UnitChoice, needed: Sequence[LineRange]) -> list[float]:
    """How many hunks each piece has a part of; a hunk in several counts for each by its share."""
    hits = [0.0] * len(choice.pieces)
    for first, last in needed:
        touched = [at for at, piece in enumerate(choice.pieces) if piece.lines[0] <= last and first <= piece.lines[1]]
        for at in touched:
            hits[at] += 1 / len(touched)
    return hits


def _softmax(scores: Sequence[float]) -> list[float]:
    most = max(scores)
    raised = [exp(one - most) for one in scores]
    return [one / fsum(raised) for one in raised]


def _shifts(sums: RankingSums) -> tuple[float, ...]:
    """The step: the curvature with the pull on its diagonal, solved for the slope."""
    pulled = [[*row[:at], row[at] + PULL, *row[at + 1 :]] for at, row in enumerate(map(list, sums.curve))]
    return clamped_shifts(_solved(pulled, list(sums.slope)))


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gaussian elimination; the matrix is positive definite, so no pivot is zero."""
    for at in range(_N):
        for row in range(at + 1, _N):
            share = matrix[row][at] / matrix[at][at]
            matrix[row] = [low - share * high for low, high in zip(matrix[row], matrix[at], strict=True)]
            right[row] -= share * right[at]
    solved = [0.0] * _N
    for at in reversed(range(_N)):
        known = fsum(matrix[at][later] * solved[later] for later in range(at + 1, _N))
        solved[at] = (right[at] - known) / matrix[at][at]
    return solved


def _added(one: Sequence[float], other: Sequence[float]) -> tuple[float, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))
