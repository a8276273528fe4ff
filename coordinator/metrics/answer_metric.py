"""The quality of answers and what strategies achieved, as metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from prometheus_client.core import Metric as Family

from actors.quality_store.answer_message import AnswerCounts, ArmRow
from coordinator.metrics.metric import Metric, Sample, counter, gauge

Samples: TypeAlias = Callable[[AnswerCounts], list[Sample]]
_ROW: Final = ("arm", "cause")


def _one(value: float) -> list[Sample]:
    return [((), value)]


def _arms(value: Callable[[ArmRow], float]) -> Samples:
    return lambda seen: [((row.arm or "treatment", row.ending), value(row)) for row in seen.arms]


_SAMPLES: Final[Mapping[Metric, Samples]] = {
    counter("answers", "Questions that went through the feedback loop, by how it ended", *_ROW): _arms(
        lambda row: row.n
    ),
    counter("answer_rounds", "Rounds of the loop that asked for an answer, the first ones included", *_ROW): _arms(
        lambda row: row.n_asked
    ),
    counter("answer_rounds_failed", "Rounds in which a step raised, was late, or gave no text", *_ROW): _arms(
        lambda row: row.n_failed
    ),
    counter(
        "answer_quality_points",
        "Sum of the qualities of the answers that were returned; by answers it is the mean",
        *_ROW,
    ): _arms(lambda row: round(row.n * row.mean_quality, 6)),
    counter("answer_first_quality_points", "Sum of the qualities of the first answers", *_ROW): _arms(
        lambda row: round(row.n * row.mean_first_quality, 6)
    ),
    gauge("answer_quality", "Mean quality of the last 100 answers of all agents, 0 to 1"): lambda seen: (
        _one(seen.window.mean) if seen.window.n else []
    ),
    gauge(
        "answer_quality_drop",
        "By what share the last 5 answers are worse than up to 20 before them, below 0 if better; from 10 answers on",
    ): lambda seen: _one(seen.window.drop) if seen.window.is_known else [],
    gauge("answer_quality_degrading", "1 while that drop is over 15%: look at what has changed"): lambda seen: _one(
        float(seen.window.is_degrading)
    ),
    gauge("answering_agents", "Agents with an answer in the last day"): lambda seen: _one(seen.n_agents),
    gauge("answering_agents_degrading", "Agents whose own last 5 answers are over 15% worse than those before"): (
        lambda seen: _one(seen.n_agents_degrading)
    ),
    counter("answer_quality_alerts", "Times that the quality of all agents' answers began to degrade"): lambda seen: (
        _one(seen.n_alerts)
    ),
    counter("agent_answer_quality_alerts", "Times that the quality of one agent's answers began to degrade"): (
        lambda seen: _one(seen.n_agent_alerts)
    ),
    counter("answer_windows_dropped", "Windows of agents that were silent for a day, or one too many"): (
        lambda seen: _one(seen.n_windows_dropped)
    ),
    gauge("strategy_outcomes", "Times that a plan was tried against a weakness", "weakness", "plan"): (
        lambda seen: [((row.weakness, row.plan), row.n) for row in seen.strategies]
    ),
    gauge("strategy_gain", "Mean quality that the plan added, older days weighing less", "weakness", "plan"): (
        lambda seen: [((row.weakness, row.plan), row.mean_gain) for row in seen.strategies]
    ),
    gauge("strategy_first", "1 for the plan that is tried first against the weakness", "weakness", "plan"): (
        lambda seen: [((row.weakness, row.plan), float(row.is_first)) for row in seen.strategies]
    ),
}

ANSWER_METRICS: Final = tuple(_SAMPLES)


def answer_families(seen: AnswerCounts) -> Iterator[Family]:
    """The metrics of answers."""
    return (metric.family(samples(seen)) for metric, samples in _SAMPLES.items())
