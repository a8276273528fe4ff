"""How git is called: nothing is checked out, fetched or asked, and nobody's settings change what it prints."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

# A file system monitor in a repository's configuration is a program of somebody's that would be run.
_SETTINGS: Final = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=true", "-c", "core.bigFileThreshold=4m")
_STOP_S: Final = 5.0
_MAX_SAID: Final = 300


class GitCommand:
    """Runs git in one folder, which may lie anywhere in a repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *arguments: str, timeout_s: float | None = None) -> subprocess.CompletedProcess[bytes]:
        """The outcome of a command that says little. Raises `TimeoutExpired` after `timeout_s`, if it is given."""
        return subprocess.run(
            self._line(arguments),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=_environment(),
            check=False,
            timeout=timeout_s,
        )

    @contextmanager
    def running(
        self, *arguments: str, stderr: IO[bytes] | int, stdin: int = subprocess.DEVNULL
    ) -> Iterator[subprocess.Popen[bytes]]:
        """A command at work, which is stopped on leaving if it still is."""
        process = subprocess.Popen(
            self._line(arguments), stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, env=_environment()
        )
        try:
            yield process
        finally:
            _stop(process)

    def _line(self, arguments: Sequence[str]) -> list[str]:
        return ["git", "--no-replace-objects", "--no-pager", *_SETTINGS, "-C", str(self.folder), *arguments]


def first_line(said: bytes) -> str:
    """What git said, for a message of ours."""
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return lines[0].removeprefix("fatal: ")[:_MAX_SAID] if lines else "git says nothing"


def _environment() -> Mapping[str, str]:
    """The caller's, less what names another repository: a hook runs with `GIT_DIR` set."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or "CONFIG" in name}
    return {**kept, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"}


def _stop(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):  # it has ended already, and does not hear the rest
                pipe.close()
    try:
        process.wait(0 if process.stdin is None else _STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
