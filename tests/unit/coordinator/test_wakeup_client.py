"""Wakeups through the clients, and what they teach of where a client looks."""

from __future__ import annotations

import asyncio

import pytest

from actors.memory.fact import FactDraft
from actors.runtime.errors import Misuse, Unavailable
from coordinator.aio import AsyncCoordinator
from coordinator.reading.token_count import count_tokens


@pytest.fixture
def knowing(agent):
    """An agent of a space with forty facts in two categories."""
    ann = agent("ann", holdout_share=0.0)
    drafts = [FactDraft("api" if n % 2 else "db", f"key{n}", f"says that {n * 7919} follows") for n in range(40)]
    ann.facts.remember_each(drafts)
    return ann


def placements(agent):
    return dict(agent._do(agent._core.learned.statistics()).placements)


def test_a_wakeup_holds_facts_by_topic_and_the_task_within_its_cap(knowing):
    made = knowing.wakeup("fix the login", max_tokens=300)
    assert made.text.endswith("\nTask: fix the login\n")
    assert made.begin.startswith("[")
    assert made.n_tokens == count_tokens(made.text) <= 300
    assert made.begin_share == 0.7
    assert 0 < len(made.placed) < 40
    assert made.n_left_out == 40 - len(made.placed)
    assert made.n_flat_tokens > made.n_tokens


def test_what_is_near_the_task_comes_before_what_is_not(knowing):
    knowing.facts.remember("auth", "login", "the login page lives in web/login.py", confidence=0.2)
    assert knowing.wakeup(max_tokens=200).placed[0].fact.key != "login"
    assert knowing.wakeup("fix the login page", max_tokens=200).placed[0].fact.key == "login"


def test_facts_that_contradict_each_other_are_marked_also_where_the_other_has_no_room(agent):
    ann = agent("ann", holdout_share=0.0)
    ann.facts.remember("api", "port", "is 80")
    ann.facts.remember("api", "port", f"is {'rather ' * 40}8080", confidence=0.5)
    ann.facts.remember("api", "host", "is local", confidence=0.3)
    text = ann.wakeup().text
    assert text.startswith("[! contradicted]\napi/port: is 80\napi/port: is rather")
    assert text.endswith("[api]\nhost: is local\n")
    assert ann.wakeup(max_tokens=30).text == "[! contradicted]\napi/port: is 80\n[api]\nhost: is local\n"
    ann.facts.forget(2)
    assert ann.wakeup().text == "[api]\nport: is 80; host: is local\n"


def test_a_wakeup_of_one_category(knowing):
    made = knowing.wakeup(category="db", max_tokens=5_000)
    assert {one.fact.category for one in made.placed} == {"db"}
    assert len(made.placed) == 20


def test_what_is_recalled_was_missed_and_the_rest_was_used(knowing):
    made = knowing.wakeup(max_tokens=300)
    n_begin = sum(one.position == "begin" for one in made.placed)
    n_end = len(made.placed) - n_begin
    first = made.placed[0].fact
    knowing.facts.recall(key=first.key)
    knowing.facts.recall(key=first.key)
    assert placements(knowing) == {}
    knowing.wakeup(max_tokens=300)
    assert placements(knowing) == {"begin_hit": n_begin - 1, "begin_miss": 1, "end_hit": n_end, "end_miss": 0}


def test_closing_tells_too_if_anything_was_done_since(knowing, agent):
    made = knowing.wakeup(max_tokens=300)
    bob = agent("bob")
    idle = agent("cyd")
    idle.wakeup(max_tokens=300)
    idle.close()
    assert placements(bob) == {}
    knowing.read("a.py")
    knowing.close()
    assert sum(placements(bob).values()) == len(made.placed)


def test_a_calibrated_profile_gets_its_share(knowing):
    for _ in range(4):
        made = knowing.wakeup(profile="claude", max_tokens=400)
        for one in made.placed:
            if one.position == "begin":
                knowing.facts.recall(key=one.fact.key)
    assert knowing.wakeup(profile="claude", max_tokens=400).begin_share < 0.45
    assert knowing.wakeup(profile="gpt", max_tokens=400).begin_share == 0.7


def test_a_session_that_is_held_out_is_placed_as_by_default(agent, knowing):
    for _ in range(4):
        for one in knowing.wakeup(profile="claude", max_tokens=400).placed:
            if one.position == "begin":
                knowing.facts.recall(key=one.fact.key)
    knowing.close()
    assert agent("bob", holdout_share=1.0).wakeup(profile="claude").begin_share == 0.7
    assert agent("cyd", holdout_share=0.0).wakeup(profile="claude").begin_share < 0.7


def test_only_wakeups_of_a_calibrated_profile_say_anything_about_the_share(agent, knowing, transport):
    for _ in range(4):
        for one in knowing.wakeup(profile="claude", max_tokens=400).placed:
            if one.position == "begin":
                knowing.facts.recall(key=one.fact.key)
    knowing.close()
    transport.pass_time(2)
    (before,) = agent("eve").evidence().arms  # that of ann, whose later wakeups were calibrated by the earlier ones
    for name, share, new in (("bob", 1.0, "gpt"), ("cyd", 0.0, "gemini")):
        one = agent(name, holdout_share=share)
        made = one.wakeup(profile="claude", max_tokens=400)
        one.facts.recall(key=made.placed[0].fact.key)
        one.wakeup(profile=new, max_tokens=400)
        one.facts.recall(key=made.placed[0].fact.key)
        one.close()
    transport.pass_time(2)
    arms = {arm.side: (arm.n_units, arm.y) for arm in agent("dan").evidence().arms}
    assert arms == {"treatment": (2, before.y + 1), "holdout": (1, 1)}


def test_own_profiles_have_their_cap_and_unknown_ones_are_refused(agent):
    ann = agent("ann", wakeup_tokens={"mine": 50})
    assert ann.wakeup("x", profile="mine").max_tokens == 50
    assert ann.wakeup("x").max_tokens == 1_000
    with pytest.raises(Misuse, match="unknown client profile 'other'"):
        ann.wakeup("x", profile="other")
    with pytest.raises(Misuse, match="cannot be made"):
        ann.wakeup("x", max_tokens=-1)


def test_without_the_thresholds_a_wakeup_is_placed_as_by_default_and_says_so(knowing, transport):
    call = transport._call

    def without(domain, raw, timeout_s):
        if domain == "thresholds":
            raise Unavailable("thresholds cannot be reached")
        return call(domain, raw, timeout_s)

    transport._call = without
    made = knowing.wakeup("x")
    assert (made.begin_share, made.note) == (0.7, "the thresholds are unavailable: placed as by default")


def test_wakeups_are_counted(knowing, transport):
    made = knowing.wakeup(max_tokens=300)
    transport.pass_time(2)
    seen = knowing._do(knowing._core.playbook.statistics())
    assert (seen.n_wakeups, seen.n_wakeup_facts) == (1, len(made.placed))
    assert (seen.n_wakeup_tokens, seen.n_wakeup_flat_tokens) == (made.n_tokens, made.n_flat_tokens)


def test_a_space_without_facts_gives_the_task_alone(agent):
    made = agent("ann").wakeup("fix the login")
    assert (made.text, made.placed) == ("Task: fix the login\n", ())


def test_the_async_client_says_the_same(knowing):
    other = AsyncCoordinator(knowing._core)
    assert asyncio.run(_woken(other)).text == knowing.wakeup("fix it", max_tokens=300).text


async def _woken(other):
    return await other.wakeup("fix it", max_tokens=300)
