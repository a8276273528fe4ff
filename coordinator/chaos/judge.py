"""Which promises a chaos run kept: the simulation's checker on real journals and diaries, and a few rules more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from coordinator.chaos.rule import EditsKept, EndsInTime, NeverEarly, NoSurprise, OnePast
from coordinator.simulation.checker import checker
from coordinator.simulation.checker.lifetime import HeartbeatCounts, Lifetime
from coordinator.simulation.checker.reply import Answers
from coordinator.simulation.checker.rule import Finding, Rule
from coordinator.simulation.checker.store import OneWriter
from coordinator.simulation.checker.terms import Terms
from coordinator.simulation.history import History, Record
from coordinator.simulation.line import line_of

NOT_APPLIED: Final[Mapping[str, str]] = MappingProxyType(
    {
        Lifetime.name: (
            f"nobody sees when a heartbeat was applied; instead: {NeverEarly.name!r}, {EndsInTime.name!r}, by wall time"
        ),
        HeartbeatCounts.name: "nobody sees what has arrived in a mailbox and is not answered yet",
        Answers.name: "nobody sees which copies of a request have come to a process",
        OneWriter.name: f"a row does not name its writer's epoch; instead: {OnePast.name!r}, and rows are read again",
    }
)
RULES: Final[tuple[type[Rule], ...]] = (
    *(rule for rule in checker.RULES if rule.name not in NOT_APPLIED),
    NeverEarly,
    EndsInTime,
    OnePast,
    EditsKept,
    NoSurprise,
)
_MAX_LINES: Final = 8


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken promise, and the lines of the history that show it."""

    rule: str
    at_s: float
    message: str
    lines: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """The violation for programs."""
        return {"rule": self.rule, "at_s": self.at_s, "message": self.message, "lines": list(self.lines)}

    def text(self) -> str:
        """The violation for people."""
        shown = "".join(f"\n  {line}" for line in self.lines)
        return f"{self.rule!r} is broken at {self.at_s:.3f}: {self.message}{shown}"


def judge(history: History, terms: Terms) -> list[Violation]:
    """What a history breaks, first things first, 20 at most."""
    return [_violation(finding, history) for finding in checker.check(history, terms, RULES)]


def _violation(finding: Finding, history: Sequence[Record]) -> Violation:
    lines = tuple(line_of(history[place]) for place in finding.places[-_MAX_LINES:])
    return Violation(finding.rule, finding.at_s, finding.message, lines)
