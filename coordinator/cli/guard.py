"""`scentfield guard`: have git ask before it keeps or sends changes, and ask for it by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from actors.runtime.errors import Misuse
from coordinator.cli.call_flag import flags_found_here
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Grid, Line, Outcome, Part
from coordinator.client_config.program import own_program
from coordinator.guard.check import HOOKS, CheckFlags, check
from coordinator.guard.hook_folder import HookFolder
from coordinator.relay.line_settings import Flags


def status(call: Invocation) -> Outcome:
    """Which hooks of this repository ask the guard, and what it would do.

    Example: scentfield guard install, then commit as ever
    """
    folder = _folder(call)
    states = [folder.state(hook) for hook in HOOKS]
    rule = call.settings.guard
    document = {
        "folder": str(folder.path),
        "hooks": {
            one.hook: {"path": str(one.path), "is_guarded": one.is_guarded, "others": one.others} for one in states
        },
        "strictness": rule.strictness,
        "when_unavailable": rule.when_unavailable,
        "notes": list(folder.notes),
    }
    rows = [(one.hook, "guarded" if one.is_guarded else "not guarded", one.others) for one in states]
    decides = "the space (scentfield strictness)" if rule.strictness == "space" else "the setting"
    parts: list[Part] = [
        Grid(("hook", "guard", "others"), rows),
        Line(f"in {folder.path}; {decides} says what becomes of changes over claims: {rule.strictness}"),
        Line(f"without a coordinator: {rule.when_unavailable}"),
    ]
    return Outcome(document, parts, notes=folder.notes)


def install(call: Invocation) -> Outcome:
    """Add the guard to pre-commit and pre-push of this repository; hooks that are there stay, and run after it.

    All work trees of the repository share its hooks. Safe to repeat.
    """
    folder = _folder(call)
    command = (own_program(), "guard", "check", *flags_found_here(call, ("namespace", "data_dir"), ("agent", "space")))
    done = {hook: folder.install(hook, command) for hook in HOOKS}
    return _changed(folder, done, "next: scentfield up, then commit as ever")


def uninstall(call: Invocation) -> Outcome:
    """Take the guard out of the hooks of this repository; everything else in them stays."""
    folder = _folder(call)
    return _changed(folder, {hook: folder.uninstall(hook) for hook in HOOKS}, "")


def _changed(folder: HookFolder, done: dict[str, str], step: str) -> Outcome:
    lines: list[Part] = [Line(f"{folder.path / hook}: {what}", "green") for hook, what in done.items()]
    lines += [Line(step)] if step else []
    return Outcome({"folder": str(folder.path), "hooks": done, "notes": list(folder.notes)}, lines, notes=folder.notes)


def check_(
    call: Invocation,
    hook: Annotated[str, typer.Argument(help=f"As which hook: {' or '.join(HOOKS)}.")] = "pre-commit",
    arguments: Annotated[list[str] | None, typer.Argument(help="What git gives the hook.")] = None,
    generation: Annotated[
        int, typer.Option(help="The claim under which it was made must still cover it.", metavar="N")
    ] = 0,
) -> Outcome:
    """Ask whether what is staged goes over the claims of others. Git's hooks call this.

    Example: scentfield guard check --agent ann

    Exit code 3: refused, as somebody else holds it or the claim was overtaken; 4: nobody could be asked, and that is
    set to be a refusal.
    """
    if hook not in HOOKS:
        raise Misuse(f"{hook[:40]!r} is no hook that the guard has: use one of {', '.join(HOOKS)}")
    values = call.flags.values
    given = {name: str(values[name]) for name in ("agent", "root", "namespace", "data_dir", "space") if name in values}
    number = str(generation) if generation else ""
    verdict = check(CheckFlags(hook, tuple(arguments or ()), number, False, Flags(**given)))
    parts: list[Part] = [] if verdict.lines else [Line("nothing is in the way", "green")]
    return Outcome(verdict.document, parts, notes=verdict.lines, exit_code=verdict.exit_code)


def _folder(call: Invocation) -> HookFolder:
    return HookFolder(call.flags.root or Path.cwd())
