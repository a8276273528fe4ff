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


IN_A_HOOK: Final = frozenset(
    f"GIT_{name}"
    for name in (
        "DIR",
        "WORK_TREE",
        "COMMON_DIR",
        "INDEX_FILE",
        "OBJECT_DIRECTORY",
        "ALTERNATE_OBJECT_DIRECTORIES",
        "QUARANTINE_PATH",
        "PREFIX",
    )
)
"""What git tells the hooks that it calls of the repository, and of the index that is being committed."""


class GitCommand:
    """Runs git in one folder, which may lie anywhere in a repository.

    `keeps` are variables that are meant, though they name a repository.
    """

    def __init__(self, folder: Path, *, keeps: frozenset[str] = frozenset()) -> None:
        self.folder = folder
        self._keeps = keeps

    def run(
        self, *arguments: str, timeout_s: float | None = None, given: bytes = b""
    ) -> subprocess.CompletedProcess[bytes]:
        """The outcome of a command that says little and reads `given`.

        Raises `TimeoutExpired` after `timeout_s`, if it is given.
        """
        return subprocess.run(
            self._line(arguments),
            input=given,
            capture_output=True,
            env=_environment(self._keeps),
            check=False,
            timeout=timeout_s,
        )

    @contextmanager
    def running(
        self, *arguments: str, stderr: IO[bytes] | int, stdin: int = subprocess.DEVNULL
    ) -> Iterator[subprocess.Popen[bytes]]:
        """A command at work, which is stopped on leaving if it still is."""
        process = subprocess.Popen(
            self._line(arguments), stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, env=_environment(self._keeps)
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


def _environment(keeps: frozenset[str]) -> Mapping[str, str]:
    """The caller's, less what names another repository: a hook runs with `GIT_DIR` set."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or "CONFIG" in name or name in keeps
    }
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
