"""Two agents in sequence on real Ray: the second goes on from the files and stores of the first, in two arms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.errors import Misuse
from agents_demo.lesson_demo import run_lessons
from agents_demo.lesson_effect import verdict
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(900)]

BODY = "".join(f"    y{number} = x + {number}\n" for number in range(16))
QUIET = "def f{n}(x):\n" + BODY + "    return x\n\n\n\n"
TOP = "".join(f'NAME_{n} = "%s" % ("x",)  # quoted like this\n' for n in range(4)) + "\n\n"
"""Four places that no part of the file shows alone, and that who quotes them from memory has without the comments."""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Six files, too long to be shown whole anyway, each with four tasks that an edit from memory misses."""
    root = tmp_path / "source"
    root.mkdir()
    for name in "abcdef":
        (root / f"{name}.py").write_text(TOP + "".join(QUIET.format(n=n) for n in range(22)), encoding="utf-8")
    return root


def test_a_second_agent_with_lessons_misses_no_edit_that_the_first_one_missed(
    settings: Settings, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: dict[str, Any] = {"n_tasks": 24, "source": source, "settings": settings, "as_json": True}
    document = run_lessons(n_rounds=1, keep=tmp_path / "kept", **asked)
    assert json.loads(capsys.readouterr().out) == document
    run, learned = document["runs"]
    assert (run["views"], learned["views"]) == ("by_size", "learned")
    first, with_, without = run["first"], run["with_lessons"], run["without_lessons"]
    assert (document["tasks"], document["files_with_tasks"]) == (24, 6)
    assert [leg["tasks_done"] for leg in (first, with_, without)] == [12, 12, 12]
    assert run["playbook"]["mended"] > 0
    assert sum(first["edits_failed"].values()) > 0
    assert with_["tasks_with_lessons"] > 0
    assert without["lessons_shown"] == 0
    assert sum(with_["edits_failed"].values()) < sum(without["edits_failed"].values())
    for arm in (with_, without, learned["with_lessons"], learned["without_lessons"]):
        assert (arm["updates_lost"], arm["files_changed"], arm["files_unparsable"]) == (0, {}, {})
    assert verdict(document["effect"]).startswith("with lessons: views by size: fewer failed edits")
    assert learned["without_lessons"]["lessons_shown"] == 0
    with pytest.raises(Misuse, match="too few"):
        run_lessons(**{**asked, "n_tasks": 1})
