"""Small repositories that a test makes itself, so that it knows every hunk."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest


class Repo:
    """A git repository in an empty folder; each commit has its own second, so that names do not hang on the clock."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._n_commits = 0
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        at = f"{1_700_000_000 + self._n_commits} +0000"
        settings = {"user.name": "ann", "user.email": "ann@example.org", "commit.gpgsign": "false"}
        given = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        environment = {**os.environ, "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at, "GIT_CONFIG_GLOBAL": os.devnull}
        done = subprocess.run(
            ["git", *given, *arguments], cwd=self.root, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def write(self, files: dict[str, str | bytes]) -> None:
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, message: str, files: dict[str, str | bytes] | None = None) -> str:
        """Write these files, commit all that is there, and return the commit's name."""
        self.write(files or {})
        self._n_commits += 1
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def make_repo(tmp_path: Path) -> Callable[..., Repo]:
    return lambda name="repo": Repo(tmp_path / name)


@pytest.fixture
def repo(make_repo: Callable[..., Repo]) -> Repo:
    return make_repo()


def function(name: str, n_lines: int = 30) -> str:
    """A Python function of so many lines, every one of its own."""
    body = "".join(f"    {name}_{number} = compute_{name}({number}) + {number * 7}\n" for number in range(2, n_lines))
    return f"def {name}(argument: int) -> int:\n{body}    return {name}_2\n"


@pytest.fixture
def module() -> str:
    """A Python file of three functions of 30 lines: alpha in 1-30, beta in 33-62, gamma in 65-94."""
    return "\n\n".join(function(name) for name in ("alpha", "beta", "gamma"))
