"""The console script: what others wait for at once, all else with everything that a command line needs."""

from __future__ import annotations

import os
import sys
from typing import Final

_INTERRUPTED: Final = 130  # as `ExitCode` has it, which is loaded later
_USAGE: Final = 2


def run() -> None:
    """The console script; an interrupt while it still loads ends it as one later does."""
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def _run() -> None:
    if sys.argv[1:2] == ["mcp"]:
        # A client waits for its answer; the command line takes half a second to load.
        from coordinator.relay.main import flags_of
        from coordinator.relay.main import run as relay

        flags = flags_of(sys.argv[2:])
        if flags is not None:
            code = relay(flags)
            sys.stdout.flush()
            os._exit(code)  # threads may still wait for answers that nobody wants any more
    if sys.argv[1:3] == ["guard", "check"]:
        # Git waits for its answer.
        from coordinator.guard.check import check_flags_of
        from coordinator.guard.check import run as check

        check_flags = check_flags_of(sys.argv[3:])
        if check_flags is not None:
            sys.exit(check(check_flags))
    if sys.argv[1:3] == ["hook", "run"]:
        # So does a coding agent.
        from coordinator.hook.main import hook_flags_of
        from coordinator.hook.main import run as answer

        hook_flags = hook_flags_of(sys.argv[3:])
        if hook_flags is not None:
            sys.exit(answer(*hook_flags))
    from coordinator.cli.main import run as run_all

    try:
        run_all()
    except SystemExit as end:
        # Coding agents take exit code 2 for a refusal of the write: a wrong command line is a fault, no more.
        sys.exit(1 if sys.argv[1:3] == ["hook", "run"] and end.code == _USAGE else end.code)
