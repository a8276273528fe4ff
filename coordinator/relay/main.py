"""`scentfield mcp` as a program: from a client's standard streams to the gateway."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

from actors.runtime.errors import ScentfieldError
from coordinator.identity import client_seat
from coordinator.relay.gateway_line import GatewayLine
from coordinator.relay.line_settings import Flags, find_line
from coordinator.relay.relay import Relay, standard_lines, to_standard_output

_NAMES = {"--url": "url", "--agent": "agent", "--root": "root", "--namespace": "namespace", "--data-dir": "data_dir"}


def flags_of(arguments: list[str]) -> Flags | None:
    """The flags of a command line; None if it holds anything else, which is for the whole command line to judge."""
    found: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        name, has_value, value = rest.pop(0).partition("=")
        if name not in _NAMES or (not has_value and not rest):
            return None
        found[_NAMES[name]] = value if has_value else rest.pop(0)
    return Flags(**found)


def run(flags: Flags) -> int:
    """Serve standard input until it ends; the exit code. What keeps it from that is told to the client."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        settings = replace(find_line(flags, os.environ, Path.cwd()), seat=client_seat())
        line: GatewayLine | ScentfieldError = GatewayLine(settings)
    except ScentfieldError as error:
        print(f"error: {error.message}", file=sys.stderr)  # noqa: T201  # the only screen it has
        line = error
    # The client has gone, or wants this to go: what it held is given back on the way.
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt, SystemExit):
        Relay(line, to_standard_output()).run(standard_lines())
    return 0
