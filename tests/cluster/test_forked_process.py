"""Ray does not survive a fork: a forked agent gets an error that says what to do, and never hangs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coordinator.settings import Settings

SHARED_COORDINATOR = True
pytestmark = [pytest.mark.cluster, pytest.mark.timeout(120)]


def test_a_forked_process_is_told_to_spawn_and_its_parent_keeps_its_claims(
    run_alone: Callable[..., Any], coordinator_up: Settings, tree: Path
) -> None:
    ann = run_alone()
    ann.ask("connect", settings=coordinator_up.model_dump(mode="json"), agent="ann", root=str(tree))
    held = ann.ask("claim", targets=["src/a.py"])
    said = ann.ask("fork", settings=coordinator_up.model_dump(mode="json"), root=str(tree))
    assert [one.partition(":")[0] for one in said] == ["Misuse", "Misuse"]
    assert all("spawn" in one for one in said)
    assert ann.ask("check", path="src/a.py", generation=held["generation"])["holds"]
    assert ann.ask("valid") == [True]
