"""Folding the journal into a new snapshot, in a child process.

The child replays the latest snapshot and the journal after it into a machine of its own and writes that machine's
snapshot, so the actor never pauses and replay is proven all the time. Run as `python -P -m actors.runtime.compaction`.
"""

from __future__ import annotations

import importlib
import json
import os
import secrets
import subprocess
import sys
from contextlib import suppress
from typing import Any

from actors.runtime.kernel import Kernel
from actors.runtime.recovery import recover_into
from actors.runtime.state_format import tagged_snapshot
from actors.runtime.store import Store

_NICENESS = 10


class Compaction:
    """Starts one child at a time; `n_failed` counts those that did not start or did not end well."""

    def __init__(self, store_url: str, domain: str, machine: str, options: dict[str, Any]) -> None:
        self._arguments = json.dumps([store_url, domain, machine, options])
        self._child: subprocess.Popen[bytes] | None = None
        self.n_started = 0
        self.n_failed = 0

    @property
    def is_running(self) -> bool:
        """Whether a child is at work."""
        if self._child is None:
            return False
        code = self._child.poll()
        if code is None:
            return True
        self._child = None
        self.n_failed += code != 0
        return False

    def start(self) -> bool:
        """Start a child unless one runs; True if it was started. A machine that cannot start one goes on without."""
        if self.is_running:
            return False
        self.n_started += 1
        try:
            self._child = self._spawn()
        except OSError:
            self.n_failed += 1
        return True

    def _spawn(self) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "actors.runtime.compaction"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env=environment,
        )
        assert child.stdin is not None  # asked for above
        with suppress(BrokenPipeError), child.stdin:  # a child that has died already tells by its exit code
            child.stdin.write(self._arguments.encode())
        return child


def compact(store: Store, kernel: Kernel, *, run: str) -> int:
    """Fold the store's journal into a snapshot, with an empty kernel; returns the row it reaches to.

    `run` is unique to this call. Raises `Corrupt` if the store holds nothing or cannot be trusted; then nothing is
    pruned.
    """
    recovered = recover_into(kernel, store)
    seq = recovered.head.seq
    if seq > recovered.snapshot_seq and store.write_snapshot(seq, tagged_snapshot(kernel), run=run):
        store.prune(seq, run=run)
    return seq


def main() -> None:
    """Read the arguments from standard input and compact."""
    store_url, domain, machine, options = json.load(sys.stdin)
    os.nice(_NICENESS)
    module, _, factory = machine.partition(":")
    store = Store(store_url, domain)
    compact(store, Kernel(getattr(importlib.import_module(module), factory)(**options)), run=secrets.token_hex(8))
    store.close()


if __name__ == "__main__":
    main()
