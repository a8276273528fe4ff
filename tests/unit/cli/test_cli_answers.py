"""`scentfield answers`: the windows, the questions by arm, and the strategies, for people and for programs."""

from __future__ import annotations

from typing import Any

import pytest

from actors.quality_store.answer_message import RecordAnswer, StepTaken
from coordinator.asking import Asker
from coordinator.domain import QUALITY_STORE
from coordinator.step import drive


@pytest.fixture
def told(scentfield: Any, live_agent: Any) -> Any:
    """A house that has heard of ten good answers and of five bad ones."""
    good = RecordAnswer(0.8, 0.6, "converged", 2, 0, (StepTaken("relevance", "expand_retrieval", 0.2),))
    bad = RecordAnswer(0.4, 0.4, "out_of_strategies", 4, 0, (), is_held_out=True)
    session = live_agent("ann").session
    asker = Asker(QUALITY_STORE, timeout_s=5.0, jitter=lambda: 0.5, monotonic=lambda: 0.0)
    for report in [good] * 10 + [bad] * 5:
        drive(asker.request(session, report), scentfield.house)
    return scentfield


def test_before_any_answer_it_says_so(scentfield: Any) -> None:
    assert scentfield("answers").stdout.splitlines() == [
        "Answer quality",
        "  not yet known: no answers so far",
        "",
        "Strategies, by what they were tried against",
        "  as by the table: nothing learned so far",
    ]


def test_windows_questions_and_strategies_are_shown(told: Any) -> None:
    lines = told("answers", "show").stdout.splitlines()
    assert lines == [
        "Answer quality",
        "  all agents: mean 0.667 of the last 15, the last five 50.0% lower than before [degrading]",
        "  ann#1: mean 0.667 of the last 15, the last five 50.0% lower than before [degrading]",
        "  alerts: 1 for all agents, 1 for single ones",
        "Questions",
        "  by what was learned: 10, 100% converged, 2.0 calls each, quality 0.600 -> 0.800",
        "  held out, by the table: 5, 0% converged, 4.0 calls each, quality 0.400 -> 0.400",
        "",
        "Strategies, by what they were tried against",
        "  relevance: expand_retrieval 10 times, mean gain +0.200, expected +0.125 [table] [first]",
    ]


def test_the_document_has_all_of_it(told: Any) -> None:
    document = told.json("answers")
    assert document["counts"]["window"]["is_degrading"] is True
    assert document["counts"]["arms"][0]["n"] == 10
    assert document["agents"][0]["name"] == "ann#1"


def test_what_was_learned_is_forgotten_when_told_so_twice(told: Any) -> None:
    refused = told("answers", "reset", "--agent", "bob")
    assert refused.exit_code == 2
    assert "give --yes" in refused.stderr
    assert told("answers", "reset", "--yes", "--agent", "bob").stdout == "forgot 1 strategy outcome and 2 windows\n"
    assert told("answers", "reset", "-y", "--agent", "bob").stdout == "there was nothing to forget\n"
    assert "  all agents: no answers since they were forgotten" in told("answers").stdout.splitlines()
