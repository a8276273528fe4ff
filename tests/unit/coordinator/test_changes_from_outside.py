"""Editors, formatters, git: what changes files without asking, and what follows for agents that have read them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

N_FILES = 200
FILE = "".join(f"def f{n}(a, b):\n    c = a + b\n    return c * {n}\n\n\n" for n in range(12))


def git(root: Path, *arguments: str) -> str:
    named = ["-c", "user.name=ann", "-c", "user.email=ann@example.org", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *named, *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.fixture
def repository(tree: Path) -> Path:
    """Two branches that differ in every one of many files."""
    git(tree, "init", "-q")
    for number in range(N_FILES):
        (tree / f"m{number}.py").write_text(FILE)
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "main")
    git(tree, "checkout", "-q", "-b", "other")
    for number in range(N_FILES):
        (tree / f"m{number}.py").write_text(FILE.replace("a + b", "b - a"))
    (tree / "a.py").unlink()
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "other")
    git(tree, "checkout", "-q", "main")
    return tree


def stuck(agent) -> list[str]:
    return [row.target for row in agent.sync(limit=500).rows if row.kind == "STUCK"]


def test_a_branch_switch_makes_no_storm(agent, transport, repository):
    ann = agent("ann")
    for number in range(N_FILES):
        ann.read(f"m{number}.py", "signatures")
    for number in range(4):
        ann.edit(f"m{number}.py", "nowhere in it", "x")
    transport.pass_time(1)
    before = stuck(ann)
    git(repository, "checkout", "-q", "other")
    for number in range(N_FILES):
        assert ann.read(f"m{number}.py", "full").view.mode == "full"
    transport.pass_time(1)
    statistics = ann.statistics()[1]
    assert stuck(ann) == before
    assert sum(row.n_bounces for row in statistics.ledger) == 0
    assert (statistics.escalations_changed, statistics.escalations_pending) == (4, 0)
    assert statistics.paths_full == 0
    assert {row.kind for row in ann.sync(limit=500).rows} <= {"HOT", "STUCK"}


def test_an_edit_after_a_branch_switch_is_told_that_it_came_from_outside(agent, repository):
    ann = agent("ann")
    ann.read("m7.py", "full")
    git(repository, "checkout", "-q", "other")
    missed = ann.edit("m7.py", "def f3(a, b):\n    c = a + b\n", "def f3(a, b):\n    c = a * b\n")
    assert str(missed.cause) == "changed"
    assert missed.evidence.startswith("changed outside Scentfield; since you read it:\n")
    assert ann.edit("m7.py", "def f3(a, b):\n    c = b - a\n", "def f3(a, b):\n    c = a * b\n")
    assert [pair.n_fails for pair in ann.edit_quality().pairs] == [0]


def test_a_file_that_a_branch_has_not_is_missing_and_nobody_is_blamed(agent, repository):
    ann = agent("ann")
    ann.read("a.py")
    git(repository, "checkout", "-q", "other")
    missed = ann.edit("a.py", "return 1", "return 2")
    assert (str(missed.cause), missed.evidence) == ("missing_file", "")


def test_a_switch_there_and_back_changes_nothing(agent, repository):
    ann = agent("ann")
    ann.read("m7.py", "signatures")
    ann.edit("a.py", "return 1", "return 2")
    git(repository, "stash", "-q")
    git(repository, "checkout", "-q", "other")
    assert ann.undo("a.py").cause == "cannot_undo"
    git(repository, "checkout", "-q", "main")
    git(repository, "stash", "pop", "-q")
    assert ann.edit("m7.py", "def f3(a, b):\n", "def f3(a, b, /):\n").warnings == ()
    assert ann.undo("a.py")


def test_a_formatter_that_leaves_the_quoted_text_lets_the_edit_through_with_a_warning(agent, tree):
    ann = agent("ann")
    ann.read("a.py")
    (tree / "a.py").write_text("def f():\n    return 1\n\n\n")
    done = ann.edit("a.py", "return 1", "return 2")
    assert done.applied
    assert "changed since you read it" in done.warnings[0]


def test_a_formatter_that_touches_the_quoted_text_is_a_change_from_outside(agent, tree):
    ann = agent("ann")
    (tree / "a.py").write_text("def f( a ):\n    return  a\n")
    ann.read("a.py")
    (tree / "a.py").write_text("def f(a):\n    return a\n")
    missed = ann.edit("a.py", "def f( a ):\n    return  a\n", "pass\n")
    assert str(missed.cause) == "changed"
    assert "only white space differs: spaces within a line" in missed.message
    assert "outside Scentfield" in missed.evidence


def test_an_editor_that_saves_by_renaming_is_noticed_by_the_content(agent, tree):
    ann = agent("ann")
    ann.read("a.py")
    (tree / "a.py~").write_text("def f():\n    return 10\n")
    (tree / "a.py~").replace(tree / "a.py")
    assert str(ann.edit("a.py", "    return 1\n", "    return 2\n").cause) == "changed"
    assert ann.read("a.py").view.body == "def f():\n    return 10\n"


def test_a_file_whose_time_stamp_alone_changed_is_the_same(agent, tree):
    ann = agent("ann")
    ann.read("a.py")
    (tree / "a.py").touch()
    assert ann.edit("a.py", "return 1", "return 2").warnings == ()


@pytest.fixture
def work_trees(repository: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Two checked-out trees of one repository, on the same commit."""
    second = tmp_path / "second"
    git(repository, "worktree", "add", "-q", "-b", "second", str(second), "main")
    return repository, second


