"""The agents as processes: started together, heard one event after the other, ended for certain."""

from __future__ import annotations

import contextlib
import json
import queue
import signal
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, NamedTuple

from agents_demo.assignment import Assignment
from agents_demo.spawn import spawn

MAX_AGENTS: Final = 64
_END_S = 10.0


class Heard(NamedTuple):
    """One event of one agent; None when its output has ended."""

    name: str
    event: dict[str, Any] | None


class Crew:
    """Starts an agent of each name on entering, and leaves none behind. Its logs lie in `folder`."""

    def __init__(self, names: Sequence[str], folder: Path) -> None:
        self.names = tuple(names)
        self._folder = folder
        self._processes: dict[str, subprocess.Popen[str]] = {}
        self._listeners: list[threading.Thread] = []
        self._heard: queue.Queue[Heard] = queue.Queue()

    def __enter__(self) -> Crew:
        try:
            for name in self.names:
                self._start(name)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _start(self, name: str) -> None:
        with self._log(name).open("wb") as log:
            process = self._processes[name] = spawn("agents_demo.agent", self._folder, log)
        listener = threading.Thread(target=self._listen, args=(name, process.stdout), daemon=True)
        self._listeners.append(listener)
        listener.start()

    def assign(self, assignment: Assignment) -> None:
        """Hand an agent its next work, to get ready for."""
        self._tell(assignment.name, json.dumps(assignment.to_json()))

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}.log"

    def _listen(self, name: str, output: IO[str]) -> None:
        with output:
            for line in output:
                with contextlib.suppress(ValueError):  # the last line of a killed process may be cut
                    self._heard.put(Heard(name, json.loads(line)))
        self._heard.put(Heard(name, None))

    def _tell(self, name: str, line: str) -> None:
        pipe = self._processes[name].stdin
        assert pipe is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended, which its output's end tells
            pipe.write(line + "\n")
            pipe.flush()

    def go(self) -> None:
        """Let all begin."""
        for name in self._processes:
            self._tell(name, "go")

    def hear(self, within_s: float) -> Heard | None:
        """The next event of anybody; None if there was none in that time."""
        try:
            return self._heard.get(timeout=max(0.0, within_s))
        except queue.Empty:
            return None

    def freeze(self, name: str) -> None:
        """Stop an agent where it stands (SIGSTOP)."""
        self._processes[name].send_signal(signal.SIGSTOP)

    def thaw(self, name: str) -> None:
        """Let a frozen agent go on."""
        self._processes[name].send_signal(signal.SIGCONT)

    def kill(self, name: str) -> None:
        """End an agent as a crash would (SIGKILL)."""
        self._processes[name].kill()
        self._processes[name].wait(_END_S)

    def last_words(self, name: str) -> str:
        """The last line that an agent wrote to its log, and how it ended."""
        process = self._processes[name]
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_END_S)
        lines = self._log(name).read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return f"exit code {process.returncode}: {lines[-1] if lines else 'it said nothing'}"

    def _end(self) -> None:
        """An agent that has said its end gets a moment to go by itself; the others are killed."""
        for process in self._processes.values():
            assert process.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
        for process in self._processes.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_END_S)
            process.kill()
            process.wait()
        for listener in self._listeners:
            listener.join(_END_S)
