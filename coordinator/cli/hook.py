"""`scentfield hook`: have a coding agent ask before it writes a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from actors.runtime.errors import Misuse
from coordinator.cli.call_flag import flags_found_here
from coordinator.cli.client_file import put_text, root_of
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Grid, Line, Outcome, Part, Verbatim
from coordinator.client_config.program import own_program
from coordinator.hook.installation import FILES, has_hooks, path_of, with_hooks, without_hooks
from coordinator.hook.main import run
from coordinator.relay.line_settings import Flags

Client = Annotated[str, typer.Argument(help=f"One of {', '.join(FILES)}.", metavar="CLIENT")]


def status(call: Invocation) -> Outcome:
    """Which coding agents have the hooks in this tree.

    Example: scentfield hook install claude-code
    """
    root = root_of(call)
    found = {client: has_hooks(_text(path_of(client, root)), client) for client in FILES}
    rows = [
        (client, "installed" if there else "not installed", path_of(client, root)) for client, there in found.items()
    ]
    return Outcome({"hooks": found}, [Grid(("client", "hooks", "file"), rows)])


def install(
    call: Invocation,
    client: Client,
    only_print: Annotated[bool, typer.Option("--print", help="Show what would be written, and write nothing.")] = False,
) -> Outcome:
    """Add hooks to a coding agent's settings of this tree: it claims on first write, and is refused what others hold.

    Everything else in the file stays. Safe to repeat.
    """
    path = _path(call, client)
    command = (own_program(), "hook", "run", *flags_found_here(call, ("namespace", "data_dir"), ("agent", "space")))
    try:
        text = with_hooks(_text(path), client, command)
    except Misuse as error:
        raise Misuse(f"{path} stays as it is: {error.message}") from error
    if only_print:
        return Outcome({"files": {str(path): text}}, [Line(f"{path}:"), Verbatim(text)])
    put_text(path, text)
    lines: list[Part] = [Line(f"written to {path}", "green"), Line("next: scentfield up, then start the agent anew")]
    return Outcome({"client": client, "installed": True, "file": str(path)}, lines)


def uninstall(call: Invocation, client: Client) -> Outcome:
    """Take the hooks out of a coding agent's settings again; everything else in the file stays."""
    path = _path(call, client)
    before = _text(path)
    try:
        text = without_hooks(before, client)
    except Misuse as error:
        raise Misuse(f"{path} stays as it is: {error.message}") from error
    if text != before:
        put_text(path, text)
    done = "taken out of" if text != before else "were not in"
    return Outcome({"client": client, "installed": False, "file": str(path)}, [Line(f"{done} {path}", "green")])


def run_(call: Invocation, client: Client) -> Outcome:
    """Answer one payload on standard input: what the coding agent's hook calls."""
    _check(client)
    values = call.flags.values
    given = {name: str(values[name]) for name in ("agent", "namespace", "data_dir", "space") if name in values}
    code = run(client, Flags(**given))
    raise typer.Exit(code)


def _path(call: Invocation, client: str) -> Path:
    _check(client)
    return path_of(client, root_of(call))


def _check(client: str) -> None:
    if client not in FILES:
        raise Misuse(f"{client[:40]!r} is no client whose hooks are known: use one of {', '.join(FILES)}")


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise Misuse(f"{path} cannot be read ({error}): see what it is") from error
