"""A real Prometheus that scrapes a real coordinator at which agents work: one run for all tests of this folder."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from coordinator.boards.shipment import Site, shipment
from coordinator.gateway.settings import GatewaySettings
from coordinator.head import Head
from coordinator.settings import Settings

MISSING = "missing system package: prometheus"
WORK_S = 15.0
DEADLINE_S = 60.0
HERE = Path(__file__).parent


def _load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"boards_{name}", HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def poll(condition: Callable[[], Any], deadline_s: float = DEADLINE_S) -> Any:
    """The condition's first true value; fails the test when there is none in time."""
    until_s = time.monotonic() + deadline_s
    while not (value := condition()):
        if time.monotonic() > until_s:
            pytest.fail(f"still {value!r} after {deadline_s:g} s: {condition}")
        time.sleep(0.1)
    return value


@pytest.fixture(name="poll")
def poll_fixture() -> Callable[..., Any]:
    """`poll(condition, deadline_s=60.0)`."""
    return poll


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Prometheus:
    """A server on a free port, with the configuration that is shipped, but scraping three times as often."""

    def __init__(self, program: str, folder: Path, exporter: str) -> None:
        self._folder = folder
        self.url = f"http://127.0.0.1:{free_port()}"
        for name, text in shipment(Site(exporter)).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(self._quick(name, text), encoding="utf-8")
        self._log = (folder / "prometheus.log").open("wb")
        self.process = subprocess.Popen(
            [
                program,
                f"--config.file={folder / 'prometheus.yml'}",
                f"--storage.tsdb.path={folder / 'data'}",
                f"--web.listen-address={self.url.removeprefix('http://')}",
                "--log.level=warn",
            ],
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )

    @staticmethod
    def _quick(name: str, text: str) -> str:
        if name != "prometheus.yml":
            return text
        slow = "scrape_timeout: 10s"
        return text.replace("interval: 15s", "interval: 5s").replace(slow, f"scrape_interval: 10s\n    {slow}")

    @property
    def log(self) -> str:
        """What it complained of."""
        return (self._folder / "prometheus.log").read_text(encoding="utf-8", errors="replace")

    def get(self, path: str, **parameters: Any) -> Any:
        """The `data` of an answer of its API; the error's text where it refuses."""
        query = urllib.parse.urlencode(parameters)
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{query}", timeout=30.0) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            with error:
                return error.read().decode()

    def now(self, expr: str) -> list[Any]:
        """The series of an expression now: [{"metric": labels, "value": [time, text]}]."""
        data = self.get("query", query=expr)
        assert not isinstance(data, str), data
        found: list[Any] = data["result"]
        return found

    def value(self, expr: str) -> float | None:
        """The one number of an expression; None if it has no series."""
        found = self.now(expr)
        assert len(found) <= 1, found
        return float(found[0]["value"][1]) if found else None

    def is_ready(self) -> bool:
        """Whether it answers."""
        assert self.process.poll() is None, self.log
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.url}/-/ready", timeout=5.0) as answer:
            return bool(answer.status == 200)
        return False

    def pause(self) -> None:
        """Scrape nothing for a while."""
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """After a pause."""
        self.process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        """End it by its own process id."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(timeout=10)
        self._log.close()


@pytest.fixture(scope="session")
def prometheus_program() -> str:
    """Debian's Prometheus."""
    program = shutil.which("prometheus")
    if program is None:
        pytest.skip(MISSING)
    return program


@pytest.fixture(scope="session")
def promtool() -> str:
    """The tool that comes with it."""
    program = shutil.which("promtool")
    if program is None:
        pytest.skip(MISSING)
    return program


@pytest.fixture(scope="session")
def settings(head: Head, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A coordinator with an exporter on a port that stays the same when the exporter is killed."""
    return Settings(
        address=head.address,
        data_dir=tmp_path_factory.mktemp("state"),
        namespace=f"boards-{os.getpid()}",
        space="boards",
        ttl_s=5.0,
        lock_delay_s=0.3,
        gateway=GatewaySettings(enabled=False),
        metrics=True,
        metrics_port=free_port(),
        token_price=3.0,
        holdout_share=0.5,
    )


@pytest.fixture(scope="session")
def metrics_url(settings: Settings) -> Iterator[str]:
    """The exporter of a coordinator that is up."""
    import ray

    from coordinator.cluster import actor_names, up

    yield up(settings).metrics_url
    for name in actor_names(settings):
        with contextlib.suppress(ValueError):
            ray.kill(ray.get_actor(name, namespace=settings.namespace), no_restart=True)


@pytest.fixture(scope="session")
def prometheus(
    prometheus_program: str, metrics_url: str, settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Prometheus]:
    """The server, once agents have worked under its eyes."""
    exporter = f"127.0.0.1:{settings.metrics_port}"
    server = Prometheus(prometheus_program, tmp_path_factory.mktemp("prometheus"), exporter)
    try:
        poll(server.is_ready)
        poll(lambda: server.value('up{job="scentfield"}') == 1)
        crew = _load("crew")
        tree = crew.make_tree(tmp_path_factory.mktemp("work") / "tree")
        crew.work(settings, tree, WORK_S)
        _load("evidence").tell_all(settings, tree)
        yield server
    finally:
        server.stop()
