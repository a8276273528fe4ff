"""The exporter's pages and its questions, over lines that are not Ray."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

from coordinator.domain import DOMAINS
from coordinator.efficacy.figure import Terms
from coordinator.metrics.actor_metric import ACTOR_METRICS, UP
from coordinator.metrics.exporter import Site
from coordinator.metrics.exposition import look_through
from coordinator.metrics.probe import Probe
from coordinator.metrics.ray_node import RayNodePage
from coordinator.metrics.total_file import TotalFile
from coordinator.retrieval.account import RetrievalAccount
from coordinator.web.listener import listen


async def get(site: Site, path: str, accept: str = "") -> tuple[int, str, str]:
    """(status, content type, body) of a page, without a network."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"accept", accept.encode())]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}
    await site.app(scope, receive, send)
    told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], told.get("content-type", ""), sent[1]["body"].decode()


@pytest.fixture
def fetch(local_line: Any) -> Callable[..., tuple[int, str, str]]:
    def fetched(folder: Path, path: str, accept: str = "", **options: Any) -> tuple[int, str, str]:
        async def run() -> tuple[int, str, str]:
            return await get(Site(local_line(folder, **options), TotalFile(folder, "test")), path, accept)

        return asyncio.run(run())

    return fetched


def test_metrics_of_serving_actors_are_plain_text(tmp_path: Path, fetch: Any) -> None:
    status, content_type, body = fetch(tmp_path, "/metrics")
    assert status == 200
    assert content_type.startswith("text/plain; version=0.0.4")
    assert 'scentfield_up{domain="scent_field"} 1.0' in body
    assert 'scentfield_up{domain="quality_store"} 1.0' in body


def test_a_scraper_that_asks_for_openmetrics_gets_it(tmp_path: Path, fetch: Any) -> None:
    _, content_type, body = fetch(tmp_path, "/metrics", "application/openmetrics-text; version=1.0.0")
    assert content_type.startswith("application/openmetrics-text")
    assert body.endswith("# EOF\n")


def test_a_real_actor_tells_all_that_is_exported_of_it(tmp_path: Path, fetch: Any) -> None:
    _, _, body = fetch(tmp_path, "/metrics")
    for metric in ACTOR_METRICS:
        for domain in DOMAINS:
            assert f'{metric.name}{{domain="{domain}"}} ' in body


def test_an_actor_that_cannot_be_reached_is_down_and_the_other_is_served(tmp_path: Path, fetch: Any) -> None:
    status, _, body = fetch(tmp_path, "/metrics", gone=("scent_field",))
    assert status == 200
    assert f'{UP.name}{{domain="scent_field"}} 0.0' in body
    assert f'{UP.name}{{domain="quality_store"}} 1.0' in body
    assert "scentfield_leases " not in body
    assert "scentfield_escalations_pending " in body
    assert 'scentfield_layer_verdict{layer="lessons",measure="failure_rate",verdict="not_yet_known"} 1.0' in body


def test_without_the_quality_store_there_are_no_figures_of_efficacy(tmp_path: Path, fetch: Any) -> None:
    status, _, body = fetch(tmp_path, "/metrics", gone=("quality_store",))
    assert status == 200
    assert "scentfield_layer_verdict{" not in body
    assert 'scentfield_layer_enabled{layer="lessons"} 1.0' in body
    assert 'scentfield_layer_enabled{layer="edit_penalty"}' not in body


def test_health_is_200_while_all_serve_and_503_with_the_reason_else(tmp_path: Path, fetch: Any) -> None:
    status, _, body = fetch(tmp_path, "/healthz")
    assert (status, json.loads(body)["status"]) == (200, "ok")
    status, _, body = fetch(tmp_path, "/healthz", gone=("quality_store",))
    told = json.loads(body)
    assert (status, told["status"]) == (503, "unavailable")
    assert told["actors"] == {
        "scent_field": "serves",
        "quality_store": "quality_store cannot be reached",
        "thresholds": "serves",
        "memory": "serves",
    }


def test_health_notices_a_store_that_is_gone_although_commits_go_on(tmp_path: Path, local_line: Any) -> None:
    async def run() -> tuple[int, dict[str, Any]]:
        site = Site(local_line(tmp_path), TotalFile(tmp_path, "test"))
        for file in tmp_path.glob("quality_store.sqlite3*"):
            file.unlink()
        status, _, body = await get(site, "/healthz")
        return status, json.loads(body)["actors"]

    status, actors = asyncio.run(run())
    assert status == 503
    assert "nothing was found where row 0 of store" in actors["quality_store"]
    assert actors["scent_field"] == "serves"


def test_health_is_proved_once_a_second_however_many_ask(tmp_path: Path, local_line: Any) -> None:
    async def run() -> tuple[list[str], list[str]]:
        line, now_s = local_line(tmp_path), [5.0]
        probe = Probe(line, monotonic=lambda: now_s[0])
        for _ in range(3):
            await asyncio.gather(probe.prove(), probe.prove())
        first = list(line.proved)
        now_s[0] = 6.0
        await probe.prove()
        return first, line.proved[len(first) :]

    first, later = asyncio.run(run())
    assert sorted(first) == sorted(later) == sorted(DOMAINS)


