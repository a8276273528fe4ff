"""`scentfield learning`: what was learned, as a report, as a bundle for others, and forgotten."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from coordinator.cli import learning

DAY = 19_675  # 2023-11-14, the day on which the house's clock begins
RUST = {"day": DAY, "delta": 0.041, "revision": 27, "samples": 27}
PYTHON = {"day": DAY, "delta": -0.06, "revision": 7, "samples": 7}


def bundle(version: int = 1, origin: str = "3f0c3f0c3f0c3f0c", **thresholds: Any) -> dict[str, Any]:
    learned = {"era": 0, "thresholds": thresholds or {"py": PYTHON, "rs": RUST}, "placement": {}}
    return {"origins": {origin: learned}, "schema": "scentfield-learning", "version": version}


@pytest.fixture
def team(tree: Path) -> Path:
    """A bundle of somebody else, in the current folder."""
    path = tree / "team.json"
    path.write_text(json.dumps(bundle()), encoding="utf-8")
    return path


def exported(scentfield: Any) -> str:
    return scentfield("learning", "export", "-").stdout


def test_before_anything_was_learned_every_section_says_so(scentfield: Any) -> None:
    assert scentfield("learning").stdout.splitlines() == [
        "Learned thresholds",
        "  not yet known: no signals so far",
        "",
        "Placement",
        "  not yet known: begin share 0.70 for every client",
        "",
        "Learned costs",
        "  not yet known: no outcomes so far",
        "",
        "Learned ranking of units",
        "  as by default: nothing learned so far",
        "",
        "Layers",
        "  all are on",
    ]


def test_thresholds_are_shown_with_their_evidence_and_what_they_do(scentfield: Any, team: Path) -> None:
    scentfield("learning", "import", "team.json")
    assert scentfield("learning", "show").stdout.splitlines()[:3] == [
        "Learned thresholds",
        "  .py  -0.060  warming up (7 of 10)",
        "  .rs  +0.041  27 signals  compresses more",
    ]
    rows = scentfield.json("learning")["deltas"]
    assert rows == [
        {"extension": "py", "delta": -0.06, "n_signals": 7, "n_origins": 1, "applies": False},
        {"extension": "rs", "delta": 0.041, "n_signals": 27, "n_origins": 1, "applies": True},
    ]


def test_the_name_alone_shows_what_show_does(scentfield: Any, team: Path) -> None:
    scentfield("learning", "import", "team.json")
    assert scentfield("learning").stdout == scentfield("learning", "show").stdout
    assert scentfield.json("learning") == scentfield.json("learning", "show")


def test_an_import_says_what_it_has_changed_and_a_second_one_that_nothing_did(scentfield: Any, team: Path) -> None:
    first = scentfield("learning", "import", "team.json")
    assert first.stdout.splitlines() == [
        "changed what is known of 1 origin",
        "  .py  +0.000 -> -0.060  0 -> 7 signals",
        "  .rs  +0.000 -> +0.041  0 -> 27 signals",
    ]
    assert scentfield("learning", "import", "team.json").stdout == "nothing changed\n"
    assert scentfield.json("learning", "import", "team.json") == {
        "deltas": [],
        "begin_shares": [],
        "n_origins": 0,
        "n_left_out": 0,
    }


def test_what_is_exported_can_be_imported_elsewhere_and_is_the_same_there(scentfield: Any, team: Path) -> None:
    scentfield("learning", "import", "team.json")
    result = scentfield("learning", "export", "mine.json")
    assert (result.exit_code, result.stderr) == (0, "")
    size = len(Path("mine.json").read_bytes())
    assert result.stdout == f"mine.json: what was learned, {size} bytes\n"
    before = exported(scentfield)
    scentfield.house.forget_everyone()
    assert '"rs"' not in exported(scentfield)
    scentfield("learning", "import", "mine.json")
    assert exported(scentfield) == before == Path("mine.json").read_text(encoding="utf-8")


def test_a_dash_is_standard_output_and_standard_input(scentfield: Any) -> None:
    result = scentfield("learning", "import", "-", text=json.dumps(bundle()))
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "changed what is known of 1 origin")
    assert json.loads(exported(scentfield)) == bundle()
    assert exported(scentfield).startswith('{"origins":{"3f0c')
    assert not Path("-").exists()


def test_with_json_standard_output_holds_one_document(scentfield: Any, team: Path) -> None:
    scentfield("learning", "import", "team.json")
    assert scentfield.json("learning", "export", "-") == bundle()
    size = len(exported(scentfield))
    assert scentfield.json("learning", "export", "mine.json") == {"file": "mine.json", "n_bytes": size}


def test_a_file_that_cannot_be_written_is_misuse_and_leaves_nothing(scentfield: Any, tree: Path) -> None:
    before = sorted(tree.rglob("*"))
    for file in ("nowhere/mine.json", "src", ".", "", "/"):
        error = scentfield.json("learning", "export", file, expect=2)["error"]
        assert error["code"] in ("misuse", "unusable_file"), file
    assert sorted(tree.rglob("*")) == before


def test_an_export_replaces_a_file_and_keeps_its_permissions(scentfield: Any, team: Path) -> None:
    team.chmod(0o640)
    Path("link.json").symlink_to("team.json")
    scentfield("learning", "export", "link.json")
    assert Path("link.json").is_symlink()
    assert json.loads(team.read_text(encoding="utf-8"))["origins"] == {}
    assert stat.S_IMODE(team.stat().st_mode) == 0o640


def test_an_export_never_replaces_what_is_no_file(scentfield: Any, tree: Path) -> None:
    os.mkfifo(tree / "pipe")
    result = scentfield("learning", "export", "pipe")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "is no regular file" in result.stderr
    assert stat.S_ISFIFO((tree / "pipe").stat().st_mode)


BAD_BUNDLES = {
    "empty": (b"", "is not JSON"),
    "no JSON": (b"origins", "is not JSON"),
    "no text": (b"\xff\xfe{}", "is not UTF-8"),
    "something else": (b'{"name": "package", "version": 1}', "is no bundle of what was learned"),
    "a newer version": (json.dumps(bundle(version=2)).encode(), "of version 2"),
    "not a number": (json.dumps(bundle(rs={**RUST, "delta": float("nan")})).encode(), "NaN, which is no number"),
    "infinity": (json.dumps(bundle(rs={**RUST, "delta": float("inf")})).encode(), "Infinity, which is no number"),
    "over the clamp": (json.dumps(bundle(rs={**RUST, "delta": 0.16})).encode(), "from -0.15 to 0.15"),
    "a count below zero": (json.dumps(bundle(rs={**RUST, "samples": -1})).encode(), "from 0 to 999999"),
    "a name with a secret": (json.dumps(bundle(**{"api.key/hunter2": RUST})).encode(), "could carry secrets"),
    "a field more": (json.dumps(bundle(rs={**RUST, "path": "a.rs"})).encode(), "could carry secrets"),
    "nested deep": (b'{"schema":' + b"[" * 100_000, "is nested too deep"),
    "over the limit": (b" " * (6 * 2**20 + 1), "over the limit of 6291456"),
    "over what is read at all": (b" " * (learning.MAX_FILE_BYTES + 1), "which is the limit: it is no bundle of ours"),
}


def test_a_bundle_that_cannot_be_used_is_refused_whole(scentfield: Any, team: Path) -> None:
    scentfield("learning", "import", "team.json")
    before = exported(scentfield)
    for what, (text, reason) in BAD_BUNDLES.items():
        Path("bad.json").write_bytes(text)
        result = scentfield("learning", "import", "bad.json")
        assert (what, result.exit_code, result.stdout) == (what, 2, "")
        assert reason in result.stderr, what
    assert exported(scentfield) == before


def test_a_bundle_that_cannot_be_read_is_misuse_before_anybody_is_asked(alone: Any, tree: Path) -> None:
    for file, reason in (("nowhere.json", "No such file"), ("src", "Is a directory")):
        result = alone("learning", "import", file)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"error: the bundle '{file}' cannot be read ({reason}")


def test_a_bundle_without_end_is_not_read_to_it(scentfield: Any) -> None:
    assert scentfield.json("learning", "import", "/dev/zero", expect=2)["error"]["code"] == "misuse"


def test_one_extension_is_forgotten_and_the_others_stay(scentfield: Any, team: Path) -> None:
    scentfield("learning", "import", "team.json")
    result = scentfield("learning", "reset", "--extension", ".RS")
    assert result.stdout == (
        "forgot .rs: 1 contribution, 0 client profiles, 0 costs, 0 edit records, 0 pending escalations, "
        "0 bounce rates, 0 remembered files\n"
    )
    assert scentfield("learning", "reset", "--extension", ".RS").stdout == "there was nothing to forget\n"
    assert [row["extension"] for row in scentfield.json("learning")["deltas"]] == ["py"]


def test_everything_is_forgotten_only_on_demand(scentfield: Any, team: Path) -> None:
    scentfield("learning", "import", "team.json")
    refused = scentfield("learning", "reset")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "give --yes to forget everything" in refused.stderr
    assert len(scentfield.json("learning")["deltas"]) == 2
    forgotten = scentfield.json("learning", "reset", "--yes")
    assert forgotten == {
        "n_contributions": 2,
        "n_profiles": 0,
        "n_costs": 0,
        "outcomes": {"n_pairs": 0, "n_escalations": 0, "n_rates": 0, "n_paths": 0},
    }
    assert scentfield.json("learning")["deltas"] == []


def test_a_layer_is_switched_off_and_on_with_a_line_for_each(scentfield: Any) -> None:
    off = scentfield("learning", "disable", "edit_penalty", "--reason", "no difference in 30 days", "--agent", "ann")
    assert off.stdout == "edit_penalty is off\n"
    assert (
        scentfield("learning", "disable", "edit_penalty", "--agent", "bob").stdout == "edit_penalty was off already\n"
    )
    assert scentfield("learning", "disable", "lessons", "--agent", "bob").stdout == "lessons is off\n"
    assert scentfield("learning", "disable", "begin_share", "--agent", "bob").stdout == "begin_share is off\n"
    shown = scentfield("learning").stdout.splitlines()
    assert "  off: begin_share, edit_penalty, lessons" in shown
    (line,) = (line for line in shown if "edit_penalty off by" in line)
    assert line.endswith("edit_penalty off by ann#1: no difference in 30 days")
    now = scentfield.json("learning", "enable", "lessons", "--agent", "ann")
    assert now == {"layer": "lessons", "is_on": True, "has_changed": True}
    layers = scentfield.json("learning")["layers"]
    assert sorted(layer for one in layers for layer in one["off"]) == ["begin_share", "edit_penalty"]
    assert sorted(scentfield.json("efficacy")["off"]) == ["begin_share", "edit_penalty"]
    assert "switched off: begin_share, edit_penalty" in scentfield("efficacy").stdout


@pytest.mark.parametrize(
    "arguments",
    [("disable", "magic"), ("enable", ""), ("disable", "lessons", "--reason", "a\nb"), ("disable",)],
)
def test_what_is_no_layer_or_no_reason_switches_nothing(scentfield: Any, arguments: tuple[str, ...]) -> None:
    assert scentfield("learning", *arguments, "--agent", "ann").exit_code == 2
    assert "  all are on" in scentfield("learning").stdout.splitlines()


def test_what_failed_edits_have_made_full_is_forgotten_too(scentfield: Any) -> None:
    body = "".join(f"def f{n}():\n    first = {n}\n    return first * {n}\n" for n in range(80))
    Path("a.py").write_text(body, encoding="utf-8")
    for _ in range(2):
        scentfield("read", "a.py", "--mode", "map", "--agent", "ann")
        scentfield("edit", "a.py", "--old", "    return 9999", "--new", "x", "--agent", "ann")
    scentfield("read", "src/b.py", "--agent", "ann")
    before = scentfield.json("status", "-v")["edit_quality"]
    assert [(row["n_fails"], row["risky"]) for row in before["pairs"] if row["mode"] != "full"] == [(2, True)]
    assert scentfield.json("learning", "reset", "--extension", "rs")["outcomes"]["n_pairs"] == 0
    gone = scentfield.json("learning", "reset", "--extension", ".PY")["outcomes"]
    assert (gone["n_pairs"], gone["n_rates"] > 0) == (1, True)
    assert scentfield.json("status", "-v")["edit_quality"]["pairs"] == []


def test_an_extension_that_is_none_forgets_nothing_whatever_else_is_given(scentfield: Any, team: Path) -> None:
    scentfield("learning", "import", "team.json")
    for extension in ("", ".", " ", "a/b", "a" * 17):
        result = scentfield("learning", "reset", "--extension", extension, "--yes")
        assert (extension, result.exit_code) == (extension, 2)
        assert "is not an extension" in result.stderr
    assert len(scentfield.json("learning")["deltas"]) == 2


@pytest.mark.parametrize(
    "arguments", [["show"], ["export", "mine.json"], ["import", "team.json"], ["reset", "--yes"], []]
)
def test_without_a_coordinator_it_is_exit_code_4(alone: Any, team: Path, arguments: list[str]) -> None:
    assert alone.json("learning", *arguments, expect=4)["error"]["code"] == "unavailable"
    assert not Path("mine.json").exists()


def test_wrong_usage_inside_a_group_points_at_the_groups_help(alone: Any) -> None:
    result = alone("learning", "nope")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: No such command 'nope'.\nnext: scentfield learning --help\n"
    assert alone.json("learning", "nope", expect=2)["error"]["code"] == "usage"
    assert alone("learning", "import").stderr.endswith("next: scentfield learning import --help\n")
