"""The demo of learning on real Ray: what it tells is what the stores say, and learning that is off is not used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.errors import Misuse
from agents_demo.backlog import deal, teaching
from agents_demo.course import Course, Round
from agents_demo.crew import Crew
from agents_demo.evidence import Evidence, take_evidence
from agents_demo.learning_demo import run_learning
from agents_demo.stage import Stage
from agents_demo.task import collect
from agents_demo.tree import copy_tree
from coordinator.client import Coordinator
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(240)]

BODY = "".join(f"    y{number} = x + {number}\n" for number in range(16))
BUSY = "def f{n}(x):\n" + BODY + '    p = "%s" % (x,)\n    return p\n\n\n'
QUIET = "def f{n}(x):\n" + BODY + "    return x\n\n\n\n"
TOP = 'NAME = "%s" % ("x",)\n\n\n'


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Ten files, too long to be shown whole anyway: two with many tasks in functions, eight with one at the top.

    No part of a file shows the one at the top alone; and whoever quotes it from memory has the quotes wrong.
    """
    root = tmp_path / "source"
    root.mkdir()
    for name in "abcdefghij":
        top, function = ("", BUSY) if name in "ab" else (TOP, QUIET)
        (root / f"{name}.py").write_text(top + "".join(function.format(n=n) for n in range(22)), encoding="utf-8")
    return root


def run_course(settings: Settings, source: Path, folder: Path, *, learns: bool) -> tuple[list[Round], Evidence]:
    """Two rounds of two agents on the test's own coordinator, and what that says afterwards."""
    original = copy_tree(folder / "original", source=source)
    backlog = deal(teaching(original, collect(original.root, original.paths), 40), n_rounds=2, n_agents=2)
    tree = Stage(original, backlog.tasks).copy("course")
    done: list[int] = []
    with Crew(["agent-1", "agent-2"], folder) as crew:
        rounds = Course(crew, backlog, original.root, tree, settings, 0.0, learns).run(done.append)
    assert max(done) == len(backlog.tasks)
    with Coordinator.connect(agent="judge", root=tree, settings=settings) as judge:
        return rounds, take_evidence(judge)


def total(rounds: list[Round], key: str) -> int:
    return sum(one.to_json()[key] for one in rounds)


def test_what_the_rounds_tell_is_what_the_stores_say_and_what_the_agents_saw(
    coordinator_up: Settings, source: Path, tmp_path: Path
) -> None:
    rounds, store = run_course(coordinator_up, source, tmp_path, learns=True)
    turns = [turn for one in rounds for turn in one.turns]
    ledger = store.statistics.ledger
    assert total(rounds, "tasks") == 40
    assert total(rounds, "reads") == sum(row.n_reads for row in ledger) > 0
    assert total(rounds, "views") == sum(row.n_views for row in ledger) == sum(len(turn.looks) for turn in turns)
    assert total(rounds, "bounces") == sum(row.n_bounces for row in ledger) > 0
    assert total(rounds, "clean") == sum(row.n_clean for row in ledger)
    told = sum((Counter(one.to_json()["edits_failed"]) for one in rounds), Counter[str]())
    assert told == store.edits_failed == sum((Counter(turn.failures) for turn in turns), Counter[str]())
    assert told["not_shown"] > 0
    rules = sum((Counter(one.to_json()["views_by"]) for one in rounds), Counter[str]())
    assert rules == store.views_by == Counter(turn.looks[0].source for turn in turns)
    [learned] = store.learning.deltas
    assert learned.n_signals == sum(store.signals("py").values()) > 0
    assert rounds[-1].after.to_json() == store.to_json()


def test_learning_that_is_off_has_no_say_whatever_comes_of_the_views(
    coordinator_up: Settings, source: Path, tmp_path: Path
) -> None:
    rounds, store = run_course(coordinator_up, source, tmp_path, learns=False)
    turns = [turn for one in rounds for turn in one.turns]
    assert {turn.looks[0] for turn in turns} == {("map", "map_over_400_lines")}
    assert total(rounds, "bounces") > 0  # there was something to learn from
    assert store.views_by == Counter()
    assert (store.statistics.penalties, store.statistics.escalations_served) == ((), 0)


def test_the_document_has_both_arms_and_the_difference_adds_up(
    settings: Settings, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = partial(run_learning, n_agents=2, n_tasks=24, think_ms=0.0, source=source, settings=settings)
    document = run(n_rounds=2, as_json=True, keep=tmp_path / "kept")
    assert json.loads(capsys.readouterr().out) == document
    assert json.loads((tmp_path / "kept" / "outcome.json").read_text(encoding="utf-8")) == document
    _check_document(document)
    with pytest.raises(Misuse, match="too few for 20 rounds"):
        run(n_rounds=20)


def _check_document(document: dict[str, Any]) -> None:
    assert (document["agents"], document["rounds"], document["tasks"]) == (2, 2, 24)
    assert set(document) == {
        *("agents", "agents_with_memory", "rounds", "tasks", "files", "files_with_tasks", "think_ms"),
        *("learning_on", "learning_off", "learned", "effect"),
    }
    for name in ("learning_on", "learning_off"):
        arm = document[name]
        assert (len(arm["rounds"]), arm["tasks_done"], arm["updates_lost"], arm["files_changed"]) == (2, 24, 0, {})
        assert arm["tokens_read_net"] == sum(one["tokens_read_net"] for one in arm["rounds"])
    assert set(document["learned"]) == {
        *("thresholds", "costs", "bounce_rates", "pairs", "paths", "escalations", "touched_paths"),
    }
    effect = document["effect"]
    difference = sum(row["difference"] for row in effect["by_rule"])
    assert difference == effect["tokens_on"] - effect["tokens_off"]
    assert effect["tokens_on"] == document["learning_on"]["tokens_read"]
    assert document["learning_off"]["rounds"][0]["views_by"] == {}


def test_the_command_line_tells_it_in_one_document_and_runs_as_a_module(settings: Settings, tmp_path: Path) -> None:
    named = {"SCENTFIELD_ADDRESS": str(settings.address), "SCENTFIELD_NAMESPACE": settings.namespace}
    environment = {**os.environ, **named, "SCENTFIELD_DATA_DIR": str(tmp_path / "state")}
    options = ("--learn", "--rounds", "1", "--agents", "2", "--tasks", "8", "--think-ms", "0", "--json")
    told = subprocess.run(
        [sys.executable, "-P", "-m", "agents_demo.demo", *options],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    document = json.loads(told.stdout)
    assert (document["tasks"], len(document["learning_on"]["rounds"])) == (8, 1)
