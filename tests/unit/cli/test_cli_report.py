"""`scentfield status -v`: one section for each thing that is learned, and groups of commands."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.errors import Unavailable
from coordinator.cli.main import _GROUPS, _PANELS

HEADINGS = [
    "Edit quality (compression-correlated)",
    "Auto-mode sources",
    "Bounces",
    "Learned thresholds",
    "Placement",
    "Savings (net of bounces and retries)",
    "Learning Efficacy",
    "Embedding",
]


def sections(output: str) -> dict[str, list[str]]:
    """The lines below each heading."""
    found: dict[str, list[str]] = {}
    for block in output.split("\n\n")[1:]:
        heading, *lines = block.splitlines()
        found[heading] = lines
    return found


def test_before_anything_has_happened_every_section_is_there_and_says_so(scentfield: Any) -> None:
    seen = sections(scentfield("status", "-v").stdout)
    assert list(seen) == HEADINGS
    assert seen["Edit quality (compression-correlated)"] == [
        "  no edit outcomes yet",
        "  escalations: 0 served, 0 pending",
    ]
    assert seen["Auto-mode sources"] == ["  no automatic reads yet"]
    assert seen["Bounces"] == ["  no reads yet", "  path memory: 0 files, 0 of them read in full"]
    assert seen["Learned thresholds"] == ["  not yet known: no signals so far"]
    assert seen["Placement"] == ["  not yet known: begin share 0.70 for every client"]
    assert seen["Savings (net of bounces and retries)"] == ["  not yet known: nothing was read"]
    assert seen["Learning Efficacy"] == [
        "  bounce rate: not yet known (fewer than 20 compressed reads this week)",
        "  playbook survival: not yet known, no entry is ten turns old",
        "  duplicate work prevented: 0",
    ]
    (model,) = seen["Embedding"]
    assert model.startswith("  no model: off: ")


def test_what_happened_is_in_the_sections_and_in_the_document(scentfield: Any) -> None:
    learned = {"day": 19_675, "delta": 0.041, "revision": 27, "samples": 27}
    origin = {"era": 0, "thresholds": {"rs": learned}, "placement": {}}
    bundle = {"origins": {"3f0c3f0c3f0c3f0c": origin}, "schema": "scentfield-learning", "version": 1}
    scentfield("learning", "import", "-", text=json.dumps(bundle))
    scentfield("read", "a.py", "--agent", "ann")
    scentfield("edit", "a.py", "--old", "return 9", "--new", "return 2", "--agent", "ann")
    scentfield("claim", "a.py", "--agent", "ann")
    scentfield("claim", "a.py", "--agent", "bob")
    seen = sections(scentfield("status", "-v").stdout)
    assert seen["Edit quality (compression-correlated)"][0].split("  ")[1] == "py|full"
    assert seen["Auto-mode sources"] == ["  small_file  1"]
    assert seen["Bounces"][0] == "  py  bounces 0 of 1 reads, now 0.0%"
    assert seen["Learned thresholds"] == ["  .rs  +0.041  27 signals  compresses more"]
    assert "tokens saved net" in seen["Savings (net of bounces and retries)"][0]
    assert seen["Learning Efficacy"][2] == "  duplicate work prevented: 1"
    document = scentfield.json("status", "-v")
    assert document["learning"]["deltas"][0]["extension"] == "rs"
    assert document["read_quality"]["rates"][0]["n_reads"] == 1
    assert document["quality_statistics"]["sources"] == [{"source": "small_file", "n": 1}]
    assert document["savings"]["days"][0]["period"] == "2023-11-14"
    assert document["embedding"]["state"] == "off"
    assert "not_told" not in document


def test_without_v_none_of_it_is_asked_for(scentfield: Any) -> None:
    asked: list[str] = []
    scentfield.house.before_call = lambda domain, _raw: asked.append(domain)
    document = scentfield.json("status")
    assert {"learning", "savings", "embedding"}.isdisjoint(document)
    assert set(asked) == {"scent_field"}


def test_a_model_that_is_switched_off_is_said_to_be(scentfield: Any, tree: Any) -> None:
    (tree / "scentfield.toml").write_text('[embedding]\nmodel = "off"\n', encoding="utf-8")
    assert "switched off" in sections(scentfield("status", "-v").stdout)["Embedding"][0]


def test_an_actor_that_does_not_answer_leaves_the_rest_of_the_status(scentfield: Any) -> None:
    def break_down(domain: str, _raw: bytes) -> None:
        if domain == "thresholds":
            raise Unavailable("thresholds cannot be reached")

    scentfield.house.before_call = break_down
    result = scentfield("status", "-v")
    assert result.exit_code == 4
    assert "no agent is alive\n" in result.stdout
    assert result.stdout.endswith("how edits and reads went cannot be told: thresholds cannot be reached\n")
    assert scentfield.json("status", "-v", expect=4)["not_told"] == "thresholds cannot be reached"


@pytest.mark.parametrize("group", _GROUPS)
def test_every_group_lists_its_commands_and_each_has_help_with_json_and_agent(alone: Any, group: str) -> None:
    _, verbs = _GROUPS[group]
    overview = alone(group, "--help").stdout
    for verb in verbs:
        assert f"│ {verb} " in overview
        result = alone(group, verb, "--help")
        assert result.exit_code == 0
        assert "--json" in result.stdout
        assert "--agent" in result.stdout
    assert f"│ {group} " in alone("--help").stdout


def test_common_options_may_stand_before_inside_and_after_a_group(scentfield: Any) -> None:
    for arguments in (
        ("--json", "learning", "show"),
        ("learning", "--json", "show"),
        ("learning", "show", "--json"),
        ("learning", "--json"),
    ):
        assert json.loads(scentfield(*arguments).stdout)["deltas"] == []


def test_the_page_on_the_command_line_lists_every_command() -> None:
    page = (Path(__file__).parents[3] / "docs" / "cli.md").read_text(encoding="utf-8")
    rows = [f"{row} ".replace("[", "").replace("]", "") for row in re.findall(r"^\| `(.+?)` \|", page, re.MULTILINE)]
    commands = [name for names in _PANELS.values() for name in names]
    commands += [f"{group} {verb}" for group, (_, verbs) in _GROUPS.items() for verb in verbs]
    assert [name for name in commands if not any(row.startswith(f"{name} ") for row in rows)] == []