def test_an_unknown_page_is_not_found(tmp_path: Path, fetch: Any) -> None:
    assert fetch(tmp_path, "/secrets")[0] == 404


def test_a_silent_actor_is_asked_once_however_many_look(tmp_path: Path, local_line: Any) -> None:
    async def run() -> tuple[list[str], list[str]]:
        line = local_line(tmp_path, silent=("scent_field",))
        probe = Probe(line, patience_s=0.01)
        looks = [await probe.look() for _ in range(3)]
        return line.asked, [seen.problem for look in looks for seen in look if seen.domain == "scent_field"]

    asked, problems = asyncio.run(run())
    assert asked.count("scent_field") == 1
    assert problems == ["scent_field gave no answer within 0.01 s"] * 3


def test_a_ledger_that_falls_silent_after_a_slow_look_is_not_waited_for_once_more(
    tmp_path: Path, local_line: Any
) -> None:
    """A scrape is over in time although it asks twice: what the first answers took is taken from the second."""

    async def run() -> tuple[Any, Any]:
        line, times = local_line(tmp_path), iter((0.0, 90.0))
        totals = TotalFile(tmp_path, "test", patience_s=30.0)

        def monotonic() -> float:
            if (now_s := next(times)) > 0.0:
                line.silent = ("quality_store",)
            return now_s

        probe = Probe(line, patience_s=60.0, monotonic=monotonic)
        look = await asyncio.wait_for(look_through(probe, Terms(), totals), 50.0)
        return look.figures, look.encoded()[0]

    figures, body = asyncio.run(run())
    assert figures is None
    assert b'scentfield_up{domain="quality_store"} 1.0' in body


def test_looks_at_one_time_share_their_questions(tmp_path: Path, local_line: Any) -> None:
    async def run() -> list[str]:
        line = local_line(tmp_path)
        probe = Probe(line)
        await asyncio.gather(*(probe.look() for _ in range(10)))
        return line.asked

    assert sorted(asyncio.run(run())) == ["memory", "quality_store", "scent_field", "thresholds"]


def test_a_port_that_is_taken_is_refused_and_a_free_one_is_found() -> None:
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        assert port > 0
        with pytest.raises(OSError, match="in use"):
            listen("127.0.0.1", port)
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(OSError, match="in use"):
        listen("127.0.0.1", other.getsockname()[1])


async def asked_for_nodes(targets: Callable[[], list[str]], *, patience_s: float = 30.0) -> list[Any]:
    page = RayNodePage(targets, patience_s=patience_s)
    request = Request({"type": "http", "method": "GET", "headers": []})
    answers = await asyncio.gather(page.answer(request), page.answer(request))
    return [(answer.status_code, json.loads(bytes(answer.body))) for answer in answers]


def test_prometheus_is_told_of_rays_nodes_which_are_asked_for_once() -> None:
    asked: list[int] = []

    def targets() -> list[str]:
        asked.append(1)
        return ["127.0.0.1:1", "[::1]:2"]

    told = [{"targets": ["127.0.0.1:1", "[::1]:2"], "labels": {}}]
    assert asyncio.run(asked_for_nodes(targets)) == [(200, told), (200, told)]
    assert asked == [1]


def test_a_ray_that_does_not_answer_is_a_503_so_that_prometheus_keeps_what_it_knows() -> None:
    may_answer = threading.Event()

    def slow() -> list[str]:
        may_answer.wait(60.0)
        return []

    async def run() -> list[Any]:
        try:
            return await asked_for_nodes(slow, patience_s=0.01)
        finally:
            may_answer.set()

    assert asyncio.run(run()) == [(503, {"problem": "Ray gave no answer within 0.01 s"})] * 2


def test_a_ray_that_refuses_is_a_503_that_says_so() -> None:
    def refuse() -> list[str]:
        raise RuntimeError("no head")

    problem = {"problem": "Ray cannot be asked for its nodes: no head"}
    assert asyncio.run(asked_for_nodes(refuse)) == [(503, problem)] * 2


def test_a_disk_that_does_not_answer_costs_a_scrape_its_indices_only(tmp_path: Path, local_line: Any) -> None:
    answers, n_asked = threading.Event(), [0]

    def silent() -> RetrievalAccount:
        n_asked[0] += 1
        answers.wait(60.0)
        return RetrievalAccount(n_trees=1)

    async def run() -> list[int]:
        probe = Probe(local_line(tmp_path), patience_s=0.01)
        try:
            return [(await probe.look_at_indices(silent)).n_trees for _ in range(3)]
        finally:
            answers.set()

    assert asyncio.run(run()) == [0, 0, 0]
    assert n_asked == [1]
