"""What an agent is called when nobody has named it, and which processes it may be found by."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator, Set
from typing import Final

from actors.runtime.errors import Unavailable
from coordinator.lineage import Process, above, process

LAUNCHERS: Final = frozenset(
    ("env", "nice", "nohup", "setsid", "stdbuf", "sudo", "time", "timeout", "uv", "uvx", "xargs")
)
"""Programs that start one command and end with it: whoever called them is meant."""
SHELLS: Final = frozenset(("ash", "bash", "dash", "fish", "ksh", "sh", "zsh"))
_UNUSABLE = re.compile(r"[^A-Za-z0-9._@:+-]+")


def local_name(pid: int | None = None) -> str:
    """`local-<host>-<pid>-<start time>`: two processes of one user on one machine are two agents.

    Raises `Unavailable` where the system shows no processes.
    """
    pid = os.getpid() if pid is None else pid
    found = process(pid)
    if found is None:
        raise Unavailable(
            f"process {pid} is not shown by the system: mount /proc, or name the agent (SCENTFIELD_AGENT)"
        )
    return _name(found)


def seats_above() -> list[str]:
    """The processes above this one, the nearest first, as sessions name those that they speak for."""
    return list(_names_above(frozenset()))


def client_seat() -> str:
    """The program that has started this one, past shells and launchers; empty if nothing is above it."""
    return next(_names_above(LAUNCHERS | SHELLS), "")


def caller_names() -> list[str]:
    """The names under which the processes above this one would be registered, the nearest first.

    Launchers such as `timeout` are passed over. This process itself where nothing is above it.
    """
    return list(_names_above(LAUNCHERS)) or [local_name()]


def _names_above(passed_over: Set[str]) -> Iterator[str]:
    return (_name(one) for one in above(os.getpid()) if one.name not in passed_over)


def _name(one: Process) -> str:
    host = _UNUSABLE.sub("-", socket.gethostname())[:40].strip("-.") or "host"
    return f"local-{host}-{one.pid}-{one.started}"
