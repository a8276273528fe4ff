"""Where the configuration of a tree's clients lies, and how it is put there."""

from __future__ import annotations

from pathlib import Path

from coordinator.cli.invocation import Invocation


def root_of(call: Invocation) -> Path:
    """The tree that is meant: `--root`, or the one around here."""
    # The workspace comes with the targets' grammar.
    from coordinator.workspace import Workspace

    return Workspace.discover(call.flags.root or Path.cwd()).root


def put_text(path: Path, text: str) -> None:
    """Make the file say this, whole or not at all; a file that would say nothing is removed."""
    if not text:
        path.unlink(missing_ok=True)
        return
    from coordinator.folder import write_whole  # needed by this branch only

    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.encode())
