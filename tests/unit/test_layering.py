"""The house points downwards and the machines do no I/O: the contracts stand in pyproject.toml."""

import shutil
import subprocess
import sysconfig
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
LINT_IMPORTS = Path(sysconfig.get_path("scripts")) / "lint-imports"


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([LINT_IMPORTS, "--no-cache"], cwd=folder, capture_output=True, text=True, timeout=60)


def copy_of_the_house(folder: Path) -> Path:
    for package in ("actors", "coordinator", "agents_demo"):
        shutil.copytree(REPOSITORY / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "pyproject.toml", folder)
    return folder


def test_every_import_keeps_the_contracts() -> None:
    done = lint(REPOSITORY)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_import_that_points_upwards_is_caught(tmp_path: Path) -> None:
    house = copy_of_the_house(tmp_path)
    (house / "actors" / "scent_field" / "upwards.py").write_text("import coordinator\n")
    done = lint(house)
    assert done.returncode == 1
    assert "actors.scent_field.upwards -> coordinator" in done.stdout


def test_a_machine_that_reads_the_clock_is_caught(tmp_path: Path) -> None:
    house = copy_of_the_house(tmp_path)
    (house / "actors" / "scent_field" / "clocked.py").write_text("import time\n")
    done = lint(house)
    assert done.returncode == 1
    assert "actors.scent_field.clocked -> time" in done.stdout
