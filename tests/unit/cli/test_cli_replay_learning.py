"""`scentfield replay --learn`: what was replayed is told to the coordinator once."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def trees(tmp_path: Path) -> tuple[str, str]:
    """150 files that differ in a line each, so that ten outcomes and more stand behind what is learned."""
    for name, changed in (("before", "count + 1"), ("after", "count + 2")):
        for number in range(150):
            path = tmp_path / name / f"part{number}.py"
            path.parent.mkdir(exist_ok=True)
            body = "".join(f"    value_{line} = read_value({line}, {number})\n" for line in range(40))
            path.write_text(
                f"def part(count):\n{body}    count = {changed}\n    return count\n\n\ndef rest():\n    pass\n"
            )
    return str(tmp_path / "before"), str(tmp_path / "after")


def replayed(scentfield: Any, trees: tuple[str, str], expect: int = 0) -> Any:
    return scentfield.json("replay", "--before", trees[0], "--after", trees[1], "--lexical", "--learn", expect=expect)


def test_a_replay_is_learned_from_once(scentfield: Any, trees: tuple[str, str]) -> None:
    first = replayed(scentfield, trees)["learned"]
    assert first["is_new"]
    assert {change["after"]["mode"] for change in first["changes"]} >= {"full", "map", "signatures"}
    costs = scentfield.json("learning")["costs"]
    assert {row["n_replayed"] for row in costs} == {15.0}
    assert replayed(scentfield, trees)["learned"] == {"is_new": False, "changes": []}
    assert scentfield.json("learning")["costs"] == costs
    text = scentfield("replay", "--before", trees[0], "--after", trees[1], "--lexical", "--learn").stdout
    assert "nothing changed: this is what is known of this history already" in text


def test_another_range_of_a_repository_takes_the_place_of_the_one_before(scentfield: Any, tmp_path: Path) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    git = ["git", "-c", "user.name=ann", "-c", "user.email=ann@example.org"]
    subprocess.run([*git, "init", "-q"], cwd=root, check=True)
    for number in range(5):
        (root / "a.py").write_text("".join(f"value_{line} = {line * number}\n" for line in range(30)))
        subprocess.run([*git, "add", "-A"], cwd=root, check=True)
        subprocess.run([*git, "commit", "-q", "-m", f"commit {number}"], cwd=root, check=True)
    for limit in (4, 2):
        scentfield.json("replay", "--git", str(root), "--limit", str(limit), "--lexical", "--learn")
    assert {row["n_replayed"] for row in scentfield.json("learning")["costs"]} == {0.2}


def test_without_a_coordinator_it_says_so_before_it_works(scentfield: Any, trees: tuple[str, str]) -> None:
    scentfield.house.down(scentfield.house.settings)
    error = replayed(scentfield, trees, expect=4)["error"]
    assert error["code"] == "unavailable"
    assert "scentfield up" in error["message"]
