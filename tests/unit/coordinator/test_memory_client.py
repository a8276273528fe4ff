"""Playbooks and facts through the clients."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from actors.embedding.messages import NotReady, Vectors
from actors.embedding.status import State, Status
from actors.memory.fact import FactDraft
from actors.runtime.errors import BadTarget, Misuse, Unavailable
from coordinator.aio import AsyncCoordinator
from coordinator.embedding.embedder import Embedder
from coordinator.memory import async_handle, handle

READY = Status(State.READY, "small", "", "small#1", 3)
LOADING = Status(State.LOADING, "small", "it is being loaded")


class Line:
    """A model that knows colours: red things, blue things, and nothing of the rest."""

    def __init__(self, status: Status = READY) -> None:
        self.status = status
        self.n_calls = 0

    def connect(self) -> None:
        pass

    def ask(self, method: str, arguments: tuple[Any, ...], timeout_s: float) -> Any:  # noqa: ARG002  # the protocol's
        return self.status

    def embed(self, calls: Sequence[Any], timeout_s: float) -> list[Any]:  # noqa: ARG002  # the same
        self.n_calls += 1
        if not self.status.is_ready:
            return [NotReady(self.status)]
        rows = [_row(text) for call in calls for text in call.texts]
        return [Vectors("small#1", np.array(rows, dtype=np.float32))]


def _row(text: str) -> list[float]:
    red = any(word in text for word in ("cherry", "rose", "crimson"))
    blue = any(word in text for word in ("sky", "ocean", "azure"))
    return [float(red), float(blue), 0.0]


def with_model(agent: Any, line: Line) -> Any:
    """The agent's model is this one, and it has heard how it is."""
    agent._core.embedder = Embedder(line, start=lambda run: run())
    agent._core.embedder.status()
    return agent


def test_a_playbook_is_filled_and_rendered(agent):
    ann = agent("ann")
    assert ann.playbook.add("Pitfall", "never edit generated files", about="gen/").is_new
    assert not ann.playbook.add("Pitfall", "Never edit generated files!", about="gen/").is_new
    text = ann.playbook.render()
    assert text == "[1] Pitfall (gen/): never edit generated files\n"
    ann.playbook.add("Fact", "the parser lives in core")
    assert ann.playbook.render().startswith(text)
    assert ann.playbook.vote(2, helpful=True).n_helpful == 1
    assert ann.playbook.confirm(2).n_confirmed == 1
    assert ann.playbook.evict(1).reason == "asked"
    assert [entry.entry_id for entry in ann.playbook.view().entries] == [2]


def test_a_project_s_playbook_is_for_all_and_a_session_s_for_one(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.playbook.add("Strategy", "run the parser tests first", scope="project")
    ann.playbook.add("Fact", "mine alone")
    assert bob.playbook.render(scope="project") == "[1] Strategy: run the parser tests first\n"
    assert bob.playbook.render() == ""
    with pytest.raises(Misuse, match="unknown scope 'all'"):
        bob.playbook.render(scope="all")


def test_a_later_session_goes_on_with_the_playbook_of_an_earlier_one(agent):
    first = agent("ann")
    first.playbook.add("Fact", "one")
    text = first.playbook.render()
    first.close()
    second = agent("ann")
    assert second.playbook.resume(first.agent_id or "ann#1") == text
    assert second.playbook.add("Fact", "two").entry_id == 2


def test_facts_are_remembered_and_recalled_by_key_words_and_category(agent):
    ann, bob = agent("ann"), agent("bob")
    kept = ann.facts.remember("api", "base_url", "is /v2 since March", path="./a.py", confidence=0.9)
    assert (kept.fact.path, kept.fact.agent) == ("a.py", ann.agent_id)
    for found in (
        bob.facts.recall(key="base_url"),
        bob.facts.recall("base url of march"),
        bob.facts.recall(category="api"),
        bob.facts.recall(),
    ):
        assert [one.fact for one in found] == [kept.fact]
        assert str(found) == "[1] api/base_url: is /v2 since March"
    assert not bob.facts.recall("nothing like it")


def test_a_conflict_is_shown_until_one_is_forgotten(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.facts.remember("api", "port", "is 80")
    assert [fact.value for fact in bob.facts.contradict(1, "is 90").conflicts] == ["is 80"]
    assert [one.in_conflict for one in ann.facts.recall(key="port")] == [True, True]
    assert ann.facts.forget(1) == 1
    assert [one.in_conflict for one in ann.facts.recall(key="port")] == [False]
    assert ann.facts.confirm(2).n_confirmed == 1


def test_a_secret_is_not_even_sent(agent, transport):
    ann = agent("ann")
    n_calls = transport.n_calls
    secret = "AKIA" + "IOSFODNN7EXAMPLQ"
    for keep in (
        lambda: ann.facts.remember("aws", "key", secret),
        lambda: ann.facts.remember_each([FactDraft("aws", "a", "fine"), FactDraft("aws", "b", secret)]),
        lambda: ann.playbook.add("Fact", f"the key is {secret}"),
        lambda: ann.facts.contradict(1, secret),
    ):
        with pytest.raises(Misuse, match=r"looks like a secret \(AWS access key\)") as refused:
            keep()
        assert secret not in str(refused.value)
    assert transport.n_calls == n_calls


def test_a_path_outside_is_refused(agent):
    with pytest.raises(BadTarget):
        agent("ann").facts.remember("api", "port", "is 80", path="/etc/passwd")


def test_many_facts_come_in_few_calls(agent, transport):
    ann = agent("ann")
    n_calls = transport.n_calls
    kept = ann.facts.remember_each([FactDraft("n", f"k{n}", f"v{n}") for n in range(450)])
    assert [one.fact.fact_id for one in kept] == list(range(1, 451))
    assert transport.n_calls - n_calls == 3


def test_with_a_model_facts_are_found_by_meaning(agent):
    ann = with_model(agent("ann"), Line())
    for key, value in (("a", "a cherry"), ("b", "the sky"), ("c", "the table")):
        ann.facts.remember("things", key, value)
    by_meaning = ann.facts.recall("crimson", by="meaning", n=1)
    assert ([one.fact.key for one in by_meaning], by_meaning.ways) == (["a"], ("semantic",))
    both = ann.facts.recall("azure table")
    assert {one.fact.key for one in list(both)[:2]} == {"b", "c"}
    assert both.ways == ("lexical", "semantic")
    assert not ann.facts.recall("azure", by="words")


def test_without_a_ready_model_words_decide_and_it_is_said(agent):
    ann = agent("ann")
    ann.facts.remember("things", "a", "a cherry")
    assert (
        ann.facts.recall("cherry", by="meaning").note == "looked for by words alone: there is no embedding model here"
    )
    line = Line(LOADING)
    with_model(ann, line)
    found = ann.facts.recall("cherry")
    assert ([one.fact.key for one in found], found.ways) == (["a"], ("lexical",))
    assert found.note == "looked for by words alone: it is being loaded"
    assert line.n_calls == 0
    with_model(ann, Line())
    assert ann.facts.recall("the", by="meaning").note == "looked for by words alone: the model knows none of them"


def test_facts_that_were_remembered_without_the_model_get_their_vectors_later(agent):
    ann = agent("ann")
    ann.facts.remember_each([FactDraft("things", f"k{n}", f"cherry {n}") for n in range(100)])
    assert ann.facts.index() == 0
    with_model(ann, Line())
    assert ann.facts.index(70) == 70
    assert ann.facts.index() == 30
    assert ann.facts.index() == 0
    assert ann.facts.recall("crimson", by="meaning").n_all == 100


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"text": "x", "by": "guess"}, "unknown way 'guess'"),
        ({"text": "?!"}, "has no word"),
        ({"category": "A B"}, "a category has"),
        ({"key": "k", "n": 0}, "0 facts cannot be asked for"),
    ],
)
def test_what_cannot_be_recalled_is_refused(agent, asked, why):
    with pytest.raises(Misuse, match=why):
        agent("ann").facts.recall(**asked)


