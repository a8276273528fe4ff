"""What of a tree is indexed."""

import subprocess
from pathlib import Path

import pytest

from actors.runtime.errors import Unavailable
from coordinator.retrieval.tree import SETTLED_NS, Sight, is_named_like_secret, look


@pytest.mark.parametrize(
    "name",
    [".env", ".env.local", "prod.env", "deploy/id_rsa", "id_ed25519.pub", "a/server.key", "x.PEM", ".npmrc",
     "credentials", "credentials.json", "secrets.yaml", "main.tfstate", "home/.ssh/config", ".aws/config"],
)  # fmt: skip
def test_names_of_secrets(name: str) -> None:
    assert is_named_like_secret(name)


@pytest.mark.parametrize("name", [".env.example", "env.py", "secrets.py", "docs/secrets.md", "keys.py", "monkey.js"])
def test_names_that_only_look_like_it(name: str) -> None:
    assert not is_named_like_secret(name)


def test_links_hidden_files_and_what_lies_behind_links_are_no_files_of_the_tree(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "tree"
    (root / "in").mkdir(parents=True)
    (root / "in" / "a.md").write_text("a")
    (root / ".hidden").write_text("h")
    (root / "link.md").symlink_to(root / "in" / "a.md")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "b.md").write_text("b")
    (root / "out").symlink_to(tmp_path / "out")
    assert [sight.path for sight in look(root, 10).files] == ["in/a.md"]


def test_git_says_what_is_ignored(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / ".gitignore").write_text("*.log\n")
    (root / "a.log").write_text("x")
    (root / "a b\n.md").write_text("x")
    assert [sight.path for sight in look(root, 10).files] == [".gitignore", "a b\n.md"]


def test_a_folder_that_became_a_link_holds_no_files(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "tree"
    (root / "d").mkdir(parents=True)
    (root / "d" / "a.md").write_text("a")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    subprocess.run(["git", "-C", str(root), "add", "-A"], check=True)
    (root / "d").rename(tmp_path / "elsewhere")
    (root / "d").symlink_to(tmp_path / "elsewhere")
    assert look(root, 10).files == []


def test_files_over_the_limit_are_counted(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.md").write_text("x")
    seen = look(tmp_path.resolve(), 3)
    assert ([sight.path for sight in seen.files], seen.n_over) == (["0.md", "1.md", "2.md"], 2)


def test_a_stamp_is_trusted_when_the_file_had_been_still_for_two_seconds() -> None:
    sight = Sight("a", "s", 1, newest_ns=1_000)
    assert sight.is_settled(1_000 + SETTLED_NS + 1)
    assert not sight.is_settled(1_000 + SETTLED_NS)


def test_a_repository_whose_git_fails_is_not_taken_whole(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    (root / ".git").write_text("gitdir: /nowhere\n")
    (root / "a.log").write_text("x")
    with pytest.raises(Unavailable, match=r"git does not say which files of .* are ignored \(not a git repository"):
        look(root, 10)
