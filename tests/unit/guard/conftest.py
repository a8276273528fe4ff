"""Real repositories of git, whatever the user's own settings are."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

GIT = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "n",
    "GIT_AUTHOR_EMAIL": "n@example.org",
    "GIT_COMMITTER_NAME": "n",
    "GIT_COMMITTER_EMAIL": "n@example.org",
}


class Repository:
    """A work tree at `top`."""

    def __init__(self, top: Path) -> None:
        self.top = top

    def git(self, *arguments: str | bytes, check: bool = True) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(["git", *arguments], cwd=self.top, capture_output=True, check=check)

    def write(self, *names: str | bytes, text: str = "1\n") -> None:
        for name in names:
            at = self.top / (name if isinstance(name, str) else name.decode("utf-8", "surrogateescape"))
            at.parent.mkdir(parents=True, exist_ok=True)
            at.write_text(text, encoding="utf-8")

    def add(self, *names: str | bytes, text: str = "1\n") -> None:
        self.write(*names, text=text)
        self.git("add", "-A", "--", ".")

    def commit(self, *names: str | bytes, text: str = "1\n") -> None:
        self.add(*names, text=text)
        self.git("commit", "-qm", "m", "--no-verify")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Repository]:
    for name, value in GIT.items():
        monkeypatch.setenv(name, value)

    def make(name: str = "repository") -> Repository:
        top = tmp_path / name
        subprocess.run(["git", "init", "-q", "-b", "main", str(top)], check=True)
        return Repository(top)

    return make
