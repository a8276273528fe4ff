"""One round of the loop, as the log keeps it: what was tried and why, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from coordinator.feedback.diagnosis import Plan
from coordinator.feedback.quality import Quality
from coordinator.feedback.selection import Selection


class Origin(StrEnum):
    """Who chose what a round does."""

    FIRST = "first"
    TABLE = "table"
    LEARNED = "learned"
    ESCALATED = "escalated"
    RETRY = "retry"


@dataclass(frozen=True, slots=True)
class Try:
    """A round to be made: `selection` is asked for because `plan` answers `weakness`; `reason` says so in one line."""

    number: int
    selection: Selection
    plan: Plan = ()
    origin: Origin = Origin.FIRST
    weakness: str = ""
    reason: str = "the first answer"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a round.

    `quality` is None where there is none to speak of: `problem` says why, in one line; beside a quality it says what
    was wrong all the same. `is_unchanged`: the passages were those of the round before, so nobody was asked. `spent_s`
    has the seconds of each step by name.
    """

    quality: Quality | None = None
    text: str = ""
    n_passages: int = 0
    n_characters: int = 0
    problem: str = ""
    is_unchanged: bool = False
    spent_s: dict[str, float] = field(default_factory=dict)

    @property
    def has_text(self) -> bool:
        """Whether anything was answered."""
        return bool(self.text.strip())


@dataclass(frozen=True, slots=True)
class Iteration:
    """A round that was made. `gain` is what it added to the best quality before it; None where there was none."""

    tried: Try
    outcome: Outcome
    gain: float | None = None
