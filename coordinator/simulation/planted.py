"""Bugs that were planted on purpose, to see that the simulation finds them.

Each is a patch to the real source. It is applied to a temporary copy of the house, never to the house itself, and a
process of its own hunts there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from actors.runtime.errors import Misuse
from coordinator.processor import n_processors

N_SEEDS: Final = 200
_PACKAGES: Final = ("actors", "coordinator")
_ROOT: Final = Path(__file__).parents[2]
_FOLDER: Final = Path("tests", "simulation", "planted")
_TIMEOUT_S: Final = 900.0


@dataclass(frozen=True, slots=True)
class PlantedBug:
    """A patch, and in one line what it breaks."""

    name: str
    patch: Path

    @property
    def about(self) -> str:
        """The patch's first line."""
        return self.patch.read_text(encoding="utf-8").partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Caught:
    """What came of the hunt for a planted bug; `seed` is the first that shows it."""

    name: str
    seed: int | None
    seconds: float
    rule: str = ""
    message: str = ""

    def document(self) -> dict[str, Any]:
        """The result for programs."""
        return {
            "name": self.name,
            "found": self.seed is not None,
            "seed": self.seed,
            "rule": self.rule,
            "message": self.message,
            "seconds": round(self.seconds, 1),
        }


def planted_bugs(root: Path = _ROOT) -> list[PlantedBug]:
    """All of them, by name. Raises `Misuse` where there is no checkout, as patches are not part of the package."""
    folder = root / _FOLDER
    if not folder.is_dir():
        raise Misuse(
            f"the planted bugs are patches to the source and live in a checkout, in {_FOLDER}/; {root} has none: "
            "clone the repository and run it there"
        )
    return [PlantedBug(patch.stem, patch) for patch in sorted(folder.glob("*.patch"))]


def chosen_bugs(name: str, root: Path = _ROOT) -> list[PlantedBug]:
    """The bug of that name, or `all`. Raises `Misuse` for an unknown name."""
    bugs = planted_bugs(root)
    chosen = bugs if name == "all" else [bug for bug in bugs if bug.name == name]
    if not chosen:
        raise Misuse(f"no bug called {name!r} is planted: take all, or one of {', '.join(bug.name for bug in bugs)}")
    return chosen


def hunt_all(
    bugs: Sequence[PlantedBug],
    *,
    n_steps: int,
    n_agents: int,
    n_seeds: int = N_SEEDS,
    told: Callable[[Caught], None] = lambda _: None,
) -> list[Caught]:
    """Look for each in its own copy of the house, as many at once as there are processors; in their order."""

    def hunt_one(bug: PlantedBug) -> Caught:
        caught = hunt_bug(bug, n_seeds=n_seeds, n_steps=n_steps, n_agents=n_agents)
        told(caught)
        return caught

    with ThreadPoolExecutor(n_processors()) as pool:
        return list(pool.map(hunt_one, bugs))


def hunt_bug(bug: PlantedBug, *, n_seeds: int, n_steps: int, n_agents: int, root: Path = _ROOT) -> Caught:
    """Plant the bug in a copy and look for it. Raises `Misuse` if its patch no longer applies."""
    started_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="scentfield-planted-") as folder:
        house = Path(folder).resolve()
        plant_in_copy(bug, house, root)
        found = _hunt_in(house, n_seeds, n_steps, n_agents)
    seconds = time.monotonic() - started_s
    if found["seed"] is None:
        return Caught(bug.name, None, seconds)
    return Caught(bug.name, found["seed"], seconds, found["violation"]["rule"], found["violation"]["message"])


def plant_in_copy(bug: PlantedBug, house: Path, root: Path = _ROOT) -> None:
    """Copy the house to an empty folder and plant the bug there. Raises `Misuse` if its patch no longer applies."""
    for package in _PACKAGES:
        shutil.copytree(root / package, house / package, ignore=shutil.ignore_patterns("__pycache__"))
    _plant(bug, house)


def _plant(bug: PlantedBug, house: Path) -> None:
    """Apply the patch with Git: its lines and one beside them must be as they were, whatever else has changed."""
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(house.parent)}
    done = subprocess.run(
        ["git", "apply", "-p1", "-C1", str(bug.patch)],
        cwd=house,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise Misuse(
            f"the planted bug {bug.name!r} no longer applies ({' '.join(done.stderr.split())}): the source has changed "
            f"since, so make {bug.patch.name} anew against it"
        )


def _hunt_in(house: Path, n_seeds: int, n_steps: int, n_agents: int) -> dict[str, Any]:
    command = [sys.executable, "-P", "-m", "coordinator.simulation.hunt", *map(str, (n_seeds, n_steps, n_agents))]
    environment = {**os.environ, "PYTHONPATH": str(house)}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False, cwd=house
    )
    if done.returncode != 0:
        raise Misuse(f"the hunt in {house} broke: {done.stderr[-2_000:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    if Path(found["house"]).resolve() != house:
        raise Misuse(f"the hunt judged {found['house']} and not the copy {house}: something is before it on the path")
    return found