def test_while_nobody_answers_the_memory_is_unavailable(agent, transport):
    ann = agent("ann")
    transport.is_down = True
    for ask in (
        lambda: ann.facts.recall(key="k"),
        lambda: ann.facts.remember("api", "k", "v"),
        ann.playbook.render,
        lambda: ann.playbook.add("Fact", "one"),
    ):
        with pytest.raises(Unavailable):
            ask()


def test_an_answer_that_was_lost_does_not_count_twice(agent, transport):
    ann = agent("ann")
    transport.lose_replies = 1
    with pytest.raises(Unavailable):
        ann.playbook.add("Fact", "one")
    ann.playbook.add("Fact", "one")
    assert [entry.content for entry in ann.playbook.view().entries] == ["one"]


def test_recalls_are_counted_by_how_they_asked(agent, transport):
    ann = with_model(agent("ann"), Line())
    ann.facts.remember("things", "a", "a cherry")
    ann.facts.recall("crimson")
    ann.facts.recall(key="b")
    bob = agent("bob")
    assert bob._do(bob._core.playbook.statistics()).recalls == ()
    ann.close()
    seen = bob._do(bob._core.playbook.statistics())
    assert seen.recalls == (("exact", 1), ("lexical", 1), ("semantic", 1))
    assert dict(seen.hits)["exact"] == 0
    assert dict(seen.hits)["semantic"] == 1


def test_the_memory_is_told_of_many_recalls_at_once(agent, transport):
    ann = agent("ann")
    n_calls = transport.n_calls
    for _ in range(32):
        ann.facts.recall(key="a")
    assert transport.n_calls - n_calls == 32 + 2
    assert ann._do(ann._core.playbook.statistics()).recalls == (("exact", 32),)


def test_the_async_client_says_the_same(agent):
    ann = with_model(agent("ann"), Line())
    other = AsyncCoordinator(ann._core)

    async def ask() -> None:
        assert (await other.playbook.add("Fact", "one")).entry_id == 1
        assert (await other.playbook.confirm(1)).n_confirmed == 1
        assert (await other.playbook.vote(1, helpful=False)).n_harmful == 1
        assert await other.playbook.view() == ann.playbook.view()
        assert await other.playbook.render() == ann.playbook.render()
        assert (await other.playbook.evict(1)).entry_id == 1
        with pytest.raises(Misuse):
            await other.playbook.resume("nobody#1")
        assert (await other.facts.remember("api", "port", "is 80")).is_new
        assert len(await other.facts.remember_each([FactDraft("api", "host", "is local")])) == 1
        assert await other.facts.recall("port") == ann.facts.recall("port")
        assert (await other.facts.confirm(1)).n_confirmed == 1
        assert (await other.facts.contradict(1, "is 90")).conflicts
        assert await other.facts.forget(1) == 1
        assert await other.facts.index() == 0

    asyncio.run(ask())


def test_both_handles_have_the_same_names():
    for sync, other in (
        (handle.PlaybookHandle, async_handle.AsyncPlaybookHandle),
        (handle.FactHandle, async_handle.AsyncFactHandle),
    ):
        assert {name for name in vars(sync) if name[0] != "_"} == {name for name in vars(other) if name[0] != "_"}
