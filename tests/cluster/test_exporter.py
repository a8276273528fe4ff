"""The exporter beside real state actors: scraped over HTTP, through a crash of one of them."""

from __future__ import annotations

import json
import os
import signal
import socket
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from actors.runtime.errors import Unavailable
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(180)]
GRANTED = "scentfield_claims_granted_total"
REJECTED = "scentfield_claims_rejected_total"


def get(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=10.0) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def read(text: str) -> dict[tuple[str, str], float]:
    """Each sample by its name and the value of its domain label."""
    return {
        (sample.name, sample.labels.get("domain", "")): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def scrape(url: str) -> dict[tuple[str, str], float]:
    status, text = get(url)
    assert status == 200
    return read(text)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """The same with an exporter."""
    return Settings(**{**settings.model_dump(), "metrics": True, "metrics_port": 0})


@pytest.fixture
def metrics_url(coordinator_up: Settings) -> str:
    from coordinator.cluster import up

    return up(coordinator_up).metrics_url


def test_counts_survive_the_crash_of_the_actor_that_keeps_them(
    metrics_url: str, start_agent: Callable[..., Any], actor_pid: Callable[[str], int], wait_until: Callable[..., Any]
) -> None:
    ann, bob = start_agent("ann"), start_agent("bob")
    assert ann.ask("claim", targets=["src/a.py"])["granted"]
    assert not bob.ask("claim", targets=["src/a.py"])["granted"]
    before = scrape(metrics_url)
    assert (before[GRANTED, ""], before[REJECTED, ""]) == (1, 1)
    assert before["scentfield_duplicate_work_prevented_total", ""] == 1
    assert before["scentfield_sessions", ""] == 2
    os.kill(actor_pid("scent_field"), signal.SIGKILL)
    after = wait_until(lambda: (seen := scrape(metrics_url))["scentfield_up", "scent_field"] == 1.0 and seen, 60.0)
    assert after["scentfield_epoch", "scent_field"] == before["scentfield_epoch", "scent_field"] + 1
    assert (after[GRANTED, ""], after[REJECTED, ""]) == (1, 1)
    assert after["scentfield_replayed_rows_total", "scent_field"] >= 1


def test_a_stopped_actor_is_marked_down_while_the_rest_is_served(
    metrics_url: str, actor_pid: Callable[[str], int], wait_until: Callable[..., Any]
) -> None:
    pid = actor_pid("quality_store")
    os.kill(pid, signal.SIGSTOP)
    try:
        seen = scrape(metrics_url)
        status, health = get(metrics_url.replace("/metrics", "/healthz"))
    finally:
        os.kill(pid, signal.SIGCONT)
    assert seen["scentfield_up", "quality_store"] == 0.0
    assert seen["scentfield_up", "scent_field"] == 1.0
    assert ("scentfield_leases", "") in seen
    assert ("scentfield_escalations_pending", "") not in seen
    assert status == 503
    assert "no answer" in json.loads(health)["actors"]["quality_store"]
    wait_until(lambda: scrape(metrics_url)["scentfield_up", "quality_store"] == 1.0)


def test_a_killed_exporter_comes_back_and_says_where_it_serves(
    coordinator_up: Settings, metrics_url: str, wait_until: Callable[..., Any]
) -> None:
    import ray

    exporter: Any = ray.get_actor("exporter", namespace=coordinator_up.namespace)
    os.kill(ray.get(exporter.describe.remote(), timeout=30.0)["pid"], signal.SIGKILL)

    def serves_again() -> bool:
        account = ray.get(exporter.describe.remote(), timeout=30.0)
        return bool(account["url"]) and get(account["url"])[0] == 200

    assert wait_until(serves_again, 60.0)


def test_the_exposition_without_the_exporter_is_the_same(
    coordinator_up: Settings, metrics_url: str, wait_until: Callable[..., Any]
) -> None:
    from coordinator.metrics.exposition import exposition

    def is_the_same() -> bool:  # whoever does not answer either of them in time is left out of it
        return read(exposition(coordinator_up)).keys() == scrape(metrics_url).keys()

    assert wait_until(is_the_same, 60.0)


def test_a_port_that_was_asked_for_and_is_taken_is_a_clear_error(settings: Settings) -> None:
    from coordinator.cluster import actor_names, up

    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        taken = Settings(**{**settings.model_dump(), "metrics_port": port})
        with pytest.raises(Unavailable, match=f"cannot listen on 127.0.0.1:{port} .*set metrics_port"):
            up(taken)
    assert "exporter" not in actor_names(taken)
    without = Settings(**{**settings.model_dump(), "metrics": False})
    assert up(without).metrics_url == ""
    assert actor_names(without) == ["scent_field", "quality_store", "thresholds", "memory", "embedding"]
    take_away(without)


def take_away(settings: Settings) -> None:
    import ray

    from coordinator.cluster import actor_names

    for name in actor_names(settings):
        ray.kill(ray.get_actor(name, namespace=settings.namespace), no_restart=True)
