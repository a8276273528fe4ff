"""The commands that read and change files."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Final

import typer

from actors.runtime.errors import Misuse
from coordinator.cli.exit_code import ExitCode
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Line, Outcome, Part, Verbatim
from coordinator.cli.source_file import STANDARD, read_source
from coordinator.cli.wording import in_options
from coordinator.reading.budget import parse_budget
from coordinator.reading.mode import KNOWN_MODES, Wish

if TYPE_CHECKING:
    from coordinator.editing.edited import Edited
    from coordinator.reading.focus import Focus
    from coordinator.reading.reader import Reading

MAX_TEXT_BYTES: Final = 64 * 2**20
FilePath = Annotated[str, typer.Argument(help="The file.")]
ExpectedHash = Annotated[str | None, typer.Option(help="Only if the file has this SHA-256.", metavar="HASH")]


def read(
    call: Invocation,
    path: FilePath,
    mode: Annotated[str, typer.Option(help=f"One of {', '.join(KNOWN_MODES)}.", metavar="MODE")] = "auto",
    query: Annotated[
        str, typer.Option(help="What you look for; the modes units and entropy prefer what speaks of it.")
    ] = "",
    budget: Annotated[
        str | None,
        typer.Option(help="What they may print: tokens (800), or a share of the file (0.25).", metavar="BUDGET"),
    ] = None,
) -> Outcome:
    """Show a file as an agent sees it: all of it, or its outline where that is enough.

    Example: scentfield read src/api.py --mode map

    Works without a coordinator too, and says so. Who else is at work on it stands on standard error.
    """
    agent = call.agent
    named = agent.target(path)
    wish = Wish(mode, query, None if budget is None else parse_budget(budget))
    return _reading(call, agent.at_desk(lambda core: core.read(named, wish)))


def task(
    call: Invocation,
    text: Annotated[str | None, typer.Argument(help="What you are working on; without it, the task is shown.")] = None,
    search: Annotated[str | None, typer.Option(help="What you have just searched for; holds half an hour.")] = None,
    done: Annotated[bool, typer.Option("--done", help="You are working on nothing in particular any more.")] = False,
) -> Outcome:
    """Say what you are working on: reads that give no query go by it.

    Example: scentfield task "retry once after a timeout"
    """
    if done and text is not None:
        raise Misuse("a task and --done were both given: give one of them")

    def change(focus: Focus) -> None:
        if text is not None or done:
            focus.work_on(text or "")
        if search is not None:
            focus.searched(search, time.time())

    focus = call.agent.focus(change)
    query = focus.query("", time.time())
    document = {"agent": call.agent.name, "task": focus.task, "search": focus.search, "reads_by": str(query or "")}
    return Outcome(document, [Line(f"reads go by {query}" if query else "no task: reads go by their own query alone")])


def expand(
    call: Invocation,
    path: FilePath,
    unit: Annotated[str, typer.Argument(help="function, Class.method, name#2 for repeats, or L10-42.")],
) -> Outcome:
    """Show one part of a file whole.

    Example: scentfield expand src/api.py Parser.feed
    """
    agent = call.agent
    named = agent.target(path)
    return _reading(call, agent.at_desk(lambda core: core.expand(named, unit)))


def _reading(call: Invocation, reading: Reading) -> Outcome:
    why = call.agent.why_alone
    document = {**reading.to_dict(), "agent": call.agent.agent_id, "without_coordinator": why}
    alone = [f"without a coordinator: {why}"] if why else []
    return Outcome(document, [Verbatim(reading.text)], notes=[*alone, *reading.hints, *reading.lessons])


def edit(
    call: Invocation,
    path: FilePath,
    old: Annotated[str | None, typer.Option(help="The text to replace; it must stand there once.")] = None,
    new: Annotated[str | None, typer.Option(help="The text to put there.")] = None,
    old_file: Annotated[
        str | None, typer.Option(help="Read it from a file; - is standard input.", metavar="FILE")
    ] = None,
    new_file: Annotated[
        str | None, typer.Option(help="Read it from a file; - is standard input.", metavar="FILE")
    ] = None,
    edits: Annotated[
        str | None,
        typer.Option(help='Several at once, from a JSON file: [{"old": ..., "new": ...}, ...].', metavar="FILE"),
    ] = None,
    create: Annotated[bool, typer.Option("--create", help="Write a new file; nothing is overwritten.")] = False,
    expect_hash: ExpectedHash = None,
) -> Outcome:
    """Replace one text of a file by another, or several with --edits, if nobody else holds the file.

    Example: scentfield edit src/api.py --old "retries = 3" --new "retries = 5"

    Several replacements are made all or none, each looked for in the file as it was before.

    Exit code 3: somebody else holds it. 1: the text is not there, or not once; you are shown what is.
    """
    # It comes with the client, which `--help` does without.
    from coordinator.cli.edit_list import read_edits
    from coordinator.editing.request import EditRequest

    agent = call.agent
    named = agent.target(path)
    if edits is not None:
        if create or any(text is not None for text in (old, new, old_file, new_file)):
            raise Misuse("--edits stands instead of --old, --new and --create: give one kind of request")
        request = EditRequest(named, expect_hash=expect_hash, edits=read_edits(edits))
    else:
        if STANDARD == old_file == new_file:
            raise Misuse("standard input was named twice: it can be the old text or the new one")
        request_old = _text("old", old, old_file, is_optional=create)
        request_new = _text("new", new, new_file, is_optional=False)
        request = EditRequest(named, request_old, request_new, expect_hash, create)
    return edited_outcome(call, agent.at_desk(lambda core: core.edit(named, request)))


def delete(
    call: Invocation,
    path: FilePath,
    expect_hash: ExpectedHash = None,
) -> Outcome:
    """Delete a file, if nobody else holds it. `scentfield undo` brings it back.

    Example: scentfield delete src/old.py
    """
    agent = call.agent
    named = agent.own_target(path)
    return edited_outcome(call, agent.at_desk(lambda core: core.delete(named, expect_hash)))


def move(
    call: Invocation,
    path: FilePath,
    new_path: Annotated[str, typer.Argument(help="Where it goes: a file's name, not a folder's.")],
    expect_hash: ExpectedHash = None,
) -> Outcome:
    """Move or rename a file, if nobody else holds either path. Nothing is overwritten.

    Example: scentfield move src/old.py src/new.py
    """
    agent = call.agent
    named, new_name = agent.own_target(path), agent.own_target(new_path)
    return edited_outcome(call, agent.at_desk(lambda core: core.move(named, new_name, expect_hash)))


def undo(call: Invocation, path: FilePath) -> Outcome:
    """Take back the newest edit, move or deletion of a file, unless it was changed since.

    Example: scentfield undo src/api.py
    """
    agent = call.agent
    named = agent.target(path)
    return edited_outcome(call, agent.at_desk(lambda core: core.undo(named)))


def edited_outcome(call: Invocation, edited: Edited) -> Outcome:
    """What came of an edit."""
    told = in_options(edited.message)
    warnings, hints = ([in_options(one) for one in some] for some in (edited.warnings, edited.hints))
    document = {**edited.to_dict(), "message": told, "warnings": warnings, "hints": hints, "agent": call.agent.agent_id}
    message: Part = Line(told, "green" if edited else "red")
    evidence = [Verbatim(edited.evidence)] if edited.evidence else []
    return Outcome(document, [message, *evidence], notes=(*warnings, *hints), exit_code=_exit_code(edited))


def _exit_code(edited: Edited) -> ExitCode:
    if edited:
        return ExitCode.OK
    return ExitCode.HELD if edited.cause == "claimed" else ExitCode.FAILED


def _text(which: str, text: str | None, file: str | None, *, is_optional: bool) -> str:
    if text is not None and file is not None:
        raise Misuse(f"--{which} and --{which}-file were both given: give one of them")
    if text is not None:
        return text
    if file is not None:
        return _read_text(file)
    if is_optional:
        return ""
    raise Misuse(f"the {which} text is missing: give --{which} TEXT or --{which}-file FILE (- is standard input)")


def _read_text(file: str) -> str:
    """Bytes as they are: line endings stay, and what is not UTF-8 comes back the same."""
    raw = read_source(file, what="", max_bytes=MAX_TEXT_BYTES, then="edit in smaller pieces")
    return raw.decode("utf-8", "surrogateescape")
