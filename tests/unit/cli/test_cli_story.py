"""`scentfield story`: what happened, from the stores, whether or not the coordinator runs."""

from __future__ import annotations

from typing import Any

import pytest

from actors.runtime.errors import Misuse
from coordinator.cli.since import parse_since


@pytest.fixture
def busy(scentfield: Any) -> Any:
    """A house in which ann has a file, bob was refused it, and ann has given it back."""
    scentfield("claim", "a.py", "--agent", "ann", "--intent", "tidy up")
    scentfield("claim", "a.py", "--agent", "bob")
    scentfield("edit", "a.py", "--agent", "bob", "--old", "return 1", "--new", "return 2")
    scentfield("release", "a.py", "--agent", "ann")
    scentfield("down")  # what may be lost in a crash is committed a second later, or now
    return scentfield


def whats(document: Any) -> set[tuple[str, str]]:
    return {(fact["agent"], fact["what"]) for fact in document["facts"]}


def test_the_story_of_a_file_is_told_without_a_coordinator(busy: Any) -> None:
    document = busy.json("story", "a.py")
    assert document["about"] == {"kind": "target", "key": "a.py"}
    assert whats(document) == {("ann#1", "granted"), ("bob#2", "refused"), ("bob#2", "fenced"), ("ann#1", "released")}
    granted, refused = (
        next(one for one in document["facts"] if one["what"] == what) for what in ("granted", "refused")
    )
    assert refused["causes"] == [granted["ref"]]
    assert granted["detail"] == "generation 1: tidy up"
    assert [one["domain"] for one in document["horizons"]] == ["scent_field", "quality_store"]


def test_a_name_inside_a_folder_is_found_from_there(busy: Any, tree: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tree / "src")
    assert busy.json("story", "../a.py")["about"]["key"] == "a.py"


def test_the_story_of_an_agent(busy: Any) -> None:
    assert ("bob#2", "registered") in whats(busy.json("story", "bob#2"))
    assert busy.json("story", "bob#")["about"] == {"kind": "agent", "key": "bob#"}


def test_a_file_that_is_named_like_an_agent(busy: Any) -> None:
    busy("up")
    busy("claim", "./c#1", "--agent", "ann")
    assert busy.json("story", "c#1")["facts"] == []
    assert ("ann#1", "granted") in whats(busy.json("story", "c#1", "--as", "target"))


def test_people_get_a_table_and_how_far_it_reaches(busy: Any) -> None:
    shown = busy("story", "a.py", "--limit", "2")
    assert shown.stdout.splitlines()[0].split() == [
        "fact", "when", "(UTC)", "agent", "what", "where", "how", "because", "of",
    ]  # fmt: skip
    assert "2 earlier facts left out (--limit)" in shown.stdout
    assert "scent_field: all of its" in shown.stdout
    assert "nothing is known to have happened to src/b.py" in busy("story", "src/b.py").stdout


@pytest.mark.parametrize(
    "arguments",
    [("a.py", "--as", "thing"), ("a.py", "--since", "yesterday"), ("ann", "--as", "agent"), ("../../x",), ("",)],
)
def test_what_makes_no_sense_is_refused(busy: Any, arguments: tuple[str, ...]) -> None:
    assert busy("story", *arguments).exit_code == 2


def test_where_nobody_has_written_that_is_said(alone: Any) -> None:
    refused = alone("story", "a.py")
    assert (refused.exit_code, "nobody has written to" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("text", "expected_s"),
    [("90s", 910.0), ("15m", 100.0), ("0.1h", 640.0), ("3d", 0.0), ("1970-01-01T00:05:00+00:00", 300.0)],
)
def test_a_point_in_the_past(text: str, expected_s: float) -> None:
    assert parse_since(text, 1_000.0) == expected_s


@pytest.mark.parametrize("text", ["", "5", "m", "-3m", "1e9d", "99999999-01-01", "2026-13-01", "9" * 400 + "s"])
def test_what_is_no_point_in_the_past(text: str) -> None:
    with pytest.raises(Misuse, match="is no point in the past"):
        parse_since(text, 1_000.0)


def test_the_story_of_a_layer(busy: Any) -> None:
    busy("up")
    busy("learning", "disable", "lessons", "--agent", "ann", "--reason", "does not help")
    document = busy.json("story", "lessons", "--as", "layer")
    assert document["about"] == {"kind": "layer", "key": "lessons"}
    assert [(one["what"], one["targets"], one["detail"]) for one in document["facts"]] == [
        ("switched off", ["lessons"], "does not help")
    ]
    assert busy.json("story", "nothing", "--as", "layer", expect=2)["error"]["code"] == "misuse"
