"""Wakeups of real facts are shorter than flat lists of them: the figures of docs/memory.md."""

import random
import sysconfig
from pathlib import Path

import pytest

from actors.memory.fact import Fact
from coordinator.bench.fact_source import code_facts, doc_facts
from coordinator.reading.token_count import count_tokens
from coordinator.waking.layout import Room, lay_out

ROOT = Path(__file__).parents[3]
SETS = {
    "our code": lambda: code_facts(ROOT / "coordinator"),
    "our docs": lambda: doc_facts(ROOT / "docs"),
    "asyncio": lambda: code_facts(Path(sysconfig.get_path("stdlib")) / "asyncio"),
}


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("max_tokens", [500, 1_000, 2_000])
def test_a_tenth_of_the_tokens_is_saved_at_least(name, max_tokens):
    drafts = list(SETS[name]())[:300]  # those at hand, not some of each of hundreds of files
    facts = [Fact(n, "home", *draft[:4], "ann#1", 0.0, draft.path, 0.0) for n, draft in enumerate(drafts)]
    assert len(facts) > 100
    room = Room("default", max_tokens, 0.7, count_tokens)
    made = [lay_out(order, "", room) for order in (facts, *(_shuffled(facts, seed) for seed in range(1, 5)))]
    for wakeup in made:
        assert len(wakeup.placed) > 10
        assert 0.8 * max_tokens < wakeup.n_tokens < wakeup.n_flat_tokens
    assert sum(one.n_tokens for one in made) <= 0.9 * sum(one.n_flat_tokens for one in made)


def _shuffled(facts, seed):
    return random.Random(seed).sample(facts, len(facts))
