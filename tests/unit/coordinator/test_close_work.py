"""Who else is about to do the same thing somewhere else."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from actors.scent_field.messages import FieldRow
from coordinator.aio import AsyncCoordinator
from coordinator.close_work import CloseWork, close_work


def row(agent, target, intent, kind="CLAIMED"):
    return FieldRow(kind, target, 2.0, (agent,), 1.0, 1, 0.0, intent)


ROWS = [
    row("bob#1", "web/b.py", "fix the login form"),
    row("bob#1", "web/a.py", "fix the login form"),
    row("cyd#1", "core.py", "speed up the parser"),
    row("ann#1", "mine.py", "fix the login page"),
    row("dan#1", "docs/", ""),
    row("eve#1", "x.py", "fix the login page", kind="HOT"),
]


def no_model(_texts):
    return None


def test_intents_that_share_words_are_near_and_one_agent_s_work_is_one():
    (found,) = close_work("fix the login page", ROWS, "ann#1", no_model, 5)
    assert found == CloseWork(("bob#1",), ("web/a.py", "web/b.py"), "fix the login form", pytest.approx(0.6))
    assert found.line == "bob#1 holds web/a.py, web/b.py to fix the login form (60% alike)"


def test_with_a_model_meaning_counts_where_it_says_more():
    def vectors(texts):
        return np.array([[1.0, 0.0] if "parser" in text or "fast" in text else [0.0, 1.0] for text in texts])

    found = close_work("make it fast", ROWS, "ann#1", vectors, 5)
    assert [(work.intent, work.likeness) for work in found] == [("speed up the parser", 1.0)]


def test_the_nearest_come_first_and_no_more_than_wanted():
    rows = [row(f"a{n}#1", f"{n}.py", f"fix the {' '.join(['login', 'page', 'bug'][:n])}") for n in range(1, 4)]
    assert [work.targets for work in close_work("fix the login page bug", rows, "", no_model, 2)] == [
        ("3.py",),
        ("2.py",),
    ]


@pytest.mark.parametrize("intent", ["", "  ", "?!"])
def test_no_intent_is_near_nothing(intent):
    assert close_work(intent, ROWS, "", no_model, 5) == []


def test_an_agent_asks_before_it_begins(agent):
    ann, bob = agent("ann"), agent("bob")
    bob.claim("a.py", intent="fix the login form")
    bob.claim("long.py", intent="tidy up")
    ann.claim("c.py", intent="fix the login page")
    (found,) = ann.close_work("fix the login page")
    assert (found.agents, found.targets) == ((bob.agent_id,), ("a.py",))
    assert ann.close_work("write docs") == []
    assert asyncio.run(_asked(AsyncCoordinator(ann._core))) == [found]


async def _asked(other):
    return await other.close_work("fix the login page")
