"""Which tasks come up in which round, and who is given them."""

from __future__ import annotations

import pytest

from actors.runtime.errors import Misuse
from agents_demo.backlog import deal, teaching
from agents_demo.task import Task, collect
from agents_demo.tree import SourceTree


def task(path: str, number: int) -> Task:
    return Task(f"{path}::{number}", path, "f", "f", "percent_format", "0" * 16)


def tasks_in(**counts: int) -> list[Task]:
    return [task(path, number) for path, n in counts.items() for number in range(n)]


def test_each_task_is_given_to_one_agent_in_one_round():
    backlog = deal(tasks_in(a=5, b=4, c=3), n_rounds=3, n_agents=2)
    given = [number for one in backlog.rounds for dealt in one for number in dealt]
    assert sorted(given) == list(range(12))
    assert (len(backlog.rounds), {len(one) for one in backlog.rounds}, backlog.n_files) == (3, {2}, 3)


def test_within_a_round_a_file_is_one_agents_and_in_the_next_another_ones():
    backlog = deal(tasks_in(a=4, b=4), n_rounds=2, n_agents=2)
    holders = [
        {backlog.tasks[number].path: agent for agent, dealt in enumerate(one) for number in dealt}
        for one in backlog.rounds
    ]
    assert [len(one) for one in holders] == [2, 2]
    assert holders == [{"a": 0, "b": 0}, {"a": 1, "b": 1}]


def test_the_same_tasks_are_dealt_alike_and_the_first_of_each_file_go_to_all_agents():
    tasks = tasks_in(**{f"f{number}": 1 for number in range(24)})
    first, again = (deal(tasks, n_rounds=6, n_agents=4) for _ in range(2))
    assert first == again
    assert all(sum(len(one[agent]) for one in first.rounds) == 6 for agent in range(4))


@pytest.mark.parametrize(("n_rounds", "n_agents"), [(4, 1), (2, 2)])
def test_a_round_with_fewer_tasks_than_agents_is_refused_with_what_to_do(n_rounds, n_agents):
    with pytest.raises(Misuse, match=r"too few for .* rounds of .* agents: ask for fewer rounds"):
        deal(tasks_in(a=3), n_rounds=n_rounds, n_agents=n_agents)


LINE = 'def f{n}(x):\n    return "%s" % (x,)\n'


def tree_of(root, **n_functions: int) -> SourceTree:
    for path, n in n_functions.items():
        (root / path).write_text("".join(LINE.format(n=number) for number in range(n)))
    return SourceTree(root, tuple(sorted(n_functions)), 0)


def test_only_files_that_are_not_shown_whole_anyway_can_teach(tmp_path):
    tree = tree_of(tmp_path, short=200, long=201)
    found = collect(tmp_path, tree.paths)
    assert {one.path for one in teaching(tree, found, 1_000)} == {"long"}
    assert len(teaching(tree, found, 7)) == 7


def test_a_tree_of_short_files_is_refused_with_what_to_do(tmp_path):
    tree = tree_of(tmp_path, short=3)
    with pytest.raises(Misuse, match=r"none of 1 files .* name a larger source tree"):
        teaching(tree, collect(tmp_path, tree.paths), 10)
