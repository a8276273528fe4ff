"""The shipped boards are what the descriptions say, are of the SDK's types, and get to where they are wanted."""

from __future__ import annotations

import enum
import json
import shutil
import subprocess
import types
import typing
from pathlib import Path
from typing import Any

import pytest
import yaml
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard, Panel

from actors.runtime.errors import Misuse
from coordinator.boards.board import Board
from coordinator.boards.catalogue import BOARDS
from coordinator.boards.export import export_files
from coordinator.boards.grafana import dashboard_json
from coordinator.boards.shipment import SHIPPED, Site, shipment

CASES = sorted(Path(__file__).parent.glob("alert_cases*.yml"))
DEPLOY = Path(__file__).parents[3] / "deploy"


def shipped(board: Board) -> str:
    return (SHIPPED / "dashboards" / f"{board.name}.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_the_shipped_board_is_what_the_description_says(board: Board) -> None:
    assert shipped(board) == dashboard_json(board), "run: python -m coordinator.boards"


def test_no_board_is_shipped_that_is_not_described() -> None:
    assert {file.stem for file in SHIPPED.glob("dashboards/*")} == {board.name for board in BOARDS}


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_a_board_goes_through_the_types_of_the_sdk_unchanged(board: Board) -> None:
    register_default_plugins()
    plain = json.loads(shipped(board))
    read = Dashboard.from_json(plain)
    assert mistyped(read, "board") == []
    assert json.loads(json.dumps(read, cls=JSONEncoder)) == plain


def test_what_is_not_of_the_sdks_types_is_noticed() -> None:
    assert mistyped(Panel(title=5, type_val="stat"), "panel") == ["panel.title is int"]  # type: ignore[arg-type]


def mistyped(value: Any, where: str) -> list[str]:
    """Which fields of an object of the SDK's, and of those below it, hold something else than is declared."""
    hints = typing.get_type_hints(type(value))
    found = []
    for name, held in vars(value).items():
        if name in hints and not is_of(held, hints[name]):
            found.append(f"{where}.{name} is {type(held).__name__}")
        for place, one in enumerate(held if isinstance(held, list) else [held]):
            if type(one).__module__.startswith("grafana_foundation_sdk.models") and hasattr(one, "to_json"):
                found += mistyped(one, f"{where}.{name}[{place}]")
    return found


def is_of(value: Any, hint: Any) -> bool:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in (Any, object):
        return True
    if origin in (typing.Union, types.UnionType):
        return any(is_of(value, one) for one in arguments)
    if origin is typing.Literal:
        return value in arguments
    if origin is list:
        return isinstance(value, list) and all(is_of(one, arguments[0]) for one in value)
    if origin is dict:
        return isinstance(value, dict) and all(is_of(one, arguments[1]) for one in value.values())
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if isinstance(hint, str):
        return True
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return value in [one.value for one in hint]
    return isinstance(value, hint)


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_panels_do_not_overlap_and_have_numbers_of_their_own(board: Board) -> None:
    panels = json.loads(shipped(board))["panels"]
    cells = [
        (x, y)
        for panel in panels
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24
    assert len({panel["id"] for panel in panels}) == len(panels)


def test_boards_have_addresses_of_their_own_and_ask_the_chosen_prometheus() -> None:
    boards = [json.loads(shipped(board)) for board in BOARDS]
    assert len({board["uid"] for board in boards}) == len(boards)
    for panel in (panel for board in boards for panel in board["panels"] if panel["type"] != "row"):
        assert panel["datasource"]["uid"] == "${datasource}"
        assert all(target["datasource"]["uid"] == "${datasource}" for target in panel["targets"])


def test_deploy_holds_what_an_export_with_defaults_writes() -> None:
    for name, text in shipment(Site()).items():
        assert (DEPLOY / name).read_text(encoding="utf-8") == text, name


def test_files_are_written_once_and_left_alone_when_they_say_the_same(tmp_path: Path) -> None:
    files = shipment(Site())
    assert export_files(files, tmp_path / "new" / "boards", may_replace=False) == list(files)
    assert export_files(files, tmp_path / "new" / "boards", may_replace=False) == []
    assert (tmp_path / "new" / "boards" / "prometheus.yml").stat().st_mode & 0o044


def test_what_somebody_changed_is_not_overwritten_unasked(tmp_path: Path) -> None:
    files = shipment(Site())
    export_files(files, tmp_path, may_replace=False)
    (tmp_path / "prometheus.yml").write_text("mine\n")
    (tmp_path / "rules" / "scentfield.yml").unlink()
    with pytest.raises(Misuse, match=r"prometheus\.yml' would be overwritten: say --replace"):
        export_files(files, tmp_path, may_replace=False)
    assert not (tmp_path / "rules" / "scentfield.yml").exists()
    assert export_files(files, tmp_path, may_replace=True) == ["prometheus.yml", "rules/scentfield.yml"]


def test_a_folder_that_cannot_be_is_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Misuse, match=r"cannot be a file of the boards \(Not a directory"):
        export_files({"a/b.yml": ""}, tmp_path / "file", may_replace=False)
    (tmp_path / "a" / "b.yml").mkdir(parents=True)
    with pytest.raises(Misuse, match="Is a directory"):
        export_files({"a/b.yml": ""}, tmp_path, may_replace=False)


@pytest.mark.parametrize("path", ["/b/it's $HOME/${x}: #\"", "/b/ü 日本"])
def test_odd_folder_names_reach_grafana_as_they_are(path: str) -> None:
    provider = yaml.safe_load(shipment(Site(dashboards=path))["grafana/provisioning/dashboards/scentfield.yml"])
    told = provider["providers"][0]["options"]["path"]
    assert told.replace("$$", "$") == path
    assert "$" not in told.replace("$$", "")


def run_promtool(*arguments: str | Path) -> str:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("missing system package: prometheus")
    done = subprocess.run([promtool, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_promtool_accepts_configuration_and_rules(tmp_path: Path) -> None:
    export_files(shipment(Site(exporter="[::1]:9464")), tmp_path, may_replace=False)
    assert "SUCCESS" in run_promtool("check", "config", tmp_path / "prometheus.yml")
    assert "FAILED" not in run_promtool("check", "rules", tmp_path / "rules" / "scentfield.yml")


@pytest.mark.parametrize("cases", CASES, ids=lambda cases: cases.stem)
def test_each_alert_fires_when_it_should_and_not_before(cases: Path) -> None:
    assert "SUCCESS" in run_promtool("test", "rules", cases)


def test_each_alert_has_a_test_and_says_what_to_do() -> None:
    tests = [test for cases in CASES for test in yaml.safe_load(cases.read_text("utf-8"))["tests"]]
    outcomes = [(one["alertname"], bool(one["exp_alerts"])) for test in tests for one in test["alert_rule_test"]]
    rules = yaml.safe_load((SHIPPED / "rules" / "scentfield.yml").read_text("utf-8"))["groups"]
    alerts = [rule for group in rules for rule in group["rules"] if "alert" in rule]
    assert alerts
    for alert in alerts:
        assert (alert["alert"], True) in outcomes, f"no test in which {alert['alert']} fires"
        assert (alert["alert"], False) in outcomes, f"no test in which {alert['alert']} does not fire"
        assert alert["labels"]["severity"] in ("critical", "warning", "info")
        assert alert["annotations"]["description"].endswith(".")
