"""The loop as a machine: from what came of each round to the next one, or to the end. Pure.

It does not know what retrieves, answers or measures, how long that takes, or who asks. The rules:

* An answer of `quality_threshold` or more ends the loop. So do `max_iterations` rounds after the first.
* The first answer, and each that was better than all before by `min_improvement` or more, is diagnosed; the table's
  strategies follow, or those that have proved better for that weakness.
* After one that was not, the next strategy of the chain follows (expand, lighten, requery), after a learned plan the
  table's own. A strategy that can move nothing is skipped. After the last one the loop ends.
* A round that fails is made again once; two in a row end the loop.
* What is returned is the best that was seen, and of equals the earliest: never worse than the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from actors.quality_store.quality_window import check_quality
from actors.quality_store.strategy import TABLE
from actors.runtime.errors import Misuse
from coordinator.feedback.diagnosis import Diagnosis, Plan, diagnose, name_of, next_in_chain, plan_of
from coordinator.feedback.iteration import Iteration, Origin, Outcome, Try
from coordinator.feedback.number import check_whole
from coordinator.feedback.quality import DIGITS, Quality
from coordinator.feedback.selection import MAX_TOP_K, Selection

NO_ADVICE: Final[Mapping[str, str]] = MappingProxyType({})
MAX_ITERATIONS: Final = 100
FAILURES_IN_A_ROW: Final = 2


class Ending(StrEnum):
    """Why a loop ended."""

    CONVERGED = "converged"
    OUT_OF_ITERATIONS = "out_of_iterations"
    OUT_OF_STRATEGIES = "out_of_strategies"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Rules:
    """The loop's numbers; the defaults are the contract's. Raises `Misuse` for what cannot be."""

    quality_threshold: float = 0.6
    max_iterations: int = 3
    min_improvement: float = 0.02
    max_top_k: int = 100

    def __post_init__(self) -> None:
        check_quality("quality_threshold", self.quality_threshold)
        check_quality("min_improvement", self.min_improvement)
        check_whole("max_iterations", self.max_iterations, 0, MAX_ITERATIONS)
        check_whole("max_top_k", self.max_top_k, 1, MAX_TOP_K)


class Refinement:
    """One question's loop. `advice` names a plan for a weakness that is to be tried instead of the table's."""

    def __init__(self, rules: Rules, first: Selection, advice: Mapping[str, str] = NO_ADVICE) -> None:
        self.rules = rules
        self.iterations: list[Iteration] = []
        self.best: Iteration | None = None
        self.ending: Ending | None = None
        self._advice = advice
        self._wanted: Try | None = Try(0, first)
        self._n_failures = 0
        self._chosen_by = Origin.FIRST  # of a round that is made again: who chose it at first
        self._is_corpus_used_up = False

    @property
    def wanted(self) -> Try | None:
        """The round to make next; None at the end."""
        return self._wanted

    def take(self, outcome: Outcome) -> None:
        """Hear what came of the round that was wanted. Raises `Misuse` when none was."""
        if self._wanted is None:
            raise Misuse("the loop has ended: begin another for another question")
        tried, gain = self._wanted, self._gain(outcome)
        made = Iteration(tried, outcome, gain)
        self.iterations.append(made)
        self._wanted = None
        if outcome.quality is None and not outcome.is_unchanged:
            self._failed(tried)
            return
        self._n_failures = 0
        self._is_corpus_used_up = outcome.n_passages < tried.selection.top_k
        if outcome.quality is not None and (self.best is None or (gain is not None and gain > 0.0)):
            self.best = made
        self._go_on(made)

    def _gain(self, outcome: Outcome) -> float | None:
        best = self.best_quality
        if best is None or (outcome.quality is None and not outcome.is_unchanged):
            return None
        return round(outcome.quality.overall - best.overall, DIGITS) if outcome.quality else 0.0

    @property
    def best_quality(self) -> Quality | None:
        """The quality of the best answer so far."""
        return None if self.best is None else self.best.outcome.quality

    @property
    def n_asked(self) -> int:
        """How many rounds asked the generator for an answer, the first included."""
        return sum(not made.outcome.is_unchanged for made in self.iterations)

    def _failed(self, tried: Try) -> None:
        self._n_failures += 1
        if self._n_failures >= FAILURES_IN_A_ROW:
            self.ending = Ending.FAILED
        elif self._may_ask():
            self._want(tried.selection, tried.plan, Origin.RETRY, tried.weakness, "the round before failed")

    def _may_ask(self) -> bool:
        if self.n_asked > self.rules.max_iterations:
            self.ending = Ending.FAILED if self.best is None else Ending.OUT_OF_ITERATIONS
            return False
        return True

    def _go_on(self, made: Iteration) -> None:
        quality = made.outcome.quality
        if quality is not None and made.outcome.has_text and quality.overall >= self.rules.quality_threshold:
            self.ending = Ending.CONVERGED
            return
        if not self._may_ask():
            return
        found = diagnose(quality or self._last_quality())
        is_progress = made.gain is None or (quality is not None and made.gain >= self.rules.min_improvement)
        plan, origin, reason = self._chosen(found) if is_progress else self._escalated(found, made.tried)
        self._try_first_that_moves(made.tried.selection, found, plan, origin, reason)

    def _last_quality(self) -> Quality:
        """The last that was measured: a round that changed nothing has the quality of the one before."""
        return next(made.outcome.quality for made in reversed(self.iterations) if made.outcome.quality is not None)

    def _chosen(self, found: Diagnosis) -> tuple[Plan, Origin, str]:
        learned = self._advice.get(found.weakness, "")
        if learned and learned != TABLE[found.weakness]:
            return plan_of(learned), Origin.LEARNED, f"{found.reason}; this has helped more than the table's plan"
        return found.strategies, Origin.TABLE, found.reason

    def _escalated(self, found: Diagnosis, tried: Try) -> tuple[Plan | None, Origin, str]:
        why = f"{found.reason}; {_called(tried)} did not help"
        if self._chosen_by is Origin.LEARNED:
            return plan_of(TABLE[tried.weakness]), Origin.TABLE, why
        return next_in_chain(tried.plan or found.strategies), Origin.ESCALATED, why

    def _try_first_that_moves(
        self, now: Selection, found: Diagnosis, plan: Plan | None, origin: Origin, reason: str
    ) -> None:
        limit = now.top_k if self._is_corpus_used_up else self.rules.max_top_k
        while plan is not None:
            selection = now.after(plan, max_top_k=limit)
            if selection != now:
                self._want(selection, plan, origin, found.weakness, reason)
                return
            reason = f"{reason}; {name_of(plan)} can move nothing more"
            plan, origin = next_in_chain(plan), Origin.ESCALATED
        self.ending = Ending.OUT_OF_STRATEGIES

    def _want(self, selection: Selection, plan: Plan, origin: Origin, weakness: str, reason: str) -> None:
        self._chosen_by = self._chosen_by if origin is Origin.RETRY else origin
        self._wanted = Try(len(self.iterations), selection, plan, origin, weakness, reason)


def _called(tried: Try) -> str:
    return name_of(tried.plan) or "the same again"
