"""What was learned, the read ledger and the model, as the command line shows and moves them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

DAY_S = 86_400.0
BUNDLE = json.dumps(
    {
        "origins": {
            "0123456789abcdef": {
                "era": 0,
                "placement": {},
                "thresholds": {"md": {"day": 19_675, "delta": -0.06, "revision": 11, "samples": 11}},
            }
        },
        "schema": "scentfield-learning",
        "version": 1,
    }
)


def imported(scentfield: Any, tree: Path) -> None:
    (tree / "team.json").write_text(BUNDLE, encoding="utf-8")
    assert scentfield("learning", "import", "team.json", "--agent", "ann").exit_code == 0


def next_day(scentfield: Any) -> None:
    scentfield.house.actors["quality_store"].now_s += DAY_S


def test_where_nothing_was_learned_it_says_so(scentfield: Any) -> None:
    shown = scentfield("learning").stdout
    assert "Learned thresholds\n  not yet known: no signals so far\n" in shown
    assert scentfield.json("learning", "show")["deltas"] == []


def test_an_import_names_what_it_changed_and_changes_nothing_the_second_time(scentfield: Any, tree: Path) -> None:
    (tree / "team.json").write_text(BUNDLE, encoding="utf-8")
    first = scentfield("learning", "import", "team.json", "--agent", "ann").stdout
    assert first == "changed what is known of 1 origin\n  .md  +0.000 -> -0.060  0 -> 11 signals\n"
    assert scentfield("learning", "import", "team.json", "--agent", "ann").stdout == "nothing changed\n"
    assert "  .md  -0.060  11 signals  backs off\n" in scentfield("learning").stdout


def test_what_is_exported_can_be_imported_elsewhere_and_is_the_same_again(scentfield: Any, tree: Path) -> None:
    imported(scentfield, tree)
    assert scentfield("learning", "export", "out.json").exit_code == 0
    assert json.loads((tree / "out.json").read_bytes()) == json.loads(BUNDLE)
    assert scentfield("learning", "export", "-").stdout.encode() == (tree / "out.json").read_bytes()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("not json", "JSON"),
        (BUNDLE.replace('"version": 1', '"version": 2'), "version"),
        (BUNDLE.replace("-0.06", "NaN"), "NaN"),
        (BUNDLE.replace('"md"', '"src/secret.py"'), "src/secret.py"),
    ],
)
def test_a_bundle_that_cannot_be_used_is_refused_and_nothing_is_merged(
    scentfield: Any, tree: Path, text: str, says: str
) -> None:
    (tree / "bad.json").write_text(text, encoding="utf-8")
    result = scentfield("learning", "import", "bad.json", "--agent", "ann")
    assert result.exit_code == 2
    assert says in result.stderr
    assert scentfield.json("learning")["deltas"] == []


def test_a_bundle_that_is_not_there_is_a_usage_error(scentfield: Any) -> None:
    result = scentfield("learning", "import", "nowhere.json", "--agent", "ann")
    assert (result.exit_code, "nowhere.json" in result.stderr) == (2, True)


def test_an_export_into_a_folder_that_is_not_there_leaves_nothing_behind(scentfield: Any, tree: Path) -> None:
    before = sorted(tree.rglob("*"))
    result = scentfield("learning", "export", "no/such/folder/out.json")
    assert (result.exit_code, "cannot be written" in result.stderr) == (2, True)
    assert sorted(tree.rglob("*")) == before


def test_everything_is_forgotten_only_at_an_explicit_word(scentfield: Any, tree: Path) -> None:
    imported(scentfield, tree)
    refused = scentfield("learning", "reset", "--agent", "ann")
    assert (refused.exit_code, "nothing was forgotten" in refused.stderr) == (2, True)
    assert len(scentfield.json("learning")["deltas"]) == 1
    assert scentfield.json("learning", "reset", "--yes", "--agent", "ann")["n_contributions"] == 1
    assert scentfield.json("learning")["deltas"] == []


def test_one_extension_is_forgotten_by_its_name(scentfield: Any, tree: Path) -> None:
    imported(scentfield, tree)
    assert scentfield("learning", "reset", "--extension", "md", "--agent", "ann").stdout.startswith("forgot .md: 1 ")


def test_the_ledger_shows_what_reads_have_cost_by_day(scentfield: Any) -> None:
    assert scentfield("ledger").stdout == "not yet known: nothing was read so far\n"
    scentfield("read", "a.py", "--agent", "ann")
    days = scentfield.json("ledger")["days"]
    assert [day["period"] for day in days] == ["2023-11-14"]
    assert days[0]["rows"][0]["extension"] == "py"


def closed_day(scentfield: Any) -> None:
    scentfield("read", "a.py", "--agent", "ann")
    next_day(scentfield)
    scentfield("read", "a.py", "--agent", "ann")
    assert scentfield("ledger", "export", "ledger.jsonl").exit_code == 0


def test_a_closed_day_is_exported_signed_and_verifies_without_a_coordinator(scentfield: Any) -> None:
    closed_day(scentfield)
    scentfield.house.down(scentfield.house.settings)
    told = scentfield.json("ledger", "verify", "ledger.jsonl")
    assert (told["n_days"], told["faults"]) == (1, [])
    public_key = scentfield.state_dir / "ledger.pub"
    assert scentfield("ledger", "verify", "ledger.jsonl", "--key", str(public_key)).exit_code == 0


def test_a_changed_day_is_found_and_named(scentfield: Any, tree: Path) -> None:
    closed_day(scentfield)
    ledger = tree / "ledger.jsonl"
    record = json.loads(ledger.read_text(encoding="utf-8"))
    record["content"] = record["content"].replace('"py"', '"rs"')
    ledger.write_text(json.dumps(record) + "\n", encoding="utf-8")
    told = scentfield.json("ledger", "verify", "ledger.jsonl", expect=1)
    assert {(fault["day"], fault["kind"]) for fault in told["faults"]} == {
        ("2023-11-14", "changed"),
        ("2023-11-14", "wrong_signature"),
    }


@pytest.mark.parametrize(
    "text", ["[]\n", "{}\n", "no json\n", '{"day": 1, "content": 2, "digest": "", "signature": ""}']
)
def test_what_is_no_ledger_is_refused_with_its_line(scentfield: Any, tree: Path, text: str) -> None:
    (tree / "bad.jsonl").write_text(text, encoding="utf-8")
    result = scentfield("ledger", "verify", "bad.jsonl")
    assert (result.exit_code, "line 1 of 'bad.jsonl'" in result.stderr) == (2, True)


def test_a_file_that_is_no_key_is_refused(scentfield: Any, tree: Path) -> None:
    closed_day(scentfield)
    result = scentfield("ledger", "verify", "ledger.jsonl", "--key", "a.py")
    assert "does not hold a ledger's public key" in result.stderr


def test_a_model_that_is_switched_off_is_unavailable_and_says_how_to_switch_it_on(scentfield: Any) -> None:
    result = scentfield("embedding", SCENTFIELD_EMBEDDING__MODEL="off")
    assert (result.exit_code, "set model under [embedding]" in result.stdout) == (4, True)


def test_verbose_status_has_a_section_for_each_thing_that_is_learned(scentfield: Any) -> None:
    lines = scentfield("status", "-v", SCENTFIELD_EMBEDDING__MODEL="off").stdout.splitlines()
    for heading in (
        *("Edit quality (compression-correlated)", "Auto-mode sources", "Learned thresholds", "Placement"),
        *("Learning Efficacy", "Embedding"),
    ):
        assert heading in lines
    document = json.loads(scentfield("status", "-v", "--json", SCENTFIELD_EMBEDDING__MODEL="off").stdout)
    assert document["embedding"]["state"] == "off"
    assert document["learning"]["deltas"] == []
