"""The demo and the benches, as far as they go without running for long."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agents_demo import demo


@pytest.fixture
def story(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the demo was asked for, in place of the demo."""
    asked: dict[str, Any] = {}
    monkeypatch.setattr(demo, "run_demo", lambda **arguments: asked.update(arguments))
    monkeypatch.setattr(demo, "run_learning", lambda **arguments: asked.update(arguments, learns=True))
    monkeypatch.setattr(demo, "run_lessons", lambda **arguments: asked.update(arguments, lessons=True))
    monkeypatch.setattr(demo, "job_command", lambda _settings, arguments: " ".join(["ray job submit", *arguments]))
    return asked


def test_the_demo_is_asked_for_what_was_given_and_keeps_its_own_defaults(alone: Any, story: dict[str, Any]) -> None:
    assert alone("demo", "--agents", "4", "--seconds", "2.5", "--json").exit_code == 0
    assert story.pop("settings").data_dir == alone.state_dir
    assert story == {"n_agents": 4, "seconds": 2.5, "as_json": True, "keep": None}


def test_the_demo_of_learning_is_asked_for_what_was_given(alone: Any, story: dict[str, Any]) -> None:
    assert alone("demo", "--learn", "--rounds", "3", "--agents", "2", "--json").exit_code == 0
    del story["settings"]
    assert story == {"learns": True, "n_rounds": 3, "n_agents": 2, "as_json": True, "keep": None}


def test_the_demo_of_lessons_is_asked_for_what_was_given(alone: Any, story: dict[str, Any]) -> None:
    assert alone("demo", "--lessons", "--rounds", "3", "--tasks", "40", "--json").exit_code == 0
    del story["settings"]
    assert story == {"lessons": True, "n_rounds": 3, "n_tasks": 40, "as_json": True, "keep": None}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rounds", "3"), "give --learn or --lessons"),
        (("--learn", "--lessons"), "two stories"),
        (("--lessons", "--seconds", "3"), "leave --seconds and --reread out"),
        (("--lessons", "--agents", "3"), "leave --agents out"),
        (("--lessons", "--rounds", "0"), "0 rounds: ask for 1 to 20"),
        (("--lessons", "--rounds", "21"), "21 rounds: ask for 1 to 20"),
        (("--lessons", "--tasks", "0"), "0 tasks: ask for 1 at least"),
        (("--learn", "--seconds", "3"), "leave --seconds and --reread out"),
        (("--learn", "--reread"), "leave --seconds and --reread out"),
        (("--learn", "--rounds", "0"), "0 rounds: ask for 1 to 50"),
        (("--learn", "--rounds", "51"), "51 rounds: ask for 1 to 50"),
        (("--learn", "--agents", "65"), "65 agents: ask for 1 to 64"),
        (("--learn", "--tasks", "0"), "0 tasks: ask for 1 at least"),
        (("--learn", "--think-ms", "-1"), "ask for 0 to 60,000 ms"),
    ],
)
def test_an_impossible_demo_of_learning_is_misuse(alone: Any, arguments: tuple[str, ...], message: str) -> None:
    error = alone.json("demo", *arguments, expect=2)["error"]
    assert error["code"] == "misuse"
    assert message in error["message"]


def test_the_job_command_carries_what_was_given(alone: Any, story: dict[str, Any]) -> None:
    assert alone("demo", "--print-job-command", "--tasks", "9").stdout == "ray job submit --tasks 9\n"
    assert alone("demo", "--print-job-command", "--learn", "--rounds", "2").stdout == (
        "ray job submit --learn --rounds 2\n"
    )
    assert alone("demo", "--print-job-command", "--lessons").stdout == "ray job submit --lessons\n"
    assert alone("demo", "--print-job-command", "--reread").stdout == "ray job submit --reread\n"
    assert story == {}


def test_the_job_needs_a_head(alone: Any) -> None:
    assert alone.json("demo", "--print-job-command", expect=4)["error"]["code"] == "unavailable"


def test_an_impossible_demo_is_misuse(alone: Any) -> None:
    assert alone.json("demo", "--agents", "0", expect=2)["error"]["code"] == "misuse"


def test_an_unknown_bench_is_misuse(alone: Any) -> None:
    assert alone.json("bench", "nope", expect=2)["error"]["code"] == "misuse"


def test_help_loads_nothing_that_is_slow(tmp_path: Path) -> None:
    slow = "{'ray', 'pydantic', 'sqlalchemy', 'agents_demo', 'prometheus_client', 'coordinator.core'}"
    code = f"import sys, coordinator.cli.main; print(sorted({slow} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
