"""What the loop returns: the best answer, what it stands on, and the log of how it was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from actors.quality_store.answer_message import RecordAnswer, StepTaken
from coordinator.feedback.diagnosis import name_of
from coordinator.feedback.iteration import Iteration
from coordinator.feedback.quality import NOTHING, Quality
from coordinator.feedback.refinement import Ending
from coordinator.retrieval.passage import Passage


@dataclass(frozen=True, slots=True)
class Answer:
    """The best of all rounds; true if it reached the threshold.

    `best` is the round that `text` and `passages` are of, None if no round gave an answer. `is_held_out`: the question
    went by the table alone today, whatever was learned. `notes` say what went wrong beside the rounds.
    """

    query: str
    text: str
    passages: Sequence[Passage]
    quality: Quality
    ending: Ending
    iterations: tuple[Iteration, ...]
    best: int | None
    is_held_out: bool = False
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.is_converged

    @property
    def is_converged(self) -> bool:
        """Whether the threshold was reached."""
        return self.ending is Ending.CONVERGED

    @property
    def first_quality(self) -> Quality:
        """The quality of the first answer; nothing if there was none."""
        return self.iterations[0].outcome.quality or NOTHING

    @property
    def n_refinements(self) -> int:
        """How many rounds after the first asked for another answer."""
        return max(0, sum(not made.outcome.is_unchanged for made in self.iterations) - 1)

    def report(self) -> RecordAnswer:
        """What the quality store is told of it: numbers, names of strategies, and no text."""
        rounds = self.iterations
        return RecordAnswer(
            self.quality.overall,
            self.first_quality.overall,
            str(self.ending),
            sum(not made.outcome.is_unchanged for made in rounds),
            sum(made.outcome.quality is None and not made.outcome.is_unchanged for made in rounds),
            tuple(
                StepTaken(made.tried.weakness, name_of(made.tried.plan), made.gain)
                for made in rounds
                if made.tried.plan and made.gain is not None
            ),
            self.is_held_out,
        )

    def log(self) -> list[str]:
        """The rounds in words, one or two lines each, and how it ended."""
        return [*(line for made in self.iterations for line in self._told(made)), self.end, *self.notes]

    def _told(self, made: Iteration) -> list[str]:
        tried = made.tried
        what = name_of(tried.plan) or str(tried.origin)
        lines = [f"{tried.number}. {what} ({tried.selection}): {tried.reason}"]
        result = _result(made)
        return [*lines, f"   {result}{', the best' if tried.number == self.best else ''}"] if result else lines

    @property
    def end(self) -> str:
        """How the loop ended, in one line."""
        reached = f"quality {self.quality.overall:.3f}"
        return {
            Ending.CONVERGED: f"converged: {reached} reaches the threshold",
            Ending.OUT_OF_ITERATIONS: f"ended after the last round that is allowed: {reached}",
            Ending.OUT_OF_STRATEGIES: f"ended because nothing is left to try: {reached}",
            Ending.FAILED: f"ended because two rounds in a row failed: {reached}"
            if self.best is not None
            else "ended without an answer: no round gave one",
        }[self.ending]

    def document(self) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
        return {
            "query": self.query,
            "text": self.text,
            "quality": _values(self.quality),
            "first_quality": _values(self.first_quality),
            "is_converged": self.is_converged,
            "ending": str(self.ending),
            "is_held_out": self.is_held_out,
            "notes": list(self.notes),
            "best": self.best,
            "n_refinements": self.n_refinements,
            "iterations": [_row(made) for made in self.iterations],
            "passages": [asdict(passage) for passage in self.passages],
        }


def _values(quality: Quality | None) -> dict[str, float] | None:
    return None if quality is None else {**asdict(quality), "overall": quality.overall}


def _result(made: Iteration) -> str:
    outcome = made.outcome
    if outcome.quality is None:
        return outcome.problem
    sides = " ".join(f"{name} {value:.2f}" for name, value in asdict(outcome.quality).items())
    gain = "" if made.gain is None else f", gain {made.gain:+.3f}"
    problem = f"; {outcome.problem}" if outcome.problem else ""
    return f"{outcome.n_passages} passages, quality {outcome.quality.overall:.3f} ({sides}){gain}{problem}"


def _row(made: Iteration) -> dict[str, Any]:
    tried, outcome = made.tried, made.outcome
    return {
        "number": tried.number,
        "top_k": tried.selection.top_k,
        "level": tried.selection.level,
        "plan": list(map(str, tried.plan)),
        "origin": str(tried.origin),
        "weakness": tried.weakness,
        "reason": tried.reason,
        "n_passages": outcome.n_passages,
        "n_characters": outcome.n_characters,
        "quality": _values(outcome.quality),
        "gain": made.gain,
        "problem": outcome.problem,
        "is_unchanged": outcome.is_unchanged,
        "spent_s": {step: round(spent, 4) for step, spent in outcome.spent_s.items()},
    }
