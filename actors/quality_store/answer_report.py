"""The quality of answers, and what strategies achieved, as lines of text for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from actors.quality_store.answer_message import CONVERGED, AnswerCounts, AnswerQuality, ArmRow, StrategyRow, WindowRow

HEADING: Final = "Answer quality"
STRATEGIES_HEADING: Final = "Strategies, by what they were tried against"
ARMS_HEADING: Final = "Questions"
MARK: Final = "[degrading]"


def answer_lines(quality: AnswerQuality) -> list[str]:
    """The windows, then the questions by arm."""
    counts = quality.counts
    if not counts.arms:
        return [HEADING, "  not yet known: no answers so far"]
    alerts = f"  alerts: {counts.n_alerts} for all agents, {counts.n_agent_alerts} for single ones"
    windows = [_window_line(row) for row in (counts.window, *quality.agents)]
    return [HEADING, *windows, alerts, ARMS_HEADING, *_arm_lines(counts.arms)]


def _window_line(row: WindowRow) -> str:
    who = row.name or "all agents"
    if not row.n:
        return f"  {who}: no answers since they were forgotten"
    drop = f"the last five {_changed(row.drop)} before" if row.is_known else "too few to tell a trend"
    return f"  {who}: mean {row.mean:.3f} of the last {row.n}, {drop}{f' {MARK}' if row.is_degrading else ''}"


def _changed(drop: float) -> str:
    return f"{drop:.1%} lower than" if drop > 0 else f"{-drop:.1%} higher than" if drop < 0 else "as good as"


def _arm_lines(rows: Sequence[ArmRow]) -> list[str]:
    return [_arm_line(arm, [row for row in rows if row.arm == arm]) for arm in sorted({row.arm for row in rows})]


def _arm_line(arm: str, rows: Sequence[ArmRow]) -> str:
    n = sum(row.n for row in rows)
    converged = sum(row.n for row in rows if row.ending == CONVERGED)
    asked = sum(row.n_asked for row in rows) / n
    first = sum(row.n * row.mean_first_quality for row in rows) / n
    final = sum(row.n * row.mean_quality for row in rows) / n
    called = "held out, by the table" if arm else "by what was learned"
    return f"  {called}: {n}, {converged / n:.0%} converged, {asked:.1f} calls each, quality {first:.3f} -> {final:.3f}"


def strategy_lines(counts: AnswerCounts) -> list[str]:
    """One line a plan and weakness."""
    if not counts.strategies:
        return [STRATEGIES_HEADING, "  as by the table: nothing learned so far"]
    return [STRATEGIES_HEADING, *(_strategy_line(row) for row in counts.strategies)]


def _strategy_line(row: StrategyRow) -> str:
    marks = "".join((" [table]" * row.is_table, " [first]" * row.is_first))
    times = "once" if row.n == 1 else f"{row.n} times"
    return f"  {row.weakness}: {row.plan} {times}, mean gain {row.mean_gain:+.3f}, expected {row.estimate:+.3f}{marks}"
