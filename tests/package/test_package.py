"""The wheel alone is enough: it installs into an empty environment and runs far away from the checkout."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import uv

pytestmark = pytest.mark.timeout(300)

REPOSITORY = Path(__file__).parents[2]
PACKAGES = ("actors", "coordinator", "agents_demo")


def run(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run with an environment that knows nothing of the one the tests run in, and expect success."""
    done = attempt(*command, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def attempt(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that neither old build output gets in nor new one stays in the checkout."""
    source = tmp_path_factory.mktemp("source")
    for package in PACKAGES:
        shutil.copytree(REPOSITORY / package, source / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, source)
    run(sys.executable, "-m", "build", "--quiet", "--wheel", "--no-isolation", folder=source)
    (built,) = (source / "dist").glob("scentfield-*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that holds the wheel and what the wheel itself asks for, at the versions of the lock."""
    folder = tmp_path_factory.mktemp("environment")
    binary = uv.find_uv_bin()
    run(binary, "venv", "--quiet", "--python", sys.executable, folder / "venv", folder=folder)
    python = folder / "venv" / "bin" / "python"
    lock = REPOSITORY / "requirements.lock"
    run(binary, "pip", "install", "--quiet", "--python", python, "--constraint", lock, wheel, folder=folder)
    return folder / "venv" / "bin"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder of a user who has an `actors` package already."""
    (tmp_path / "actors").mkdir()
    (tmp_path / "actors" / "__init__.py").write_text("raise RuntimeError('not yours')\n")
    return tmp_path


def test_the_wheel_holds_the_packages_their_type_markers_and_the_licence(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == set(PACKAGES)
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(names)
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_every_module_of_the_checkout_is_in_the_wheel(wheel: Path) -> None:
    modules = {
        path.relative_to(REPOSITORY).as_posix() for package in PACKAGES for path in (REPOSITORY / package).rglob("*.py")
    }
    assert modules <= set(zipfile.ZipFile(wheel).namelist())


def test_the_files_of_the_page_are_in_the_wheel(wheel: Path) -> None:
    files = {
        path.relative_to(REPOSITORY).as_posix() for path in (REPOSITORY / "coordinator" / "page" / "asset").iterdir()
    }
    assert "coordinator/page/asset/index.html" in files
    assert files <= set(zipfile.ZipFile(wheel).namelist())


def test_the_wheel_alone_writes_the_boards(environment: Path, tmp_path: Path) -> None:
    run(environment / "scentfield", "boards", "export", tmp_path / "boards", folder=tmp_path)
    shipped = REPOSITORY / "coordinator" / "boards" / "shipped"
    for kind, folder in (("dashboards", "grafana/dashboards"), ("rules", "rules")):
        files = sorted((shipped / kind).iterdir())
        assert files
        for file in files:
            assert (tmp_path / "boards" / folder / file.name).read_bytes() == file.read_bytes()


def test_coordinator_imports_outside_the_checkout(environment: Path, tmp_path: Path) -> None:
    done = run(environment / "python", "-c", "import coordinator; print(coordinator.__file__)", folder=tmp_path)
    assert Path(done.stdout.strip()).is_relative_to(environment.parent)


def test_the_command_runs_also_beside_a_foreign_actors_package(environment: Path, project: Path) -> None:
    assert "Usage" in run(environment / "scentfield", "--help", folder=project).stdout


def test_python_beside_a_foreign_actors_package_is_told_what_to_do(environment: Path, project: Path) -> None:
    done = attempt(environment / "python", "-c", "import coordinator", folder=project)
    assert done.returncode == 1
    assert "shadowed by" in done.stderr
    assert "not yours" not in done.stderr
    run(environment / "python", "-P", "-c", "import coordinator", folder=project)
