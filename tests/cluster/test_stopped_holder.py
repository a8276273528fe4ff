"""Holders that stand still past their lease: what they do later is refused with the new holder's name, or reported."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from coordinator.chaos.fenced_folder import FencedFolder
from coordinator.settings import Settings

SHARED_COORDINATOR = True
pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("coordinator_up")]
Start = Callable[..., Any]
FILE = "src/a.py"


@pytest.mark.parametrize(
    "n_stops",
    [
        pytest.param(3, marks=pytest.mark.timeout(180)),
        pytest.param(50, marks=[pytest.mark.soak, pytest.mark.timeout(900)]),
    ],
)
def test_what_a_stopped_holder_does_later_is_refused_with_the_new_holder_s_name(
    start_agent: Start, tree: Path, tmp_path: Path, n_stops: int
) -> None:
    (folder := tmp_path / "resource").mkdir()
    resource = FencedFolder(folder)
    ann, bob = start_agent("ann"), start_agent("bob")
    before = (tree / FILE).read_text(encoding="utf-8")
    for _ in range(n_stops):
        held = ann.ask("claim", targets=[FILE])
        assert held["granted"]
        assert resource.write(FILE, held["generation"], ann.id, lambda: True).is_accepted
        ann.signal(signal.SIGSTOP)
        overtaken = bob.ask("claim", targets=[FILE], wait_s=30.0)
        assert overtaken["generation"] == held["generation"] + 1
        assert resource.write(FILE, overtaken["generation"], bob.id, lambda: True).is_accepted
        ann.signal(signal.SIGCONT)
        with pytest.raises(ann.Refusal, match=r"UnknownAgent.*register anew") as refused:
            ann.ask("edit", path=FILE, old="return 1", new="return 2")
        assert f"now held by {bob.id}" in refused.value.message
        late = resource.write(FILE, held["generation"], ann.id, lambda: False)
        assert (late.is_accepted, late.newest_holder) == (False, bob.id)
        assert (tree / FILE).read_text(encoding="utf-8") == before
        ann.id = ann.ask("register_anew")
        assert bob.ask("release", targets=[FILE])["n_released"] == 1


@pytest.mark.timeout(180)
def test_a_pause_between_the_last_check_and_the_rename_is_reported_by_the_new_holder_s_first_edit(
    run_alone: Start, start_agent: Start, join: Callable[..., None], settings: Settings, tree: Path, wait_until: Any
) -> None:
    ann, bob = run_alone(), start_agent("bob")
    join(ann, "ann")
    assert ann.ask("claim", targets=[FILE])["granted"]
    ann.ask("read", path=FILE)
    ann.ask("stop_at_rename", path=FILE)
    ann.tell("edit", path=FILE, old="return 1", new="return 2")
    wait_until(lambda: psutil.Process(ann.pid).status() == psutil.STATUS_STOPPED)
    overtaken = bob.ask("claim", targets=[FILE], wait_s=30.0)
    assert overtaken["granted"]
    assert "return 1" in bob.ask("read", path=FILE)["text"]
    ann.signal(signal.SIGCONT)
    slipped = ann.answer()
    assert slipped["applied"]
    assert any("your claim ended while the edit was written" in warning for warning in slipped["warnings"])
    assert "return 2" in (tree / FILE).read_text(encoding="utf-8")
    first = bob.ask("edit", path=FILE, old="def a()", new="def b()")
    assert first["applied"]
    assert any("the file was changed since you read it" in warning for warning in first["warnings"])
    missed = bob.ask("edit", path=FILE, old="return 1", new="return 3")
    assert not missed["applied"]
    assert (tree / FILE).read_text(encoding="utf-8") == "def b():\n    return 2\n"
