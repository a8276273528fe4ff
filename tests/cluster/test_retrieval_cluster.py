"""Retrieval on real Ray: two agents share one index, whose vectors come from the embedding actor."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from actors.embedding.status import State
from coordinator.client import Coordinator
from coordinator.retrieval.model import StaticModel
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster]
DEADLINE_S = 60.0


@pytest.mark.timeout(300)
def test_agents_share_an_index_and_it_is_the_same_with_the_actor_and_without(
    coordinator_up: Settings, tree: Path, tmp_path: Path
) -> None:
    (tree / "food.md").write_text("# Breakfast\n\nThe bakery sells fresh bread in the morning.\n\n# Night\n\nStars.\n")
    with (
        Coordinator.connect(agent="ann", root=tree, settings=coordinator_up) as ann,
        Coordinator.connect(agent="bob", root=tree, settings=coordinator_up) as bob,
    ):
        _await_model(ann)
        done = ann.index()
        assert (done.no_vectors, done.n_vectors) == ("", done.n_sections)
        answer = ann.search("loaves from the oven", top_k=1, by="meaning")
        assert [one.title for one in answer.passages] == ["Breakfast"]
        assert answer.notes == ()
        assert bob.index().n_indexed == 0
        (tree / "food.md").write_text("# Baker\n\nThe oven gives loaves of bread in the evening.\n")
        found = bob.search("loaves from the oven", top_k=1, by="meaning")
        assert [one.title for one in found.passages] == ["Baker"]
        actor = bob._core.model().embed(["the bakery"])
    alone = StaticModel(tmp_path / "models", 1).embed(["the bakery"])
    assert alone.model_id == actor.model_id
    assert (alone.rows == actor.rows).all()
    assert len(list((coordinator_up.state_dir / "retrieval").glob("*.sqlite3"))) == 1


def _await_model(agent: Coordinator) -> None:
    until_s = time.monotonic() + DEADLINE_S
    while agent._core.model().warm().state is not State.READY:
        assert time.monotonic() < until_s, agent.embedding_status()
        time.sleep(0.1)
