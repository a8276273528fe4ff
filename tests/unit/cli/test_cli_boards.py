"""`scentfield boards`: what there is to see, and the files that show it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml


def exported(scentfield: Any, folder: Path, *options: str, port: str = "9464", **environment: str) -> Any:
    """The document of an export that succeeds."""
    environment = {"SCENTFIELD_METRICS_PORT": port, **environment}
    result = scentfield("boards", "export", str(folder), *options, "--json", **environment)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_the_boards_are_listed_and_their_panels_explained(scentfield: Any) -> None:
    listed = scentfield.json("boards")["boards"]
    assert {"fleet", "runtime"} <= {board["name"] for board in listed}
    for board in listed:
        panels = scentfield.json("boards", "show", "--board", board["name"])["panels"]
        assert len(panels) == board["panels"]
        assert all(panel["about"] and panel["queries"] for panel in panels)
    assert "Mean time of a commit" in scentfield("boards", "show", "--board", "runtime").stdout


def test_a_board_that_does_not_exist_is_a_usage_error_that_names_those_that_do(scentfield: Any) -> None:
    result = scentfield("boards", "show", "--board", "weather")
    assert result.exit_code == 2
    assert "name one of fleet" in result.stderr


def test_an_export_names_the_exporter_the_folder_and_prometheus(scentfield: Any, tmp_path: Path) -> None:
    folder = tmp_path / "my boards"
    told = exported(scentfield, folder, "--prometheus", "http://prometheus:9090", port="9500")
    assert told["written"] == told["files"]
    jobs = yaml.safe_load((folder / "prometheus.yml").read_text("utf-8"))["scrape_configs"]
    assert jobs[0]["static_configs"] == [{"targets": ["127.0.0.1:9500"]}]
    assert jobs[1]["http_sd_configs"][0]["url"] == "http://127.0.0.1:9500/ray-nodes"
    source = yaml.safe_load((folder / "grafana/provisioning/datasources/scentfield.yml").read_text("utf-8"))
    assert source["datasources"][0]["url"] == "http://prometheus:9090"
    provider = yaml.safe_load((folder / "grafana/provisioning/dashboards/scentfield.yml").read_text("utf-8"))
    boards = Path(provider["providers"][0]["options"]["path"])
    assert boards == folder / "grafana" / "dashboards"
    assert {json.loads(file.read_text("utf-8"))["uid"] for file in boards.iterdir()} >= {"scentfield-fleet"}


def test_an_export_again_writes_nothing_and_another_one_has_to_be_asked_for(scentfield: Any, tmp_path: Path) -> None:
    folder = tmp_path / "boards"
    exported(scentfield, folder)
    assert exported(scentfield, folder)["written"] == []
    refused = scentfield("boards", "export", str(folder), SCENTFIELD_METRICS_PORT="9500")
    assert refused.exit_code == 2
    assert "say --replace" in refused.stderr
    again = exported(scentfield, folder, "--replace", port="9500")
    assert again["written"] == ["prometheus.yml"]


@pytest.mark.parametrize(
    ("host", "reached"),
    [("0.0.0.0", "127.0.0.1:9464"), ("::", "[::1]:9464"), ("::1", "[::1]:9464"), ("10.0.0.5", "10.0.0.5:9464")],
)
def test_an_exporter_that_listens_everywhere_is_reached_on_this_machine(
    scentfield: Any, tmp_path: Path, host: str, reached: str
) -> None:
    assert exported(scentfield, tmp_path / "boards", SCENTFIELD_METRICS_HOST=host)["exporter"] == reached


def test_a_port_that_changes_with_each_start_cannot_be_written_down(scentfield: Any, tmp_path: Path) -> None:
    result = scentfield("boards", "export", str(tmp_path / "boards"), SCENTFIELD_METRICS_PORT="0")
    assert result.exit_code == 2
    assert "another port at each start" in result.stderr
    assert not (tmp_path / "boards").exists()


@pytest.mark.parametrize(
    "url", ["", "prometheus:9090", "file:///etc/passwd", "http://", "http://[", "http://a b", "http://a\nb"]
)
def test_what_is_no_url_is_refused(scentfield: Any, tmp_path: Path, url: str) -> None:
    result = scentfield("boards", "export", str(tmp_path / "boards"), "--prometheus", url)
    assert result.exit_code == 2
    assert "is no URL" in result.stderr


def test_metrics_that_are_switched_off_are_said_to_be(scentfield: Any, tmp_path: Path) -> None:
    result = scentfield(
        "boards", "export", str(tmp_path / "boards"), SCENTFIELD_METRICS="false", SCENTFIELD_METRICS_PORT="9464"
    )
    assert result.exit_code == 0
    assert "switched off" in result.stderr


def test_a_picture_of_a_prometheus_that_is_not_there_says_so(scentfield: Any, tmp_path: Path) -> None:
    picture = str(tmp_path / "fleet.png")
    result = scentfield("boards", "draw", "fleet", picture, "--prometheus", "http://127.0.0.1:9")
    assert result.exit_code == 4
    assert "no Prometheus answers" in result.stderr
    assert not Path(picture).exists()


@pytest.mark.parametrize(("board", "file"), [("weather", "a.png"), ("fleet", "a.jpg"), ("fleet", "missing/a.png")])
def test_what_cannot_be_drawn_is_a_usage_error(scentfield: Any, tmp_path: Path, board: str, file: str) -> None:
    assert scentfield("boards", "draw", board, str(tmp_path / file)).exit_code == 2
