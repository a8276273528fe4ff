"""`scentfield replay`, as scripts call it: real repositories with known hunks, and figures that follow from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer.testing

from coordinator.cli.main import app
from coordinator.reading.mode import WHOLE_FILE_MODES
from coordinator.replay import crew
from coordinator.replay.question import MESSAGE, QueryKind, Question
from coordinator.replay.run import replay_history


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCENTFIELD_DATA_DIR", str(tmp_path / "state"))


def invoked(*arguments: str) -> Any:
    return typer.testing.CliRunner().invoke(app, ["replay", *arguments])


def document(*arguments: str) -> Any:
    done = invoked(*arguments, "--lexical", "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def refused(*arguments: str) -> str:
    done = invoked(*arguments, "--lexical", "--json")
    assert done.exit_code == 2, done.output
    return str(json.loads(done.stdout)["error"]["message"])


@pytest.fixture
def history(repo: Any, module: str) -> Path:
    """Three commits: one line inside beta; one inside gamma and one in a text; a new file."""
    text = "".join(f"sentence {number} of the manual\n" for number in range(1, 4))
    repo.commit("begin", {"a.py": module, "manual.txt": text})
    changed = module.replace("beta_10 = compute_beta(10) + 70", "beta_10 = 0")
    repo.commit("make beta ten nothing", {"a.py": changed})
    changed = changed.replace("gamma_20 = compute_gamma(20) + 140", "gamma_20 = 0")
    repo.commit("and gamma", {"a.py": changed, "manual.txt": text.replace("sentence 2 ", "sentence two ")})
    repo.commit("more", {"b.py": "x = 1\n"})
    root: Path = repo.root
    return root


def test_each_mode_is_told_with_its_hunks_recall_and_share(history: Path) -> None:
    told = document("--git", str(history))
    assert list(told["modes"]) == [mode for mode in WHOLE_FILE_MODES if mode != "diff"]
    assert told["modes"]["full"]["hunks"] == 3
    assert told["modes"]["full"]["hunk_recall"] == 1.0
    assert told["modes"]["map"]["hunk_recall"] == 0.3333  # the text is too short to leave anything out
    assert told["modes"]["map"]["hunks_reached"] == 1.0
    assert 0.05 < told["modes"]["map"]["token_share"] < 0.3
    assert (told["files"], told["hunks"]) == (3, 3)
    assert told["skipped"] == {"added": 3}
    assert told["source"]["commits"] == 4
    assert {name: group["modes"]["full"]["hunks"] for name, group in told["by_extension"].items()} == {
        "py": 2,
        "txt": 1,
    }
    assert told["by_extension"]["py"]["modes"]["map"]["hunk_recall"] == 0.0
    assert told["by_query"]["message"]["modes"] == told["modes"]


def test_modes_can_be_chosen(history: Path) -> None:
    assert list(document("--git", str(history), "--modes", "map,full")["modes"]) == ["full", "map"]
    assert "'lines' cannot be replayed: give --modes some of full" in refused(
        "--git", str(history), "--modes", "map,lines"
    )


def test_a_query_changes_what_a_budget_shows_and_its_kinds_are_told_apart(history: Path, tmp_path: Path) -> None:
    (tmp_path / "description.txt").write_text("beta_10 compute_beta")
    told = document(
        "--git", str(history), "--rev", "HEAD~3..HEAD~2", "--budget", "0.25", "--modes", "entropy",
        "--query", "message", "--query", "none", "--query", str(tmp_path / "description.txt"),
    )  # fmt: skip
    assert list(told["by_query"]) == ["message", "none", "description"]
    assert told["query"] == "message"
    assert told["budget"] == 0.25
    shares = [found["modes"]["entropy"]["token_share"] for found in told["by_query"].values()]
    assert all(0.1 < share <= 0.25 for share in shares)


def test_two_trees_are_compared_without_git(tmp_path: Path, module: str) -> None:
    for name, line in (("before", "alpha_3 = compute_alpha(3) + 21"), ("after", "alpha_3 = 0")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(module.replace("alpha_3 = compute_alpha(3) + 21", line))
    told = document("--before", str(tmp_path / "before"), "--after", str(tmp_path / "after"))
    assert told["query"] == "none"
    assert told["source"]["compared"] == 1
    assert told["modes"]["map"]["hunks_reached"] == 1.0
    assert "have no commit message" in refused(
        "--before", str(tmp_path / "before"), "--after", str(tmp_path / "after"), "--query", "message"
    )


def test_sources_are_named_one_at_a_time(history: Path, tmp_path: Path) -> None:
    assert "name one source" in refused()
    assert "name one source" in refused("--git", str(history), "--before", str(tmp_path))
    assert "--after is missing" in refused("--before", str(tmp_path))
    trees = ("--before", str(tmp_path), "--after", str(tmp_path))
    assert "--rev chooses commits" in refused(*trees, "--rev", "HEAD")
    assert "--limit chooses commits" in refused(*trees, "--limit", "3")
    assert "nothing differs" in refused(*trees)
    assert "is no git repository" in refused("--git", str(tmp_path))
    assert "does not know 'nowhere'" in refused("--git", str(history), "--rev", "nowhere")
    assert "(added 1)" in refused("--git", str(history), "--rev", "HEAD~1..HEAD")


def test_people_get_a_table(history: Path) -> None:
    text = invoked("--git", str(history), "--lexical").stdout
    assert text.startswith("4 commits: 3 hunks in 3 changed files of ")
    assert "passed over: added 3" in text
    assert next(line.split()[:3] for line in text.splitlines() if line.startswith("all ")) == ["all", "full", "3"]


def test_the_same_bytes_come_whatever_the_number_of_processes(history: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "CHUNK", 1)
    question = Question(kinds=(QueryKind(MESSAGE),))
    alone, spread = (json.dumps(replay_history(history, "HEAD", 100, question, n_workers=n).document()) for n in (1, 2))
    assert alone == spread


def test_a_picture_is_drawn_on_request(history: Path, tmp_path: Path) -> None:
    document("--git", str(history), "--plot", str(tmp_path / "replay.png"))
    assert (tmp_path / "replay.png").read_bytes().startswith(b"\x89PNG")
    assert "ends in .png" in refused("--git", str(history), "--plot", str(tmp_path / "replay.txt"))


def test_the_static_model_is_used_unless_it_is_left_out(history: Path) -> None:
    done = invoked("--git", str(history), "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["vectors"] == "static"
    assert document("--git", str(history))["vectors"] == "none"
