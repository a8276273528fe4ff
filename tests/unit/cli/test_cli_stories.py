"""The demo and the benches, as far as they go without running for long."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from coordinator.cli import stories


@pytest.fixture
def story(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the demo was asked for, in place of the demo."""
    asked: dict[str, Any] = {}
    stand_in = SimpleNamespace(
        run_demo=lambda **arguments: asked.update(arguments),
        job_command=lambda _settings, arguments: " ".join(["ray job submit", *arguments]),
    )
    monkeypatch.setattr(stories.importlib, "import_module", {"agents_demo.demo": stand_in}.__getitem__)
    return asked


def test_the_demo_is_asked_for_what_was_given_and_keeps_its_own_defaults(alone: Any, story: dict[str, Any]) -> None:
    assert alone("demo", "--agents", "4", "--seconds", "2.5", "--json").exit_code == 0
    assert story.pop("settings").data_dir == alone.state_dir
    assert story == {"n_agents": 4, "seconds": 2.5, "rereads": False, "as_json": True}


def test_the_job_command_carries_what_was_given(alone: Any, story: dict[str, Any]) -> None:
    assert alone("demo", "--print-job-command", "--tasks", "9").stdout == "ray job submit --tasks 9\n"
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
