"""`scentfield simulate`, as scripts call it."""

import json
from typing import Any

import pytest
import typer.testing

from coordinator.cli.main import app
from coordinator.simulation import campaign, planted, verdict
from coordinator.simulation.planted import Caught, PlantedBug
from coordinator.simulation.verdict import Verdict, Violation

VIOLATION = Violation(1, "one holder", 2.5, "two hold it", ("4: a line",))


def document(*arguments: str, exit_code: int) -> Any:
    done = typer.testing.CliRunner().invoke(app, ["simulate", *arguments, "--json"])
    assert done.exit_code == exit_code, done.output
    return json.loads(done.stdout)


def test_a_campaign_without_violations_ends_with_0() -> None:
    told = document("--seeds", "2", "--steps", "80", "--agents", "3", exit_code=0)
    assert told == {"seeds": 2, "steps": 80, "violations": 0, "first_violation": None}


def test_a_violation_ends_with_1_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(seed: int, **_sizes: Any) -> Verdict:
        return Verdict(seed, 5, 9, (VIOLATION,) if seed == 1 else ())

    monkeypatch.setattr(campaign, "judge_seed", judge)
    told = document("--seeds", "3", "--steps", "5", exit_code=1)
    assert told == {"seeds": 3, "steps": 5, "violations": 1, "first_violation": VIOLATION.document()}
    text = typer.testing.CliRunner().invoke(app, ["simulate", "--seeds", "3", "--steps", "5", "--agents", "4"])
    assert text.exit_code == 1
    assert "seed 1 breaks 'one holder' at 2.500000: two hold it\n  4: a line\n" in text.stdout
    assert "replay it with: scentfield simulate --seed 1 --steps 5 --agents 4" in text.stdout


def test_one_seed_is_replayed_line_by_line() -> None:
    done = typer.testing.CliRunner().invoke(app, ["simulate", "--seed", "3", "--steps", "60", "--agents", "3"])
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert "opens the store: epoch 1" in lines[0]
    assert lines[-1].endswith("the end")
    told = document("--seed", "3", "--steps", "60", "--agents", "3", exit_code=0)
    assert told["history"] == lines
    assert (told["seeds"], told["seed"], told["violations"], told["first_violation"]) == (1, 3, 0, None)


def test_a_replay_that_breaks_a_promise_ends_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    finding = verdict.Finding("one holder", 0.0, "two hold it", (0,))
    monkeypatch.setattr(verdict, "check", lambda _history, _terms: [finding])
    told = document("--seed", "3", "--steps", "20", exit_code=1)
    assert told["violations"] == 1
    assert told["first_violation"]["message"] == "two hold it"
    assert told["first_violation"]["lines"][0].startswith("1:     0.000000")


def test_planted_bugs_are_told_by_name_and_one_that_is_missed_ends_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def hunt(bug: PlantedBug, **_sizes: Any) -> Caught:
        return Caught(bug.name, None if bug.name == "early_expiry" else 3, 1.0, "a rule", "a message")

    monkeypatch.setattr(planted, "hunt_bug", hunt)
    found = document("--planted", "no_epoch_check", exit_code=0)
    assert [(one["name"], one["found"], one["seed"]) for one in found["planted"]] == [("no_epoch_check", True, 3)]
    all_of_them = document("--planted", "all", exit_code=1)["planted"]
    assert [one["name"] for one in all_of_them if not one["found"]] == ["early_expiry"]
    assert len(all_of_them) >= 12


@pytest.mark.parametrize(
    "arguments",
    [("--seed", "1", "--planted", "all"), ("--planted", "nope"), ("--seeds", "0"), ("--agents", "0"), ("--seed", "-1")],
)
def test_what_cannot_be_asked_is_refused_as_usage(arguments: tuple[str, ...]) -> None:
    assert document(*arguments, exit_code=2)["error"]["code"] in ("misuse", "usage")