def test_work_trees_of_a_repository_share_their_claims(agent, work_trees):
    one, other = work_trees
    ann, bob = agent("ann", root=one), agent("bob", root=other)
    assert ann.space == bob.space
    assert ann.claim("a.py")
    assert not bob.claim("a.py")
    assert str(bob.edit("a.py", "return 1", "return 2").cause) == "claimed"


def test_an_edit_in_one_work_tree_is_no_change_of_the_file_in_another(agent, work_trees):
    one, other = work_trees
    ann, bob = agent("ann", root=one), agent("bob", root=other)
    ann.read("a.py")
    assert bob.edit("a.py", "return 1", "return 2")
    assert (one / "a.py").read_text() == "def f():\n    return 1\n"
    again = ann.read("a.py")
    assert (again.view.source, again.hints) == ("small_file", ())
    refused = ann.undo("a.py")
    assert "no edit of 'a.py' is on record" in refused.message
    assert (other / "a.py").read_text() == "def f():\n    return 2\n"
    (one / "a.py").write_text("def f():\n    return 2\n")
    missed = ann.edit("a.py", "    return 1\n", "    return 3\n")
    assert "outside Scentfield" in missed.evidence
    assert bob.undo("a.py")


def test_a_child_edits_what_its_parent_holds_and_siblings_do_not(agent, tree):
    ann = agent("ann")
    mine = ann.claim("*.py", intent="tidy up")
    child, sibling, stranger = agent("child", parent=ann.agent_id), agent("sib", parent=ann.agent_id), agent("bob")
    assert child.agent_id == "ann/child#2"
    assert child.edit("a.py", "return 1", "return 2")
    assert mine.valid
    assert str(stranger.edit("a.py", "return 2", "return 3").cause) == "claimed"
    assert child.claim("a.py")
    assert str(sibling.edit("a.py", "return 2", "return 3").cause) == "claimed"
    assert child.move("long.py", "far.py")
    assert ann.check("far.py", mine.generation).holds


def test_what_a_child_changed_is_news_for_its_parent(agent):
    ann = agent("ann")
    ann.read("long.py")
    child = agent("child", parent=ann.agent_id)
    child.edit("long.py", "    value_77 = 77\n", "    value_77 = 78\n")
    fresh = ann.read("long.py")
    assert (fresh.view.mode, fresh.view.source) == ("diff", "changed_by_other")
    assert child.agent_id in fresh.hints[0]
