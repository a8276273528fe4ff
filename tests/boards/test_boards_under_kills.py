"""While every actor is killed, one by one and all at once, scrapes go on: in time, honest, and without a fall."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from coordinator.domain import DOMAINS
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(400)]
RECOVERY_S = 120.0
SCRAPE_TIMEOUT_S = 5.0  # that of deploy/prometheus.yml


class Scraper(threading.Thread):
    """Scrapes without a pause, as an impatient Prometheus would; keeps what went wrong."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self._url = url
        self._stopping = threading.Event()
        self._highest: dict[str, float] = {}
        self.took_s: list[float] = []
        self.n_unanswered = 0
        self.fell: list[tuple[str, float, float]] = []
        self.up: list[dict[str, float]] = []

    def run(self) -> None:
        while not self._stopping.is_set():
            self._scrape()
            time.sleep(0.05)

    def _scrape(self) -> None:
        began_s = time.monotonic()
        try:
            with urllib.request.urlopen(self._url, timeout=60.0) as answer:
                text = answer.read().decode()
        except OSError:
            self.n_unanswered += 1
            return
        self.took_s.append(time.monotonic() - began_s)
        self._compare(text)

    def _compare(self, text: str) -> None:
        for family in text_string_to_metric_families(text):
            for sample in family.samples if family.type == "counter" else ():
                name = f"{sample.name}{sorted(sample.labels.items())}"
                before = self._highest.get(name, 0.0)
                if sample.value < before:
                    self.fell.append((name, before, sample.value))
                self._highest[name] = max(before, sample.value)
            if family.name == "scentfield_up":
                self.up.append({sample.labels["domain"]: sample.value for sample in family.samples})

    def stop(self) -> None:
        self._stopping.set()
        self.join(timeout=90.0)


@pytest.fixture
def scraper(prometheus: Any, metrics_url: str) -> Iterator[Scraper]:
    """It begins when agents have worked, so that there is something that could fall."""
    thread = Scraper(metrics_url)
    thread.start()
    yield thread
    thread.stop()


def pid_of(name: str, settings: Settings) -> int:
    import ray
    from ray.exceptions import ActorUnavailableError

    handle: Any = ray.get_actor(name, namespace=settings.namespace)
    until_s = time.monotonic() + 60.0
    while True:
        try:
            return int(ray.get(handle.describe.remote(), timeout=60.0)["pid"])
        except ActorUnavailableError:  # it restarts
            if time.monotonic() > until_s:
                raise
            time.sleep(0.2)


def kill(*pids: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def all_up(scraper: Scraper, poll: Callable[..., Any]) -> None:
    n_seen = len(scraper.up)
    poll(lambda: any(all(seen.values()) for seen in scraper.up[n_seen:]), RECOVERY_S)


def test_scrapes_go_on_while_every_state_actor_is_killed(
    scraper: Scraper, settings: Settings, prometheus: Any, poll: Callable[..., Any]
) -> None:
    all_up(scraper, poll)
    for name in (*DOMAINS, "embedding"):
        kill(pid_of(name, settings))
        poll(lambda name=name: name == "embedding" or any(seen[name] == 0.0 for seen in scraper.up))
        all_up(scraper, poll)
    kill(*[pid_of(name, settings) for name in (*DOMAINS, "embedding")])
    poll(lambda: any(not any(seen.values()) for seen in scraper.up))
    all_up(scraper, poll)
    scraper.stop()
    assert scraper.n_unanswered == 0
    assert scraper.fell == []
    assert all(set(seen) == set(DOMAINS) for seen in scraper.up)
    late = [took_s for took_s in scraper.took_s if took_s >= SCRAPE_TIMEOUT_S]
    assert len(late) <= len(scraper.took_s) // 20, late  # a machine that starts five processes may starve a scrape

    def names() -> list[str]:
        totals = prometheus.now('count by (__name__) ({__name__=~"scentfield_.*_total"})')
        return [one["metric"]["__name__"] for one in totals]

    poll(lambda: "scentfield_commits_total" in names(), RECOVERY_S)  # its own last scrape may have met none of them
    assert [name for name in names() if prometheus.now(f"resets({name}[15m]) > 0")] == []


def test_no_total_falls_when_the_exporter_is_killed_with_the_state_actors(
    scraper: Scraper, settings: Settings, poll: Callable[..., Any]
) -> None:
    all_up(scraper, poll)
    kill(*[pid_of(name, settings) for name in (*DOMAINS, "embedding", "exporter")])
    poll(lambda: scraper.n_unanswered > 0)
    all_up(scraper, poll)
    scraper.stop()
    assert scraper.fell == []
