"""A user's own project has a folder `actors/`: Scentfield works from there, or says what shadows it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from coordinator.domain import DOMAINS, EMBEDDING
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(120)]
CREATED = f"created {len([*DOMAINS, EMBEDDING])}"
SCRIPT = """
import json, sys
from coordinator import Coordinator, Settings
from coordinator.cluster import up

settings = Settings(**json.loads(sys.argv[1]))
print("created", len(up(settings).created))
with Coordinator.connect(agent="ann", settings=settings) as ann:
    print("granted", bool(ann.claim("actors/__init__.py")))

    import ray

    @ray.remote(num_cpus=0)
    def work(agent):
        return bool(agent.claim("task:inside"))

    print("task", ray.get(work.remote(ann), timeout=60))
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose `actors` must never be imported for ours."""
    (tmp_path / "project" / "actors").mkdir(parents=True)
    (tmp_path / "project" / "actors" / "__init__.py").write_text("raise RuntimeError('the user\\'s own actors')\n")
    return tmp_path / "project"


def _run(script: Path, project: Path, settings: Settings) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(script), json.dumps(settings.model_dump(mode="json"))]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=80)


def test_a_command_that_runs_in_such_a_project_works_whole(
    settings: Settings, project: Path, tmp_path: Path, take_away: Callable[[Settings], None]
) -> None:
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "run.py"
    script.write_text(SCRIPT, encoding="utf-8")
    done = _run(script, project, settings)
    assert done.stdout.splitlines() == [CREATED, "granted True", "task True"], done.stderr[-3000:]
    assert done.returncode == 0
    _take_away_from_here(settings, take_away)


def _take_away_from_here(settings: Settings, take_away: Callable[[Settings], None]) -> None:
    from coordinator.cluster import attach

    attach(settings)
    take_away(settings)


def test_a_script_in_such_a_project_is_told_what_shadows_what(settings: Settings, project: Path) -> None:
    script = project / "run.py"
    script.write_text(SCRIPT, encoding="utf-8")
    done = _run(script, project, settings)
    assert done.returncode == 1
    assert "ImportError" in done.stderr
    assert str(project / "actors" / "__init__.py") in done.stderr
    assert "shadowed" in done.stderr
