"""Who measures an answer: one scorer for each dimension, each to be replaced by the caller's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from coordinator.feedback.exchange import Exchange
from coordinator.feedback.heuristic import BaselineAccuracy, KeywordOverlap, LengthCompleteness, TransitionWords
from coordinator.feedback.quality import NOTHING, Quality


class Scorer(Protocol):
    """Measures one dimension."""

    def score(self, exchange: Exchange) -> float:
        """A number from 0 to 1, the same for the same exchange. What it raises counts as no measurement."""
        ...


@dataclass(frozen=True, slots=True)
class Scorecard:
    """The scorers of all four dimensions; the contract's heuristics, where no other is given."""

    relevance: Scorer = field(default_factory=KeywordOverlap)
    completeness: Scorer = field(default_factory=LengthCompleteness)
    coherence: Scorer = field(default_factory=TransitionWords)
    accuracy: Scorer = field(default_factory=BaselineAccuracy)

    def measure(self, exchange: Exchange) -> Quality:
        """The answer's quality; nothing in all dimensions for an answer without text, which no scorer is asked about.

        Raises `Misuse` for a scorer that gives something else than a number from 0 to 1.
        """
        if not exchange.response.strip():
            return NOTHING
        return Quality(
            self.relevance.score(exchange),
            self.completeness.score(exchange),
            self.coherence.score(exchange),
            self.accuracy.score(exchange),
        )
