"""What a file's last commits say about its lines, asked of git beside the reader.

Git may need long in a large repository, and no read waits for it: one that comes before the answer goes without, says
so, and the next one has it. An answer is kept for the content that it is about, so equal reads stay equal.
"""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from coordinator.git_command import GitCommand
from coordinator.reading.line_history import MAX_CHANGES, LineHistory, Patch, line_history
from coordinator.reading.source import SourceText

WAIT_S: Final = 0.15
LIMIT_S: Final = 10.0
MAX_BYTES: Final = 4 * 2**20
MAX_KEPT: Final = 64
NOT_READY: Final = "history not ready"
_PATCH: Final = ("--patch", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")
_LOG: Final = (
    "log", f"--max-count={MAX_CHANGES}", "--no-merges", *_PATCH, "--no-show-signature", "--no-notes",
    "--encoding=UTF-8", "--format=%x00%B%x00",
)  # fmt: skip
_UNCOMMITTED: Final = ("diff", *_PATCH, "HEAD", "--")


@dataclass(slots=True)
class _Asked:
    """One question to git; `history` is None until it is `done`, and where git has no answer."""

    done: threading.Event = field(default_factory=threading.Event)
    history: LineHistory | None = None


class GitHistory:
    """The histories of files below `root`; safe to use from several threads. Without a repository there are none.

    `start` runs what it is given beside the caller; `wait_s` is how long a read may wait for an answer.
    """

    def __init__(
        self, root: Path, *, start: Callable[[Callable[[], None]], None] | None = None, wait_s: float = WAIT_S
    ) -> None:
        self._git = GitCommand(root)
        self._is_there = any((at / ".git").exists() for at in (root, *root.parents))
        self._start = start or _in_a_thread
        self._wait_s = wait_s
        self._asked: dict[tuple[str, str], _Asked] = {}
        self._lock = threading.Lock()

    def of(self, target: str, source: SourceText) -> tuple[LineHistory | None, str]:
        """The history of a file that holds `source`, and what to say about it: `NOT_READY`, or nothing."""
        if not self._is_there:
            return None, ""
        asked = self._ask(target, source)
        if not asked.done.wait(self._wait_s):
            return None, NOT_READY
        return asked.history, ""

    def _ask(self, target: str, source: SourceText) -> _Asked:
        key = (target, source.content_hash)
        with self._lock:
            if key in self._asked:
                return self._asked[key]
            asked = self._asked[key] = _Asked()
            while len(self._asked) > MAX_KEPT:
                del self._asked[next(iter(self._asked))]
        self._start(lambda: self._answer(asked, target, source))
        return asked

    def _answer(self, asked: _Asked, target: str, source: SourceText) -> None:
        try:
            asked.history = self._history(target, source)
        except OSError:  # no git, or no process to be had: a read goes on without
            asked.history = None
        finally:
            asked.done.set()

    def _history(self, target: str, source: SourceText) -> LineHistory | None:
        n_lines = len(source.lines)
        if source.text.count("\n") + (not source.text.endswith("\n")) != n_lines:
            return None  # git counts lines by LF alone
        uncommitted = _said(self._git, *_UNCOMMITTED, f":(literal){target}")
        committed = committed_patches(self._git, "HEAD", f":(literal){target}")
        if uncommitted is None or committed is None:
            return None
        return line_history([Patch.parse("", uncommitted), *committed], n_lines)


def committed_patches(git: GitCommand, revision: str, path: str) -> list[Patch] | None:
    """The last commits to a path up to a revision, newest first; None where git fails, is slow, or says too much."""
    log = _said(git, *_LOG, revision, "--", path)
    if log is None:
        return None
    parts = log.split("\0")
    return [Patch.parse(*pair) for pair in zip(parts[1::2], parts[2::2], strict=False)]


def _said(git: GitCommand, *arguments: str) -> str | None:
    """What git prints; None where it fails, takes too long or says too much."""
    with git.running(*arguments, stderr=subprocess.DEVNULL) as process:
        timer = threading.Timer(LIMIT_S, process.kill)
        timer.daemon = True
        timer.start()
        try:
            assert process.stdout is not None  # it is a pipe
            raw = process.stdout.read(MAX_BYTES + 1)
            if len(raw) > MAX_BYTES or process.wait():
                return None
        finally:
            timer.cancel()
    return raw.decode("utf-8", "replace")


def _in_a_thread(work: Callable[[], None]) -> None:
    threading.Thread(target=work, name="git-history", daemon=True).start()
