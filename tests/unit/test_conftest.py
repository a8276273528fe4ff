"""The rules of tests/conftest.py, seen from outside: pytest over a small suite, once for each way of running it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = {
    "pytest.ini": "[pytest]\naddopts = --import-mode=importlib\nmarkers =\n  soak:\n",
    "cluster/test_far.py": "def test_far(): pass\n",
    "package/test_built.py": "def test_built(): pass\n",
    "simulation/test_seeds.py": "def test_seeds(): pass\n",
    "unit/test_optional.py": "import pytest\npytest.skip('missing system package: postgresql', allow_module_level=1)\n",
    "unit/test_rules.py": """
import pytest
from hypothesis import settings

def test_deadline(): assert settings().deadline is None

@pytest.mark.soak
def test_soak(record_property):
    record_property("figures", {"kills": 200})
    assert settings().max_examples == 5_000

@pytest.mark.xfail(strict=True)
def test_known_to_fail(): assert False

def test_store(): pytest.skip("missing system package: postgresql")

def test_page(): pytest.skip("missing system package: chromium")
""",
}


class Run:
    """What a pytest over the suite printed, and its exit code."""

    def __init__(self, folder: Path, *options: str, ci: str) -> None:
        for name, text in SUITE.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)
        shutil.copy(Path(__file__).parents[1] / "conftest.py", folder)
        environment = {**os.environ, "CI": ci, "PYTEST_ADDOPTS": ""}
        command = [sys.executable, "-m", "pytest", "-v", *options]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
        self.code = done.returncode
        self.lines = done.stdout.splitlines()

    @property
    def counts(self) -> str:
        return self.lines[-1].strip("= ").partition(" in ")[0]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return Run(tmp_path_factory.mktemp("plain"), ci="")


@pytest.fixture(scope="module")
def in_ci(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return Run(tmp_path_factory.mktemp("in_ci"), "--continue-on-collection-errors", ci="true")


@pytest.fixture(scope="module")
def soak(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return Run(tmp_path_factory.mktemp("soak"), "--soak", ci="")


def test_a_skip_is_no_failure_on_a_developers_machine(plain: Run) -> None:
    assert (plain.code, plain.counts) == (0, "4 passed, 4 skipped, 1 xfailed")


def test_what_misses_a_system_package_is_named_just_above_the_counts(plain: Run) -> None:
    assert plain.lines[-2] == (
        "skipped for missing system packages: chromium: unit/test_rules.py::test_page; "
        "postgresql: unit/test_optional.py, unit/test_rules.py::test_store"
    )


def test_cheap_tests_run_first_and_the_package_is_built_last(plain: Run) -> None:
    passed = [line.split()[0] for line in plain.lines if " PASSED " in line]
    assert passed == [
        "unit/test_rules.py::test_deadline",
        "cluster/test_far.py::test_far",
        "simulation/test_seeds.py::test_seeds",
        "package/test_built.py::test_built",
    ]


def test_in_ci_each_skip_is_a_failure_except_of_a_soak_test(in_ci: Run) -> None:
    assert (in_ci.code, in_ci.counts) == (1, "2 failed, 4 passed, 1 skipped, 1 xfailed, 1 error")


def test_in_ci_the_failure_says_why_the_test_did_not_run(in_ci: Run) -> None:
    assert "Skipped: missing system package: chromium" in in_ci.lines
    assert "In CI every test runs: let .ci/run install what this one needs." in in_ci.lines


def test_with_soak_the_soak_tests_run_with_full_counts(soak: Run) -> None:
    assert (soak.code, soak.counts) == (0, "5 passed, 3 skipped, 1 xfailed")


def test_a_soak_ends_with_what_was_measured(soak: Run, plain: Run) -> None:
    told = 'unit/test_rules.py::test_soak: {"kills": 200}'
    assert told in soak.lines
    assert told not in plain.lines
