"""A board as a picture, from a server that answers as Prometheus does."""

from __future__ import annotations

import json
import threading
import urllib.parse
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.errors import Misuse, Unavailable
from coordinator.boards.board import Board, Panel, Query, Row, Step, graph, number, table
from coordinator.boards.catalogue import BOARDS
from coordinator.boards.expression import now, per_second
from coordinator.boards.picture import MAX_LINES, Frame, lines_of, write_picture
from coordinator.boards.prometheus import Prometheus

FRAME = Frame(1_000.0, 1_600.0, 60)
LABELS = {"__name__": "scentfield_queue", "domain": "memory", "instance": "a", "job": "s"}


class Server(ThreadingHTTPServer):
    """Answers each question with `series` series; `status` and `body` replace that."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.n_series = 1
        self.status = 200
        self.body: bytes | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Answering(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        self.server.asked.append((path, dict(urllib.parse.parse_qsl(query))))
        body = self.server.body or json.dumps(self._data(path.endswith("_range"))).encode()
        self.send_response(self.server.status)
        self.end_headers()
        self.wfile.write(body)

    def _data(self, over_time: bool) -> Any:
        values = {"values": [[1_000.0, "0"], [1_600.0, "0.5"]]} if over_time else {"value": [1_600.0, "0.5"]}
        result = [{"metric": {**LABELS, "domain": f"memory{n}"}, **values} for n in range(self.server.n_series)]
        return {"status": "success", "data": {"resultType": "matrix" if over_time else "vector", "result": result}}

    def log_message(self, *_: Any) -> None:
        """Quiet."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join(timeout=10.0)


def small() -> Board:
    """A board with a panel of each kind."""
    states = Panel("Serves", ".", (Query(now("up")),), kind="states", steps=(Step(None, "red"),), names=(("0", "no"),))
    queue = graph("Queue", ".", Query(now("queue", "domain"), "{{domain}} {{nothing}}"), unit="percentunit")
    return Board(
        "small",
        "Small",
        ".",
        (Row("", (number("One", ".", now("queue")), queue, states, table("T", ".", Query("x")))),),
    )


def test_every_board_can_be_drawn(server: Server, tmp_path: Path) -> None:
    for board in BOARDS:
        assert write_picture(board, FRAME, Prometheus(server.url), tmp_path / f"{board.name}.png") == []
        assert (tmp_path / f"{board.name}.png").read_bytes().startswith(b"\x89PNG")


def test_panels_ask_as_grafana_would_and_lines_are_named_by_their_legend(server: Server) -> None:
    panel = graph("Rate", ".", Query(per_second("requests_total", "domain"), "of {{domain}}{{nothing}}"))
    assert lines_of(panel, FRAME, Prometheus(server.url)) == [("of memory0", ((1_000.0, 0.0), (1_600.0, 0.5)))]
    ((path, asked),) = server.asked
    assert path == "/api/v1/query_range"
    assert asked["query"] == 'sum by (domain) (rate(scentfield_requests_total{instance=~".*"}[60s]))'
    assert (asked["start"], asked["end"], asked["step"]) == ("1000.0", "1600.0", "5.0")


def test_lines_without_a_legend_have_the_labels_that_tell_them_apart(server: Server) -> None:
    assert lines_of(table("T", ".", Query("x")), FRAME, Prometheus(server.url)) == [("memory0", ((1_600.0, 0.5),))]


def test_many_lines_and_none_are_drawn_too(server: Server, tmp_path: Path) -> None:
    server.n_series = MAX_LINES + 30
    assert write_picture(small(), FRAME, Prometheus(server.url), tmp_path / "many.png") == []
    server.n_series = 0
    assert write_picture(small(), FRAME, Prometheus(server.url), tmp_path / "none.png") == [
        "One",
        "Queue",
        "Serves",
        "T",
    ]


def test_the_same_answers_give_the_same_bytes(server: Server, tmp_path: Path) -> None:
    for name in ("one.png", "two.png"):
        write_picture(small(), FRAME, Prometheus(server.url), tmp_path / name)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_a_server_that_refuses_is_told_of_with_its_reason(server: Server) -> None:
    server.status, server.body = 400, b'{"error": "parse error"}'
    with pytest.raises(Misuse, match=r"refuses 'x\(' \(400\): .*parse error"):
        Prometheus(server.url).at("x(", 1.0)


@pytest.mark.parametrize(
    "body", [b"<html>", b"{}", b"[]", b"null", b'{"data": []}', b'{"data": {"result": []}}', b"\xff", b'{"data": null}']
)
def test_a_server_that_is_no_prometheus_is_unavailable(server: Server, body: bytes) -> None:
    server.body = body
    with pytest.raises(Unavailable, match="no Prometheus answers at http"):
        Prometheus(server.url).at("x", 1.0)


@pytest.mark.parametrize("data", [{"resultType": "scalar", "result": [1, "1"]}, {"resultType": "vector", "result": {}}])
def test_what_is_no_list_of_series_is_refused(server: Server, data: Any) -> None:
    server.body = json.dumps({"data": data}).encode()
    with pytest.raises(Misuse, match="is no expression of series"):
        Prometheus(server.url).at("1", 1.0)


def test_nobody_at_the_address_is_unavailable() -> None:
    with pytest.raises(Unavailable, match="start one, or name it"):
        Prometheus("http://127.0.0.1:9").at("x", 1.0)


@pytest.mark.parametrize(
    ("from_s", "to_s", "unit", "told"),
    [
        (0.0, 60.0, "minutes", "1970-01-01 00:00 to 00:01 UTC"),
        (0.0, 4 * 3_600.0 - 1.0, "minutes", "1970-01-01 00:00 to 03:59 UTC"),
        (0.0, 4 * 3_600.0, "hours", "1970-01-01 00:00 to 04:00 UTC"),
        (82_800.0, 90_000.0, "minutes", "1970-01-01 23:00 to 1970-01-02 01:00 UTC"),
        (0.0, 30 * 86_400.0, "days", "1970-01-01 00:00 to 1970-01-31 00:00 UTC"),
    ],
)
def test_time_is_told_in_its_own_unit_and_another_day_by_its_name(
    from_s: float, to_s: float, unit: str, told: str
) -> None:
    frame = Frame(from_s, to_s, 60)
    assert (frame.unit[0], frame.told) == (unit, told)


def test_a_dollar_in_a_label_is_no_formula(server: Server, tmp_path: Path) -> None:
    labels = {"domain": "$\\no_such_formula$"}
    matrix = {"resultType": "matrix", "result": [{"metric": labels, "values": [[1_000.0, "0"], [1_600.0, "1"]]}]}
    server.body = json.dumps({"data": matrix}).encode()
    board = Board("small", "$\\nor_this$", ".", (Row("", (graph("One", ".", Query("x")),)),))
    assert write_picture(board, FRAME, Prometheus(server.url), tmp_path / "a.png") == []
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
