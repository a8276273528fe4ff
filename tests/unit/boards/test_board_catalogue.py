"""What the boards say of themselves: complete, unambiguous, and only of metrics that exist."""

from __future__ import annotations

import re

import pytest
import yaml

from coordinator.boards.board import Board
from coordinator.boards.catalogue import BOARDS
from coordinator.boards.shipment import SHIPPED
from coordinator.metrics.collector import METRICS

NAME = re.compile(r"\b(?:instance\w*:)?scentfield_[a-z0-9_:]+")
LABELS = {metric.name: {*metric.labels, "instance", "job"} for metric in METRICS}
RULES = SHIPPED / "rules" / "scentfield.yml"


def rules() -> list[dict[str, str]]:
    return [rule for group in yaml.safe_load(RULES.read_text("utf-8"))["groups"] for rule in group["rules"]]


def known() -> set[str]:
    return {*LABELS, *(rule["record"] for rule in rules() if "record" in rule)}


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_each_panel_has_a_title_of_its_own_and_says_how_to_read_it(board: Board) -> None:
    titles = [panel.title for panel in board.panels]
    assert sorted(titles) == sorted(set(titles))
    for panel in board.panels:
        assert panel.about.endswith("."), panel.title
        assert panel.queries


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_lines_of_panels_are_filled(board: Board) -> None:
    for row in board.rows:
        assert sum(panel.width for panel in row.panels) % 24 == 0, row.title


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_only_metrics_that_exist_are_asked_for(board: Board) -> None:
    for panel in board.panels:
        for query in panel.queries:
            assert set(NAME.findall(query.expr)) <= known(), (panel.title, query.expr)


def test_rules_ask_for_metrics_that_exist_only() -> None:
    for rule in rules():
        assert set(NAME.findall(rule["expr"])) <= known(), rule


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_our_series_are_chosen_by_instance(board: Board) -> None:
    for panel in board.panels:
        for query in panel.queries:
            for match in NAME.finditer(query.expr):
                if match.group() != "scentfield_" and match.group() in known():
                    assert re.match(r'\{[^}]*instance=~"\$instance"', query.expr[match.end() :]), query.expr


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_labels_that_are_summed_by_or_matched_are_those_of_the_metric(board: Board) -> None:
    for panel in board.panels:
        for query in panel.queries:
            names = [name for name in NAME.findall(query.expr) if name in LABELS]
            allowed = set().union(*(LABELS[name] for name in names))
            if names:
                assert asked_labels(query.expr) <= allowed, (panel.title, query.expr)


def asked_labels(expr: str) -> set[str]:
    grouped = {name.strip() for group in re.findall(r"\bby \(([^)]*)\)", expr) for name in group.split(",")}
    matched = set(re.findall(r"([a-z]+)\s*(?:=~|!~|!=|=)\s*\"", expr))
    return (grouped | matched) - {"alertname", "alertstate", "state"}


def test_no_two_panels_of_all_boards_are_the_same_question() -> None:
    """The numbers at the top of a board may stand on another one too."""
    asked = [
        query.expr for board in BOARDS for row in board.rows[1:] for panel in row.panels for query in panel.queries
    ]
    assert sorted(asked) == sorted(set(asked))


def test_each_metric_is_on_a_board() -> None:
    shown = {
        name
        for board in BOARDS
        for panel in board.panels
        for query in panel.queries
        for name in NAME.findall(query.expr)
    }
    by_rules = {name for rule in rules() for name in NAME.findall(rule["expr"])}
    assert sorted(set(LABELS) - shown - by_rules) == []
