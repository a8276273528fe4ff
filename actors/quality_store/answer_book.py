"""How questions went: rolling quality, alerts, and what strategies achieved. It does not know what was asked.

Every change is handed to `record` as an event; it must come back through the methods under "Facts" before `record`
returns, because the next decision builds on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from actors.quality_store.answer_message import (
    CONVERGED,
    ENDINGS,
    Advice,
    AnswerCounted,
    AnswerCounts,
    AnswerQuality,
    AnswersReset,
    ArmRow,
    AskAdvice,
    GetAnswerQuality,
    RecordAnswer,
    ResetAnswers,
    StepTaken,
)
from actors.quality_store.answer_window import FLEET, AnswerWindows
from actors.quality_store.event import AnswerRecorded, AnswersForgotten, WindowDropped
from actors.quality_store.limit import Limits
from actors.quality_store.quality_window import check_quality
from actors.quality_store.strategy import PLANS, WEAKNESSES
from actors.quality_store.strategy_gain import MILLION, StrategyGains
from actors.quality_store.tally import Tally
from actors.quality_store.trial_book import TrialBook
from actors.runtime.errors import InvariantBroken, Misuse
from actors.runtime.holdout import FEEDBACK_STRATEGY, is_held_out, utc_day
from actors.runtime.machine import Caller, Now
from actors.runtime.pinned_machine import Applier, Performer, Shelf

MAX_ROUNDS: Final = 1_000
MAX_STEPS: Final = 128
HELD_OUT: Final = "holdout"
_DIGEST: Final = re.compile(r"[0-9a-f]{1,64}")
_DIGITS: Final = 6
_SLACK: Final = 1e-6


class AnswerBook:
    """Windows, alerts, strategies and arms. `holdout_share` is the part of all questions that go by the table alone."""

    def __init__(
        self,
        limits: Limits,
        record: Callable[[Any], None],
        trials: TrialBook,
        is_on: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self._is_on = is_on
        self._limits = limits
        self._record = record
        self._trials = trials
        self._windows = AnswerWindows()
        self._gains = StrategyGains()
        self._arms = Tally(width=5)
        self._totals = Tally()

    def shelves(self) -> dict[str, Shelf]:
        """What the state is made of."""
        return {
            "answer_windows": self._windows,
            "answer_strategies": self._gains,
            "answer_arms": self._arms,
            "answer_totals": self._totals,
        }

    def performers(self) -> dict[type, Performer]:
        """Who carries out which command."""
        return {
            RecordAnswer: self._record_answer,
            AskAdvice: self._advise,
            ResetAnswers: self._reset,
            GetAnswerQuality: self._quality,
        }

    def appliers(self) -> dict[type, Applier]:
        """Who applies which fact."""
        return {
            AnswerRecorded: self._answer_recorded,
            WindowDropped: self._window_dropped,
            AnswersForgotten: self._answers_forgotten,
        }

    # Commands

    def _record_answer(self, caller: Caller, asked: RecordAnswer, now: Now) -> AnswerCounted:
        _check(asked)
        if not caller.session_id:
            raise Misuse("an answer is somebody's: register first")
        self.expire(now.utc_s)
        self._count_trial(asked, now.utc_s)
        arm = HELD_OUT if asked.is_held_out else ""
        fleet = self._windows.would_degrade(FLEET, asked.quality)
        agent = self._windows.would_degrade(caller.session_id, asked.quality)
        self._record(AnswerRecorded(caller.session_id, *asked[:6], arm, fleet, agent, now.utc_s))
        while len(self._windows) > self._limits.max_answering:
            self._record(WindowDropped(self._windows.first_out(), "evicted"))
        return AnswerCounted(fleet, agent)

    def _count_trial(self, asked: RecordAnswer, utc_s: float) -> None:
        """A question counts if the weakness that it began with has a plan before the table's, in both arms alike."""
        if not asked.digest or not asked.steps or not self._is_on(FEEDBACK_STRATEGY):
            return
        if asked.steps[0].weakness in {row.weakness for row in self._gains.advice(utc_day(utc_s))}:
            is_met = asked.ending == CONVERGED
            self._trials.count_question(asked.digest, is_held_out=asked.is_held_out, is_met=is_met, utc_s=utc_s)

    def _advise(self, _: Caller, asked: AskAdvice, now: Now) -> Advice:
        _check_digest(asked.digest)
        if not self._is_on(FEEDBACK_STRATEGY):
            return Advice((), False)
        if is_held_out(FEEDBACK_STRATEGY, asked.digest, now.utc_s, self._limits.penalty_holdout):
            return Advice((), True)
        return Advice(self._gains.advice(utc_day(now.utc_s)), False)

    def _reset(self, _: Caller, __: ResetAnswers, now: Now) -> AnswersReset:
        n_windows = len(self._windows) + (self._windows.row().n > 0)
        answer = AnswersReset(len(self._gains), n_windows)
        if any(answer):
            self._record(AnswersForgotten(now.utc_s))
        return answer

    def expire(self, utc_s: float) -> None:
        """Collect the windows of agents that have been silent for too long."""
        for name in self._windows.lapsed(self._horizon(utc_s)):
            self._record(WindowDropped(name, "lapsed"))

    # Queries

    def _quality(self, _: Caller, __: GetAnswerQuality, now: Now) -> AnswerQuality:
        return AnswerQuality(self.counts(now.utc_s), self._windows.agent_rows(self._horizon(now.utc_s)))

    def counts(self, utc_s: float) -> AnswerCounts:
        """All but the agents' windows; what has lapsed is left out, collected or not."""
        agents = self._windows.agent_rows(self._horizon(utc_s))
        n_dropped = self._totals["window", "evicted"] + self._totals["window", "lapsed"]
        return AnswerCounts(
            self._windows.row(),
            len(agents),
            sum(row.is_degrading for row in agents),
            self._totals["alert", "fleet"],
            self._totals["alert", "agent"],
            n_dropped + len(self._windows) - len(agents),
            self._gains.strategy_rows(utc_day(utc_s)),
            tuple(_arm_row(*row) for row in self._arms.rows()),
        )

    def _horizon(self, utc_s: float) -> float:
        return utc_s - self._limits.answer_window_s

    # Facts

    def _answer_recorded(self, fact: AnswerRecorded) -> None:
        for name, is_degrading, kind in (
            (FLEET, fact.is_degrading, "fleet"),
            (fact.session_id, fact.is_agent_degrading, "agent"),
        ):
            if is_degrading and not self._windows.was_degrading(name):
                self._totals.add(("alert", kind))
            self._windows.add(name, fact.quality, fact.at_utc_s, is_degrading=is_degrading)
        qualities = (round(fact.quality * MILLION), round(fact.first_quality * MILLION))
        self._arms.add((fact.arm, fact.ending), 1, fact.n_asked, fact.n_failed, *qualities)
        for step in fact.steps:
            self._gains.add(step.weakness, step.plan, step.gain, utc_day(fact.at_utc_s))

    def _window_dropped(self, fact: WindowDropped) -> None:
        self._totals.add(("window", fact.reason))
        self._windows.drop(fact.session_id)

    def _answers_forgotten(self, _: AnswersForgotten) -> None:
        self._windows.clear()
        self._gains.clear()

    def check_invariants(self) -> None:
        """There are no more plans than the table's vocabulary has, and no plan or weakness of another name."""
        for weakness, plan, *_ in self._gains.rows():
            if weakness not in WEAKNESSES or plan not in PLANS:
                raise InvariantBroken(f"gains are kept of {plan!r} against {weakness!r}, which do not exist")


