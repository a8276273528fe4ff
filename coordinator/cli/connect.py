"""`scentfield connect`: tell a coding agent of Scentfield, or have it forget again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from actors.runtime.errors import Misuse
from coordinator.cli.call_flag import flags_found_here
from coordinator.cli.client_file import put_text, root_of
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Line, Outcome, Part, Verbatim
from coordinator.client_config.client import CLIENTS, Change, Start, changes
from coordinator.client_config.program import short_program


def connect(
    call: Invocation,
    client: Annotated[str, typer.Argument(help=f"One of {', '.join(CLIENTS)}.", metavar="CLIENT")],
    only_print: Annotated[bool, typer.Option("--print", help="Show what would be written, and write nothing.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take out again what this has written.")] = False,
) -> Outcome:
    """Write the MCP server into a coding agent's configuration, and how to use it into its instructions.

    Everything else in these files stays. The agent starts `scentfield mcp` by itself; `scentfield up` has to run.
    """
    if client not in CLIENTS:
        raise Misuse(f"{client[:40]!r} is no client that is known: use one of {', '.join(CLIENTS)}")
    start = Start(short_program(), ("mcp", *flags_found_here(call, ("namespace", "data_dir"), ("agent",))))
    written = [_changed(change, undo=undo) for change in changes(client, root_of(call), Path.home(), start)]
    if only_print:
        parts: list[Part] = []
        for path, text in written:
            parts += [Line(f"{path}:"), Verbatim(text or "(nothing: it would be deleted)\n")]
        return Outcome({"files": {str(path): text for path, text in written}}, parts)
    for path, text in written:
        put_text(path, text)
    verb = "taken out of" if undo else "written to"
    lines: list[Part] = [Line(f"{verb} {path}", "green") for path, _ in written]
    step = [] if undo else [Line("next: scentfield up, then start the agent anew")]
    return Outcome({"client": client, "undone": undo, "files": [str(path) for path, _ in written]}, [*lines, *step])


def _changed(change: Change, *, undo: bool) -> tuple[Path, str]:
    """A file's path, and its text after the change. Raises `Misuse` that names the file; nothing is written yet."""
    try:
        text = change.path.read_text(encoding="utf-8")
    except FileNotFoundError:
        text = ""
    except (OSError, UnicodeDecodeError) as error:
        raise Misuse(f"{change.path} cannot be read ({error}): see what it is") from error
    try:
        return change.path, (change.take if undo else change.put)(text)
    except Misuse as error:
        raise Misuse(f"{change.path} stays as it is: {error.message}") from error
