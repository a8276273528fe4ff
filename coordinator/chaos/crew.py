"""The agents of a chaos run: at each place one process, and another one where that was killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final

_STOP_S: Final = 90.0
_MAX_LOG: Final = 2_000


@dataclass(slots=True)
class Member:
    """An agent's process; `name` is nobody else's, of this place or another."""

    name: str
    process: subprocess.Popen[bytes]
    is_stopped: bool = False

    @property
    def is_running(self) -> bool:
        """Whether it has not ended; a stopped one has not."""
        return self.process.poll() is None


class Crew:
    """As many agents as there are places. `config_of` gives what an agent's process is told, by name and place."""

    def __init__(self, n_places: int, folder: Path, config_of: Callable[[str, int], dict[str, Any]]) -> None:
        self._n_places = n_places
        self._folder = folder
        self._config_of = config_of
        self._n_started = 0
        self.members: dict[int, Member] = {}

    def __enter__(self) -> Crew:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for member in self.members.values():
            self._end(member)

    def fill(self) -> list[Member]:
        """Start an agent at each place that has none; returns those that had ended though nobody killed them."""
        gone = []
        for place in range(self._n_places):
            member = self.members.get(place)
            if member is None or not member.is_running:
                if member is not None:
                    gone.append(member)
                    _close(member)
                self.members[place] = self._start(place)
        return gone

    def _start(self, place: int) -> Member:
        self._n_started += 1
        name = f"agent-{place}-{self._n_started}"
        with (self._folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "coordinator.chaos.agent", json.dumps(self._config_of(name, place))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=self._folder,
            )
        return Member(name, process)

    def await_ready(self) -> None:
        """Wait until all agents are connected."""
        for member in self.members.values():
            if member.process.stdout is not None:
                member.process.stdout.readline()

    def kill(self, place: int) -> str:
        """Kill the agent at a place, and start no other one yet; returns its name."""
        member = self.members.pop(place)
        member.process.kill()
        member.process.wait()
        _close(member)
        return member.name

    def stop(self, place: int) -> Member | None:
        """Let the process stand still; None if it has ended."""
        member = self.members[place]
        if not member.is_running:
            return None
        os.kill(member.process.pid, signal.SIGSTOP)
        member.is_stopped = True
        return member

    def go_on(self, member: Member) -> None:
        """Let a stopped process go on; nothing if it has been killed meanwhile."""
        member.is_stopped = False
        if member.is_running:
            os.kill(member.process.pid, signal.SIGCONT)

    def dismiss(self) -> list[str]:
        """Let all agents say goodbye; returns the names of those that did not come to an end by themselves."""
        for member in self.members.values():
            self.go_on(member)
            if member.process.stdin is not None:
                with suppress(OSError):
                    member.process.stdin.close()
        late = []
        for member in self.members.values():
            try:
                member.process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                late.append(member.name)
            self._end(member)
        self.members.clear()
        return late

    def last_words(self, name: str) -> str:
        """The end of what an agent wrote to its standard error."""
        return (self._folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")[-_MAX_LOG:]

    def _end(self, member: Member) -> None:
        if member.is_running:
            member.process.kill()
            member.process.wait()
        _close(member)


def _close(member: Member) -> None:
    for pipe in (member.process.stdin, member.process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
