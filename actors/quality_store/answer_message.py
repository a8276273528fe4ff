"""What the quality store is told and asked of answers: how questions went, how quality rolls, what strategies achieved.

No text is ever in a message: a question is a digest of it, which decides its arm and is not kept.
"""

from __future__ import annotations

from typing import NamedTuple

CONVERGED, OUT_OF_ITERATIONS, OUT_OF_STRATEGIES, FAILED = ENDINGS = (
    "converged",
    "out_of_iterations",
    "out_of_strategies",
    "failed",
)
"""Why a loop ended."""


class StepTaken(NamedTuple):
    """A refinement: what was weak, which plan was tried against it, and what that added to the best quality so far."""

    weakness: str
    plan: str
    gain: float


class RecordAnswer(NamedTuple):
    """A question was answered, or given up.

    `quality` is that of the answer that was returned and `first_quality` that of the first one, from 0 to 1. `n_asked`
    rounds asked for an answer, `n_failed` of all rounds failed. `is_held_out`: the strategies were those of the table,
    whatever was learned. `digest` is that of `AskAdvice`; "" if nobody was asked, and so it is no trial.
    """

    quality: float
    first_quality: float
    ending: str
    n_asked: int
    n_failed: int
    steps: tuple[StepTaken, ...] = ()
    is_held_out: bool = False
    digest: str = ""


class AnswerCounted(NamedTuple):
    """Whether quality is degrading, now that the answer is counted: that of all agents, and that of the caller's."""

    is_degrading: bool
    is_agent_degrading: bool


class AskAdvice(NamedTuple):
    """Ask which strategies to try first for a question; `digest` stands for it, in hexadecimal."""

    digest: str


class AdviceRow(NamedTuple):
    """Against this weakness the plan has helped more than the table's."""

    weakness: str
    plan: str


class Advice(NamedTuple):
    """Where to leave the table; no rows for a question that is held out today."""

    rows: tuple[AdviceRow, ...]
    is_held_out: bool


class ResetAnswers(NamedTuple):
    """Forget what was learned of strategies, and the windows. The counts stay."""


class AnswersReset(NamedTuple):
    """So many strategies had evidence, and so many windows had answers."""

    n_strategies: int
    n_windows: int


class GetAnswerQuality(NamedTuple):
    """Ask how the quality of answers rolls, for all and for each agent, and what strategies achieved."""


class WindowRow(NamedTuple):
    """A rolling window: `n` answers are in it. `drop` is 0 where there are too few to tell (`is_known` is false).

    `name` is the agent's session, "" for the window of all.
    """

    name: str
    n: int
    mean: float
    drop: float
    is_known: bool
    is_degrading: bool


class StrategyRow(NamedTuple):
    """What a plan achieved against a weakness, over all times it was tried (`n`).

    `weight` is how many times that comes to as they fade, `mean_gain` their mean as they fade, and `estimate` what is
    expected of the plan, with the table as prior. `is_table`: it is the table's; `is_first`: it is tried first now.
    """

    weakness: str
    plan: str
    n: int
    weight: float
    mean_gain: float
    estimate: float
    is_table: bool
    is_first: bool


class ArmRow(NamedTuple):
    """How questions of an arm ended: "" for those that went by what was learned, "holdout" for those by the table."""

    arm: str
    ending: str
    n: int
    n_asked: int
    n_failed: int
    mean_quality: float
    mean_first_quality: float


class AnswerCounts(NamedTuple):
    """All about answers but the windows of single agents."""

    window: WindowRow
    n_agents: int
    n_agents_degrading: int
    n_alerts: int
    n_agent_alerts: int
    n_windows_dropped: int
    strategies: tuple[StrategyRow, ...]
    arms: tuple[ArmRow, ...]


class AnswerQuality(NamedTuple):
    """The counts, and the windows of the agents, by name."""

    counts: AnswerCounts
    agents: tuple[WindowRow, ...]
