"""A run of two agents in sequence in one process, on real stores and copies of them: what the second one is shown."""

from __future__ import annotations

import contextlib
from collections import deque
from itertools import count
from pathlib import Path

import pytest

from agents_demo import relay
from agents_demo.agent import Agent, equipped, memory_of
from agents_demo.backlog import deal, teaching
from agents_demo.crew import Heard
from agents_demo.lesson_effect import effect_of, tendency
from agents_demo.relay import BY_SIZE, LEARNED, Relay
from agents_demo.stage import Stage
from agents_demo.task import collect
from agents_demo.tree import copy_tree
from coordinator.client import Coordinator
from coordinator.settings import Settings

BODY = "".join(f"    y{number} = x + {number}\n" for number in range(16))
QUIET = "def f{n}(x):\n" + BODY + "    return x\n\n\n\n"
TOP = "".join(f'NAME_{n} = "%s" % ("x",)  # quoted like this\n' for n in range(4)) + "\n\n"
"""Four places that no part of the file shows alone; who quotes them from memory has them without the comments."""


class InlineCrew:
    """One agent, which does all its work when it is told to go."""

    def __init__(self, _names, _folder) -> None:
        self.heard = deque()

    def __enter__(self):
        return self

    def __exit__(self, *_exc) -> None:
        pass

    def assign(self, assignment) -> None:
        self.assignment = assignment
        self.say({"event": "ready"})

    def say(self, event) -> None:
        self.heard.append(Heard(self.assignment.name, event))

    def go(self) -> None:
        clock = count()
        with equipped(self.assignment, self.say) as equipment:
            Agent(
                self.assignment.name,
                equipment,
                say=self.say,
                clock=lambda: float(next(clock)),
                think=lambda: None,
                recall=memory_of(self.assignment),
            ).work()
        self.say({"event": "end"})

    def hear(self, _within_s):
        return self.heard.popleft() if self.heard else None


@pytest.fixture
def run(make_field, tmp_path, monkeypatch):
    """`run(number, views)`: the outcome of one run over two files with four tasks each."""
    hosts = []

    @contextlib.contextmanager
    def coordinator_for(settings, folder: Path, namespace):
        folder.mkdir(exist_ok=True)
        field = make_field(folder)
        field.settings = field.settings.model_copy(update={"holdout_share": settings.holdout_share, "ttl_s": 86_400.0})
        hosts.append((folder.name, namespace, field))
        yield settings.model_copy(update={"data_dir": folder})
        field.pass_time(2)
        field.close()

    @contextlib.contextmanager
    def connect(*, agent, root, **_more):
        coordinator = hosts[-1][2].join(agent, Path(root))
        yield coordinator
        coordinator.close()

    monkeypatch.setattr(relay, "coordinator_for", coordinator_for)
    monkeypatch.setattr(relay, "Crew", InlineCrew)
    monkeypatch.setattr(Coordinator, "connect", staticmethod(connect))
    source = tmp_path / "source"
    source.mkdir()
    for name in "ab":
        (source / f"{name}.py").write_text(TOP + "".join(QUIET.format(n=n) for n in range(22)), encoding="utf-8")
    original = copy_tree(tmp_path / "work" / "original", source=source)
    tasks = teaching(original, collect(original.root, original.paths), 8)
    backlog = deal(tasks, n_rounds=2, n_agents=1)
    stage = Stage(original, backlog.tasks)
    (tmp_path / "state").mkdir()
    settings = Settings(data_dir=tmp_path / "own", holdout_share=0.0)

    def perform(number, views):
        told = []
        one = Relay(number, views, stage, backlog, settings, tmp_path / "state", 0.0)
        outcome = one.run(lambda leg, n_done: told.append((leg, n_done)))
        return outcome, told, [(name, namespace) for name, namespace, _ in hosts[-3:]]

    return perform


def test_the_second_agent_misses_less_with_lessons_and_nothing_else_differs(run):
    outcome, told, hosts = run(1, BY_SIZE)
    first, with_, without = (outcome[leg] for leg in relay.LEGS)
    assert [leg["tasks_done"] for leg in (first, with_, without)] == [4, 4, 4]
    assert outcome["playbook"]["session"] == "first-1#1"
    assert outcome["playbook"]["mended"] == 2
    assert (sum(first["edits_failed"].values()), sum(without["edits_failed"].values())) == (4, 4)
    assert (with_["edits_failed"], with_["tasks_with_lessons"]) == ({}, 4)
    assert (first["lessons_shown"], without["lessons_shown"]) == (0, 0)
    for arm in (with_, without):
        assert (arm["updates_lost"], arm["files_changed"], arm["files_unparsable"]) == (0, {}, {})
    assert tendency(effect_of([outcome])["edits_failed"]) == "fewer"
    assert [n_done for leg, n_done in told if leg == "with_lessons"][-1] == 4
    assert [name for name, _ in hosts] == [f"by_size-1-{leg}" for leg in relay.LEGS]
    assert len({namespace for _, namespace in hosts}) == 1


def test_with_views_as_learned_both_arms_go_on_from_the_same_and_halves_change_places(run):
    outcome, _, _ = run(2, LEARNED)
    first, with_, without = (outcome[leg] for leg in relay.LEGS)
    assert (outcome["run"], outcome["views"]) == (2, LEARNED)
    assert [leg["tasks_done"] for leg in (first, with_, without)] == [4, 4, 4]
    assert sum(with_["edits_failed"].values()) <= sum(without["edits_failed"].values())
