"""How tests are ordered, skipped and reported.

In CI (environment CI=true) a skip is a failure, so that nothing goes untested unseen; `soak` tests are the exception.
A test that needs a system package calls `pytest.skip("missing system package: NAME")`.
"""

import gc
import json
import os
import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

TIERS = ("unit", "properties", "scenarios", "shell", "cluster", "browser")
LAST = "package"
MISSING_PACKAGE = "Skipped: missing system package: "
IN_CI = os.environ.get("CI") == "true"

# A Ray that was shut down stays so: without this it starts a cluster of its own for whoever calls it next.
os.environ["RAY_ENABLE_AUTO_CONNECT"] = "0"

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("soak", deadline=None, max_examples=5_000, stateful_step_count=200, print_blob=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="run the tests marked `soak` too, and all with full counts")


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("--hypothesis-profile"):
        settings.load_profile("soak" if config.getoption("--soak") else "ci" if IN_CI else "default")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=_place_in_order)
    if not config.getoption("--soak"):
        for item in items:
            if item.get_closest_marker("soak"):
                item.add_marker(pytest.mark.skip(reason="soak: run by `make soak`"))


def _place_in_order(item: pytest.Item) -> int:
    """The cheap tests first; what builds the package last."""
    tier = item.path.relative_to(Path(__file__).parent).parts[0]
    return TIERS.index(tier) if tier in TIERS else len(TIERS) + (tier == LAST)


@pytest.fixture
def usual_collector() -> Iterator[None]:
    """An actor calms the collector of its process; in that of the tests it would keep every test's files open."""
    thresholds = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)


@pytest.fixture(scope="session")
def head(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A Ray head on loopback, one for all tests of a run; stopped by its own process id, also when tests fail."""
    import ray  # slow imports, and many tests need no cluster

    from coordinator.head import start_head, stop_head

    state_dir = tmp_path_factory.mktemp("head")
    started = start_head(state_dir, num_cpus=4)
    try:
        yield started
    finally:
        if ray.is_initialized():
            ray.shutdown()
        stop_head(state_dir, started)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A headless Chromium of the system. Its event loop stays in this thread until all tests are done."""
    with _open_chromium() as browser:
        yield browser


@pytest.fixture
def own_chromium() -> Iterator[Any]:
    """One for a single test, before others that run event loops of their own."""
    with _open_chromium() as browser:
        yield browser


@contextmanager
def _open_chromium() -> Iterator[Any]:
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("missing system package: chromium")
    from playwright.sync_api import sync_playwright  # a slow import, and needed here alone

    with sync_playwright() as driver:
        # Chromium has no sandbox for root, and a container's /dev/shm is small.
        flags = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        browser = driver.chromium.launch(executable_path=program, args=flags)
        yield browser
        browser.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if not item.get_closest_marker("soak") and not hasattr(report, "wasxfail"):
        _fail_a_skip_in_ci(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _fail_a_skip_in_ci(report)
    return report


def _fail_a_skip_in_ci(report: pytest.TestReport | pytest.CollectReport) -> None:
    if IN_CI and report.outcome == "skipped":
        report.outcome = "failed"
        report.longrepr = f"{_skip_reason(report)}\nIn CI every test runs: let .ci/run install what this one needs."


def _skip_reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    return report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None, None, None]:
    """Say last, just above the counts, what a soak measured, and which tests miss a system package."""
    yield
    if terminalreporter.config.getoption("--soak"):
        _tell_figures(terminalreporter)
    tests_by_package: dict[str, list[str]] = {}
    for report in terminalreporter.stats.get("skipped", []):
        _, found, package = _skip_reason(report).partition(MISSING_PACKAGE)
        if found:
            tests_by_package.setdefault(package, []).append(report.nodeid)
    if tests_by_package:
        named = "; ".join(f"{package}: {', '.join(tests)}" for package, tests in sorted(tests_by_package.items()))
        terminalreporter.write_line(f"skipped for missing system packages: {named}", yellow=True)


def _tell_figures(terminalreporter: pytest.TerminalReporter) -> None:
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, []):
            for name, value in report.user_properties:
                if name == "figures":
                    terminalreporter.write_line(f"{report.nodeid}: {json.dumps(value)}")
