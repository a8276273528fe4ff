"""What recalls say of a wakeup, and what clients with a known attention teach."""

import random

import pytest

from actors.memory.fact import Fact
from actors.runtime.errors import Misuse
from actors.runtime.machine import Caller, Now
from actors.thresholds.factory import make_thresholds
from actors.thresholds.messages import GetPolicy, RecordPlacement
from coordinator.waking.layout import Placed, Room, lay_out
from coordinator.waking.manifest import Manifest, Score
from coordinator.waking.profile import PROFILES, tokens_of


def fact(number, category, key, value):
    return Fact(number, "home", category, key, value, 1.0, "ann#1", 0.0, "", 0.0)


FACTS = (
    fact(1, "api", "base_url", "is /v2 since the spring"),
    fact(2, "api", "timeout", "is thirty seconds"),
    fact(3, "db", "port", "is 5432"),
)


def manifest(n_calls=1):
    return Manifest("claude", [Placed(one, "begin" if one.fact_id < 3 else "end") for one in FACTS], n_calls)


@pytest.mark.parametrize(
    ("asked", "number"),
    [
        ({"key": "port"}, 3),
        ({"key": "por"}, None),
        ({"key": "port", "category": "api"}, None),
        ({"text": "base_url"}, 1),  # contained in the item
        ({"text": "what is the timeout of the api?"}, 2),  # the item's key is contained in it
        ({"text": "port"}, None),  # contained, but of four characters
        ({"text": "port is 5432"}, 3),  # the same words
        ({"text": "is thirty seconds long"}, 2),  # three words of five
        ({"text": "is something else entirely"}, None),
        ({"text": "base_url", "category": "db"}, None),
        ({"category": "api"}, None),
        ({}, None),
    ],
)
def test_a_recall_scores_the_item_that_it_matches(asked, number):
    found = manifest().recalled(asked.get("text", ""), asked.get("key", ""), asked.get("category", ""))
    assert (found and found.fact.fact_id) == number


def test_what_was_asked_for_was_missed_and_the_rest_was_used():
    one = manifest()
    assert one.scores() == (Score("begin", 2, 0), Score("end", 1, 0))
    one.recalled("", "base_url", "")
    one.recalled("", "base_url", "")
    assert one.scores() == (Score("begin", 1, 1), Score("end", 1, 0))


def test_without_a_call_after_it_nothing_can_be_said():
    assert manifest(n_calls=0).scores() == ()
    assert Manifest().scores() == ()


def test_profiles_have_a_cap_and_own_ones_can_be_set():
    assert sorted(PROFILES) == ["claude", "default", "gemini", "gpt"]
    assert tokens_of("claude", {}, None) == 1_000
    assert tokens_of("claude", {"claude": 700, "mine": 300}, None) == 700
    assert tokens_of("mine", {"mine": 300}, None) == 300
    assert tokens_of("mine", {"mine": 300}, 50) == 50
    with pytest.raises(Misuse, match="unknown client profile 'other': give one of claude, default, gemini, gpt"):
        tokens_of("other", {}, None)
    for cap in (-1, 100_001):
        with pytest.raises(Misuse, match="cannot be made"):
            tokens_of("gpt", {}, cap)


def formula(begin_rate, end_rate):
    lead = begin_rate / (begin_rate + end_rate) - 0.5
    return 0.7 + lead * (0.7 if lead < 0 else 0.3)


def learned_share(begin_rate, end_rate, n_wakeups=60):
    """The share after wakeups of a client that uses what stands at each end that often; wakeups follow the share."""
    drawn, thresholds = random.Random(7), make_thresholds(origin="aaaaaaaa")
    facts = [fact(n, f"c{n}", f"key{n}", f"v{n} w{n}") for n in range(20)]
    now, share = Now(0.0, 86_400.0 * 20_000), 0.7
    for _ in range(n_wakeups):
        made = lay_out(facts, "", Room("claude", 60, share, lambda text: len(text.split())))
        one = Manifest("claude", made.placed, 1)
        for placed in made.placed:
            rate = begin_rate if placed.position == "begin" else end_rate
            if drawn.random() >= rate:
                one.recalled("", placed.fact.key, "")
        for score in one.scores():
            thresholds.perform(Caller("ann#1"), RecordPlacement("claude", *score), now)
        policy = thresholds.perform(Caller("ann#1"), GetPolicy(), now)
        share = dict(policy.begin_shares).get("claude", policy.default_begin_share)
        assert 0.35 <= share <= 0.85
    return share


@pytest.mark.parametrize(
    ("begin_rate", "end_rate"), [(0.9, 0.9), (0.9, 0.3), (0.3, 0.9), (0.5, 0.1), (0.1, 0.5), (0.6, 0.4)]
)
def test_clients_with_a_known_attention_pull_the_share_to_where_it_belongs(begin_rate, end_rate):
    assert abs(learned_share(begin_rate, end_rate) - formula(begin_rate, end_rate)) < 0.05


@pytest.mark.parametrize(("begin_rate", "end_rate", "clamp"), [(0.0, 1.0, 0.35), (1.0, 0.0, 0.85)])
def test_both_clamps_are_reached_and_hold(begin_rate, end_rate, clamp):
    assert abs(learned_share(begin_rate, end_rate) - clamp) < 0.01
    assert abs(learned_share(begin_rate, end_rate, 200) - clamp) < 0.01
