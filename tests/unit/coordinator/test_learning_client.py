"""What the clients learn from reads and edits, tell of it, share it, and forget it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from actors.embedding.messages import DuplicateTexts, SimilarTexts, Vectors
from actors.embedding.nearness import Duplicate, Similar
from actors.embedding.status import State, Status
from actors.runtime.errors import Misuse, ScentfieldError, Unavailable
from coordinator.aio import AsyncCoordinator
from coordinator.client import Coordinator
from coordinator.embedding.embedder import Embedder


@pytest.fixture
def bounced(agent: Any, transport: Any) -> Coordinator:
    """An agent with a compressed read that was not enough, as the thresholds have heard."""
    ann: Coordinator = agent("ann")
    ann.read("long.py", "map")
    ann.read("long.py", "full")
    transport.pass_time(2)  # what is read may be committed a second later
    return ann


def foreign(delta: float = 0.041, samples: int = 27, revision: int = 27) -> bytes:
    """What another machine has learned of .rs."""
    learned = {"day": 19_675, "delta": delta, "revision": revision, "samples": samples}
    origin = {"era": 0, "thresholds": {"rs": learned}, "placement": {}}
    return json.dumps({"origins": {"3f0c3f0c3f0c3f0c": origin}, "schema": "scentfield-learning", "version": 1}).encode()


def test_a_bounce_is_counted_and_learned_from(bounced):
    ann = bounced
    (rate,) = ann.read_quality().rates
    assert (rate.extension, rate.n_reads, rate.n_bounces) == ("py", 2, 1)
    (row,) = ann.learning().deltas
    assert (row.extension, row.n_signals, row.applies) == ("py", 1, False)
    assert row.delta == pytest.approx(-0.06)  # three steps of 0.02
    (cost,) = ann.learning().costs
    assert cost.cost.mode == "map"


def test_an_edit_of_lines_that_were_not_shown_counts_twice_as_much(agent, transport):
    ann = agent("ann")
    ann.read("long.py", "map")
    ann.edit("long.py", "    value_77 = value_77 * 9 - total\n", "")
    transport.pass_time(2)
    (row,) = ann.learning().deltas
    assert (row.n_signals, row.delta) == (1, pytest.approx(-0.12))


def test_savings_are_net_of_second_reads(bounced):
    (day,) = bounced.savings().days
    assert day.period == "2023-11-14"
    by_mode = {row.mode: row for row in day.rows}
    assert (by_mode["map"].n_views, by_mode["full"].n_views) == (1, 1)
    assert by_mode["map"].n_saved_tokens > 0 > by_mode["map"].n_net_tokens
    assert bounced.savings(n_days=0).days == ()


@pytest.mark.parametrize("n_days", [-1, "many", None])
def test_a_number_of_days_that_cannot_be_is_refused(agent, n_days):
    with pytest.raises(Misuse):
        agent("ann").savings(n_days=n_days)


def test_what_was_learned_can_be_exported_and_comes_back_without_being_counted_twice(bounced):
    ann = bounced
    text = ann.export_learning()
    assert ann.export_learning() == text
    (origin,) = json.loads(text)["origins"].values()
    assert origin["thresholds"]["py"]["samples"] == 1
    assert b"long" not in text
    assert b"ann" not in text
    assert ann.import_learning(text).n_origins == 0
    assert ann.export_learning() == text


def test_what_others_have_learned_is_merged_once(agent):
    ann, bob = agent("ann"), agent("bob")
    imported = ann.import_learning(foreign())
    assert imported.n_origins == 1
    (change,) = imported.deltas
    assert (change.extension, change.before, change.after, change.n_after) == ("rs", 0.0, 0.041, 27)
    assert bob.import_learning(foreign()).n_origins == 0
    (row,) = bob.learning().deltas
    assert (row.extension, row.delta, row.applies) == ("rs", 0.041, True)


@pytest.mark.parametrize("text", [b"", b"{}", b"\xff", foreign(delta=0.2), foreign(samples=-1), "text", None])
def test_a_bundle_that_cannot_be_used_changes_nothing(agent, text):
    ann = agent("ann")
    ann.import_learning(foreign())
    before = ann.export_learning()
    with pytest.raises(Misuse):
        ann.import_learning(text)
    assert ann.export_learning() == before


def test_an_extension_or_everything_is_forgotten_and_own_learning_stays_so(bounced):
    ann = bounced
    text = ann.export_learning()
    ann.import_learning(foreign())
    assert ann.reset_learning("rs").n_contributions == 1
    assert [row.extension for row in ann.learning().deltas] == ["py"]
    assert ann.reset_learning().n_contributions == 1
    assert ann.learning().deltas == ()
    ann.import_learning(text)
    assert ann.learning().deltas == ()  # an older bundle of ours does not bring it back
    ann.import_learning(foreign())
    assert [row.extension for row in ann.learning().deltas] == ["rs"]
    with pytest.raises(Misuse, match="is not an extension"):
        ann.reset_learning("a/b")


def test_while_nobody_answers_questions_are_unavailable_and_reads_go_on(agent, transport):
    ann = agent("ann")
    transport.is_down = True
    for ask in (ann.learning, ann.export_learning, ann.read_quality, ann.savings, ann.reset_learning):
        with pytest.raises(Unavailable):
            ask()
    with pytest.raises(Unavailable):
        ann.import_learning(foreign())
    assert ann.read("a.py").view.mode == "full"


def test_where_everything_is_switched_off_it_says_so(agent):
    ann = agent("ann", kept_by="decay", disabled=True)
    with pytest.raises(Unavailable, match="SCENTFIELD_DISABLED"):
        Coordinator(_without_transport(ann)).learning()
    with pytest.raises(Unavailable, match="SCENTFIELD_DISABLED is set: the embedding model was not asked"):
        ann.embed(["a"])


def _without_transport(ann: Coordinator) -> Any:
    ann._core.transport = None
    return ann._core


READY = Status(State.READY, "small", "", "small#1", 2)


class Line:
    """An actor that knows two directions: what begins with `a`, and all else."""

    def connect(self) -> None:
        pass

    def ask(self, method: str, arguments: tuple[Any, ...], timeout_s: float) -> Any:  # noqa: ARG002  # the protocol's signature
        if method == "similar":
            return SimilarTexts("small#1", tuple(Similar(n, 1.0) for n in range(arguments[2])))
        if method == "near_duplicates":
            return DuplicateTexts("small#1", (Duplicate(1, 0, 1.0),))
        return READY

    def embed(self, calls: Sequence[Any], timeout_s: float) -> list[Any]:  # noqa: ARG002  # the same
        rows = [[1.0, 0.0] if text.startswith("a") else [0.0, 1.0] for call in calls for text in call.texts]
        return [Vectors("small#1", np.array(rows, dtype=np.float32))]


def test_the_model_answers_through_the_client(agent):
    ann = agent("ann")
    ann._core.embedder = Embedder(Line())
    assert ann.embed(["a", "b"]).rows.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert [one.place for one in ann.similar("a", ["a", "b", "c"], n_wanted=2).nearest] == [0, 1]
    assert [one.place for one in ann.near_duplicates(["a", "a"]).dropped] == [1]
    assert ann.embedding_status() == READY


def test_without_a_model_its_calls_are_unavailable_and_say_what_to_do(agent):
    ann = agent("ann")
    for ask in (
        lambda: ann.embed(["a"]),
        lambda: ann.similar("a", ["a"]),
        lambda: ann.near_duplicates(["a"]),
        ann.embedding_status,
    ):
        with pytest.raises(Unavailable, match="the embedding model is switched off: set model = 'static'"):
            ask()


def test_the_async_client_says_the_same(bounced):
    ann = bounced
    ann._core.embedder = Embedder(Line())
    other = AsyncCoordinator(ann._core)

    async def ask() -> None:
        assert await other.learning() == ann.learning()
        assert await other.read_quality() == ann.read_quality()
        assert await other.savings(n_days=1) == ann.savings(n_days=1)
        assert await other.export_learning() == ann.export_learning()
        assert (await other.import_learning(foreign())).n_origins == 1
        assert (await other.reset_learning("rs")).n_contributions == 1
        assert (await other.embed(["a"])).rows.tolist() == [[1.0, 0.0]]
        assert await other.similar("a", ["a"], n_wanted=1) == ann.similar("a", ["a"], n_wanted=1)
        assert await other.near_duplicates(["a", "a"]) == ann.near_duplicates(["a", "a"])
        assert await other.embedding_status() == READY
        with pytest.raises(ScentfieldError):
            await other.import_learning(b"{}")

    asyncio.run(ask())


def test_both_clients_have_the_same_names():
    def names(client: type) -> set[str]:
        return {name for name in vars(client) if not name.startswith("_")}

    assert names(AsyncCoordinator) - names(Coordinator) == {"register"}
    assert names(Coordinator) <= names(AsyncCoordinator)
