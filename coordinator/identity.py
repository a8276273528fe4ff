"""What an agent is called when nobody has named it, and which processes it may be found by."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Set
from typing import Final

import psutil

MAX_SEATS: Final = 64
LAUNCHERS: Final = frozenset(
    ("env", "nice", "nohup", "setsid", "stdbuf", "sudo", "time", "timeout", "uv", "uvx", "xargs")
)
"""Programs that start one command and end with it: whoever called them is meant."""
SHELLS: Final = frozenset(("ash", "bash", "dash", "fish", "ksh", "sh", "zsh"))
_UNUSABLE = re.compile(r"[^A-Za-z0-9._@:+-]+")


def local_name(pid: int | None = None) -> str:
    """`local-<host>-<pid>-<start time>`: two processes of one user on one machine are two agents."""
    pid = os.getpid() if pid is None else pid
    started = int(psutil.Process(pid).create_time())
    host = _UNUSABLE.sub("-", socket.gethostname())[:40].strip("-.") or "host"
    return f"local-{host}-{pid}-{started}"


def seats_above() -> list[str]:
    """The processes above this one, the nearest first, as sessions name those that they speak for."""
    names = [_named(process, frozenset()) for process in psutil.Process().parents()[:MAX_SEATS]]
    return [name for name in names if name]


def client_seat() -> str:
    """The program that has started this one, past shells and launchers; empty if nothing is above it."""
    passed_over = LAUNCHERS | SHELLS
    return next((name for one in psutil.Process().parents() if (name := _named(one, passed_over))), "")


def caller_names() -> list[str]:
    """The names under which the processes above this one would be registered, the nearest first.

    Launchers such as `timeout` are passed over. This process itself where nothing is above it.
    """
    names = [name for name in (_named(one, LAUNCHERS) for one in psutil.Process().parents()) if name]
    return names or [local_name()]


def _named(process: psutil.Process, passed_over: Set[str]) -> str:
    """The name of a process; empty for one that is passed over, has just ended, or belongs to one who hides it."""
    try:
        return "" if process.name() in passed_over else local_name(process.pid)
    except psutil.Error:
        return ""
