"""Who else is about to do the same thing somewhere else."""

from __future__ import annotations

import asyncio
import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from actors.embedding.engine import load_engine
from actors.embedding.packaged import packaged_files
from actors.embedding.source import STATIC
from actors.scent_field.messages import FieldRow
from coordinator.aio import AsyncCoordinator
from coordinator.close_desk import MAX_TOLD, PINNED_S, RETRY_S
from coordinator.close_work import MEANING_FROM, WORDS_FROM, CloseWork, close_work


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


LOGIN = "close work: bob#2 holds a.py to fix the login form (60% alike)"


def test_a_claim_is_told_who_does_something_like_it_elsewhere_and_is_granted(agent):
    ann, bob = agent("ann"), agent("bob")
    assert bob.claim("a.py", intent="fix the login form").close_work == ()
    claim = ann.claim("long.py", intent="fix the login page")
    assert claim
    assert claim.close_work == (LOGIN,)
    assert claim.to_dict()["close_work"] == [LOGIN]
    assert ann.claim("long.py", intent="fix the login page").renewed
    assert ann.claim("long.py", intent="fix the login page").close_work == ()
    assert ann.claim_any(["c.py"], intent="fix the login page").close_work == (LOGIN,)
    assert ann.claim("d.py", intent="write docs").close_work == ()
    assert ann.claim("e.py").close_work == ()
    other = asyncio.run(AsyncCoordinator(agent("cyd")._core).claim("f.py", intent="fix the login page"))
    assert other.close_work[1:] == (LOGIN,)


def test_live_claims_are_asked_for_every_five_seconds_and_not_while_nobody_answers(agent, transport):
    ann = agent("ann")

    def n_calls(path, intent="tidy up"):
        n_before = transport.n_calls
        assert ann.claim(path, intent=intent)
        return transport.n_calls - n_before

    assert (n_calls("a.py"), n_calls("b.py"), n_calls("c.py", intent="")) == (2, 1, 1)
    transport.now_s += PINNED_S
    assert (n_calls("d.py"), n_calls("e.py")) == (2, 1)
    transport.now_s += PINNED_S
    transport.is_down = True
    assert ann._do(ann._core._close.told(ann._core.session, "tidy up")) == ()
    transport.is_down = False
    transport.now_s += RETRY_S - 1
    assert n_calls("f.py") == 1
    transport.now_s += 1
    assert n_calls("g.py") == 2


def test_no_more_than_three_are_told(agent):
    for n in range(MAX_TOLD + 1):
        agent(f"bob{n}").claim(f"{n}.py", intent="fix the login form")
    assert len(agent("ann").claim("long.py", intent="fix the login page").close_work) == MAX_TOLD


@pytest.fixture(scope="module")
def near(tmp_path_factory):
    """Of all pairs of the intents in intents.json: words shared, cosine, and whether both are of one piece of work."""
    works = json.loads(Path(__file__).with_name("intents.json").read_text("utf-8"))
    said = [(number, intent) for number, work in enumerate(works) for intent in work]
    engine = load_engine(packaged_files(STATIC, tmp_path_factory.mktemp("model")), n_threads=1)
    rows = engine.embed([intent for _, intent in said])
    pairs = list(combinations(range(len(said)), 2))
    shares = [close_work(said[a][1], [row("bob#1", "x", said[b][1])], "", no_model, 1) for a, b in pairs]
    words = np.array([found[0].likeness if found else 0.0 for found in shares])
    cosines = np.array([float(rows[a] @ rows[b]) for a, b in pairs])
    return words, cosines, np.array([said[a][0] == said[b][0] for a, b in pairs])


def test_the_threshold_tells_of_most_of_the_same_work_and_hardly_of_another(near):
    """The figures of docs/field.md."""
    words, cosines, is_same = near
    assert (len(is_same), int(is_same.sum())) == (1_770, 60)
    told = (words >= WORDS_FROM) | (cosines >= MEANING_FROM)
    assert _right_and_found(told, is_same) == (pytest.approx(0.96, abs=0.03), pytest.approx(0.87, abs=0.03))
    by_words = _right_and_found(words >= WORDS_FROM, is_same)
    assert by_words == (pytest.approx(0.91, abs=0.03), pytest.approx(0.17, abs=0.03))


def _right_and_found(told, is_same):
    """The share of what is told that is right, and of what is right that is told."""
    return float((told & is_same).sum() / told.sum()), float((told & is_same).sum() / is_same.sum())
