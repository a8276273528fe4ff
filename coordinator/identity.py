"""What an agent is called when nobody has named it."""

from __future__ import annotations

import os
import re
import socket

import psutil

_UNUSABLE = re.compile(r"[^A-Za-z0-9._@:+-]+")


def local_name(pid: int | None = None) -> str:
    """`local-<host>-<pid>-<start time>`: two processes of one user on one machine are two agents."""
    pid = os.getpid() if pid is None else pid
    started = int(psutil.Process(pid).create_time())
    host = _UNUSABLE.sub("-", socket.gethostname())[:40].strip("-.") or "host"
    return f"local-{host}-{pid}-{started}"
