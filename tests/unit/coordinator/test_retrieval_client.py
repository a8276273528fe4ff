"""What an agent finds in its tree."""

import asyncio
import time
from pathlib import Path

import pytest

from coordinator import AsyncCoordinator, Coordinator, Settings
from coordinator.retrieval.passage import Retriever


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "scentfield.toml").touch()
    (root / "pets.md").write_text("# Pets\n\n## Parrot\n\nIt talks.\n\n## Walrus\n\nIt swims.\n")
    return root


def settings_in(folder: Path) -> Settings:
    return Settings(data_dir=folder / "state", disabled=True)


def test_an_agent_is_a_retriever_of_its_tree(tree: Path, tmp_path: Path) -> None:
    with Coordinator.connect(agent="ann", root=tree, settings=settings_in(tmp_path)) as agent:
        asked: Retriever = agent
        (passage,) = asked.retrieve("which one swims?", top_k=1, level=0.0)
        assert (passage.path, passage.title, passage.text) == ("pets.md", "Walrus", "## Walrus\n\nIt swims.\n")
        assert agent.search("parrot", top_k=1).passages[0].title == "Parrot"
        assert agent.index().n_sections == 2
        assert agent.index(rebuild=True).n_indexed == 2
    assert list((tmp_path / "state" / "retrieval").glob("*.sqlite3"))


def test_reads_go_by_what_was_searched_for(tree: Path, tmp_path: Path) -> None:
    with Coordinator.connect(agent="ann", root=tree, settings=settings_in(tmp_path)) as agent:
        agent.search("which one swims?")
        query = agent._core.desk.focus.query("", time.time())
        assert query is not None
        assert str(query) == 'query (search) "which one swims?"'


def test_the_same_without_blocking(tree: Path, tmp_path: Path) -> None:
    async def ask() -> list[str]:
        async with AsyncCoordinator.connect(agent="ann", root=tree, settings=settings_in(tmp_path)) as agent:
            await agent.index()
            found = await agent.retrieve("which one swims?", top_k=1)
            answers = await asyncio.gather(*(agent.search("parrot", top_k=1) for _ in range(8)))
            return [found[0].title, *{answer.passages[0].title for answer in answers}]

    assert asyncio.run(ask()) == ["Walrus", "Parrot"]
