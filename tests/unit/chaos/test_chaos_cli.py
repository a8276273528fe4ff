"""`scentfield chaos`, as scripts call it; what it runs is tested on real processes in tests/chaos."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer.testing

from coordinator.chaos import run
from coordinator.chaos.judge import Violation
from coordinator.chaos.nemesis import Deed
from coordinator.chaos.plan import KILL_ACTOR, STOP_AGENT, Plan
from coordinator.chaos.report import LOST, Report
from coordinator.cli.main import app

VIOLATIONS = (Violation("one holder", 12.5, "two hold it", ("a line",)), Violation(LOST, 13.0, "row 7 is gone"))


def report(plan: Plan, violations: tuple[Violation, ...]) -> Report:
    deeds = (Deed(KILL_ACTOR, "scent_field", 1.0, 1.5), Deed(STOP_AGENT, "agent-0-1", 2.0, 7.0))
    return Report(plan.seed, "sqlite", 30.0, plan.n_agents, deeds, 10, 5, 3, 1, (0.1, 0.2), violations)


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What `run_chaos` was called with; its report has the violations that a test puts in."""
    ran: dict[str, Any] = {"violations": ()}

    def run_chaos(plan: Plan, folder: Path, *, store_url: str | None, told: Any) -> Report:
        told(0.5, 3)
        folder.mkdir(exist_ok=True)
        ran.update(plan=plan, folder=folder, store_url=store_url)
        return report(plan, ran["violations"])

    monkeypatch.setattr(run, "run_chaos", run_chaos)
    return ran


def call(*arguments: str) -> typer.testing.Result:
    return typer.testing.CliRunner().invoke(app, ["chaos", *arguments])


def test_a_run_that_keeps_all_promises_ends_with_0_and_leaves_nothing(ran: dict[str, Any]) -> None:
    done = call("--minutes", "2", "--seed", "7", "--agents", "3", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    plan = ran["plan"]
    assert (plan.seed, plan.for_s, plan.n_agents, plan.max_faults) == (7, 120.0, 3, None)
    assert (told["seed"], told["kills"], told["stops"], told["recoveries"]) == (7, 1, 1, 1)
    assert (told["acknowledged_lost"], told["double_holders"], told["stale_writes_accepted"]) == (0, 0, 0)
    assert told["recovery_s"]["kill_actor"] == {"median": 0.5, "p99": 0.5, "max": 0.5}
    assert told["stall_s"]["max"] == 0.2
    assert told["kept"] is None
    assert "an arrived heartbeat counts" in told["rules_not_applied"]
    assert not ran["folder"].exists()


def test_a_broken_promise_ends_with_1_and_keeps_what_shows_it(ran: dict[str, Any]) -> None:
    ran["violations"] = VIOLATIONS
    done = call("--json")
    assert done.exit_code == 1
    told = json.loads(done.stdout)
    assert (told["acknowledged_lost"], told["double_holders"]) == (1, 1)
    assert told["violations"][0] == {"rule": "one holder", "at_s": 12.5, "message": "two hold it", "lines": ["a line"]}
    assert ran["folder"].exists()
    assert told["kept"] == str(ran["folder"])
    ran["folder"].rmdir()


def test_people_see_a_table_and_the_violations(ran: dict[str, Any], tmp_path: Path) -> None:
    ran["violations"] = VIOLATIONS
    done = call("--seed", "7", "--keep", str(tmp_path / "kept"))
    assert "seed 7, 8 agents, sqlite, 30 s in all" in done.stdout
    assert "kill_actor 1, stop_agent 1" in done.stdout
    assert "2 promises are broken" in done.stdout
    assert "'one holder' is broken at 12.500: two hold it\n  a line\n" in done.stdout
    assert f"stores and diaries are in {tmp_path / 'kept'}" in done.stdout


def test_faults_can_be_chosen_and_counted(ran: dict[str, Any]) -> None:
    assert call("--only", "kill_actor", "--only", "stop_agent", "--faults", "5").exit_code == 0
    assert set(ran["plan"].weights) == {"kill_actor", "stop_agent"}
    assert ran["plan"].max_faults == 5


def test_a_folder_that_is_there_already_and_unknown_faults_are_refused(ran: dict[str, Any], tmp_path: Path) -> None:
    there = call("--keep", str(tmp_path), "--json")
    assert there.exit_code == 2
    assert "is there already: name a new folder" in json.loads(there.stdout)["error"]["message"]
    unknown = call("--only", "flood", "--json")
    assert unknown.exit_code == 2
    assert "there is no fault 'flood'" in json.loads(unknown.stdout)["error"]["message"]
    assert "plan" not in ran
