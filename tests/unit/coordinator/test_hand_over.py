"""Work is handed over in one step: the claims, and what was found out."""

from __future__ import annotations

import asyncio

import pytest

from actors.runtime.errors import Misuse
from coordinator.aio import AsyncCoordinator


def test_claims_and_the_playbook_go_to_the_other_agent(agent):
    ann, bob = agent("ann"), agent("bob")
    first = ann.claim("a.py", intent="fix f")
    second = ann.claim(["long.py", "task:login"])
    ann.playbook.note("Pitfall", "f must stay pure")
    done = ann.hand_over("bob", note="tests are red")
    assert done
    assert [one.targets for one in done.given] == [("a.py",), ("long.py", "task:login")]
    assert not first.valid
    assert not second.valid
    assert bob.check("a.py", done.given[0].generation).holds
    assert str(done).splitlines() == [
        "Hand-over from ann#1 to bob#2: tests are red",
        f"Yours now: a.py (generation {done.given[0].generation})",
        f"Yours now: long.py, task:login (generation {done.given[1].generation})",
        'Go on with agent.playbook.resume("ann#1"), which gives you:',
        "[1] Pitfall: f must stay pure",
    ]
    assert bob.playbook.resume(done.from_agent) == done.checkpoint.text
    assert {row.intent for row in bob.sync().rows if row.kind == "CLAIMED"} == {"tests are red"}


def test_without_claims_the_playbook_alone_goes_over(agent):
    ann, _ = agent("ann"), agent("bob")
    done = ann.hand_over("bob")
    assert str(done) == "Hand-over from ann#1 to bob#2\n"
    assert done.to_dict()["given"] == []


def test_nobody_hands_over_to_itself_or_to_nobody(agent):
    ann = agent("ann")
    claim = ann.claim("a.py")
    for to_agent, why in (("ann", "is you"), ("nobody", "does not name one agent")):
        with pytest.raises(Misuse, match=why):
            ann.hand_over(to_agent)
    assert claim.valid


def test_the_async_client_says_the_same(agent):
    ann, bob = agent("ann"), agent("bob")
    claim = ann.claim("a.py")
    done = asyncio.run(_handed(AsyncCoordinator(ann._core), bob.agent_id))
    assert done.to_dict()["given"] == [{"generation": done.given[0].generation, "targets": ["a.py"]}]
    assert not claim.valid


async def _handed(other, to_agent):
    return await other.hand_over(to_agent)