def _arm_row(arm: str, ending: str, n: int, n_asked: int, n_failed: int, quality: int, first: int) -> ArmRow:
    mean, mean_first = (round(total / (n * MILLION), _DIGITS) for total in (quality, first))
    return ArmRow(arm, ending, n, n_asked, n_failed, mean, mean_first)


def _check(asked: RecordAnswer) -> None:
    """Raise `Misuse` for an account of a question that cannot be."""
    check_quality("quality", asked.quality)
    check_quality("first_quality", asked.first_quality)
    if asked.quality < asked.first_quality:
        raise Misuse(f"quality={asked.quality!r} is below first_quality={asked.first_quality!r}: the best is returned")
    if asked.digest:
        _check_digest(asked.digest)
    if asked.ending not in ENDINGS:
        raise Misuse(f"unknown ending {asked.ending[:80]!r}: give one of {', '.join(ENDINGS)}")
    for name in ("n_asked", "n_failed"):
        if not 0 <= getattr(asked, name) <= MAX_ROUNDS:
            raise Misuse(f"{name}={getattr(asked, name)!r} cannot be: give a count from 0 to {MAX_ROUNDS}")
    if len(asked.steps) > MAX_STEPS:
        raise Misuse(f"{len(asked.steps)} steps are too many: give {MAX_STEPS} at most")
    for step in asked.steps:
        _check_step(step)
    _check_gains(asked)


def _check_gains(asked: RecordAnswer) -> None:
    """Raise `Misuse` where steps claim more than the answer gained: what is learned of them is shared by all."""
    claimed = sum(max(0.0, step.gain) for step in asked.steps)
    gained = asked.quality - asked.first_quality
    if claimed > gained + _SLACK:
        raise Misuse(f"the steps gained {claimed:.6f} together, and the answer {gained:.6f}: tell what each step added")
    if asked.n_failed > asked.n_asked:
        raise Misuse(f"n_failed={asked.n_failed} of n_asked={asked.n_asked} cannot be: give no more than were asked")


def _check_digest(digest: str) -> None:
    if not _DIGEST.fullmatch(digest):
        raise Misuse(f"digest {digest[:80]!r} is none: give 1 to 64 hexadecimal digits")


def _check_step(step: StepTaken) -> None:
    if step.weakness not in WEAKNESSES:
        raise Misuse(f"unknown weakness {step.weakness[:80]!r}: give one of {', '.join(WEAKNESSES)}")
    if step.plan not in PLANS:
        raise Misuse(f"unknown plan {step.plan[:80]!r}: give one of {', '.join(PLANS)}")
    if not -1.0 <= step.gain <= 1.0:
        raise Misuse(f"gain={step.gain!r} cannot be: give the difference of two qualities, -1 to 1")
