"""`scentfield`: the command line. Which commands there are, and in what order they are shown."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, Final

import typer

from coordinator.cli import (
    answers,
    ask,
    backup,
    boards,
    chaos,
    claims,
    connect,
    doctor,
    efficacy,
    embedding,
    facts,
    field,
    files,
    guard,
    hook,
    house,
    learning,
    ledger,
    mcp,
    playbook,
    replay,
    retrieval,
    simulate,
    status,
    stories,
    story,
    top,
    waking,
)
from coordinator.cli.command import CommandFunction, CommandGroup, register, register_group, sign_callback
from coordinator.cli.exit_code import MEANINGS
from coordinator.cli.invocation import Invocation
from coordinator.cli.standard_stream import open_missing_streams

_PANELS: Final[dict[str, dict[str, CommandFunction]]] = {
    "The coordinator": {
        "up": house.up,
        "down": house.down,
        "serve": house.serve,
        "mcp": mcp.mcp,
        "connect": connect.connect,
        "status": status.status,
        "top": top.top,
        "doctor": doctor.doctor,
        "backup": backup.backup,
        "restore": backup.restore,
        "export": backup.export,
        "config": house.config,
        "metrics": house.metrics,
    },
    "Claims": {
        "claim": claims.claim,
        "release": claims.release,
        "check": claims.check,
        "transfer": claims.transfer,
        "force-release": claims.force_release,
    },
    "The field": {
        "sync": field.sync,
        "deposit": field.deposit,
        "sessions": field.sessions,
        "strictness": field.strictness,
        "audit": field.audit,
        "story": story.story,
    },
    "Files": {
        "task": files.task,
        "read": files.read,
        "expand": files.expand,
        "edit": files.edit,
        "delete": files.delete,
        "move": files.move,
        "undo": files.undo,
        "index": retrieval.index,
        "search": retrieval.search,
        "ask": ask.ask,
    },
    "What it remembers": {
        "wakeup": waking.wakeup,
    },
    "See and measure": {
        "efficacy": efficacy.efficacy,
        "demo": stories.demo,
        "bench": stories.bench,
        "simulate": simulate.simulate,
        "chaos": chaos.chaos,
        "replay": replay.replay,
    },
}

_LEARNING: Final = "What it learns"
_GROUPS: Final[dict[str, tuple[CommandFunction, dict[str, CommandFunction]]]] = {
    "learning": (
        learning.show,
        {
            "show": learning.show,
            "export": learning.export,
            "import": learning.import_,
            "reset": learning.reset,
            "disable": learning.disable,
            "enable": learning.enable,
        },
    ),
    "ledger": (ledger.show, {"show": ledger.show, "export": ledger.export, "verify": ledger.verify}),
    "boards": (boards.show, {"show": boards.show, "export": boards.export, "draw": boards.draw}),
    "answers": (answers.show, {"show": answers.show, "reset": answers.reset}),
    "embedding": (embedding.status, {"status": embedding.status, "warm": embedding.warm}),
    "playbook": (
        playbook.show,
        {
            "show": playbook.show,
            "add": playbook.add,
            "confirm": playbook.confirm,
            "vote": playbook.vote,
            "evict": playbook.evict,
            "checkpoint": playbook.checkpoint,
            "resume": playbook.resume,
        },
    ),
    "hook": (
        hook.status,
        {"status": hook.status, "install": hook.install, "uninstall": hook.uninstall, "run": hook.run_},
    ),
    "guard": (
        guard.status,
        {
            "status": guard.status,
            "install": guard.install,
            "uninstall": guard.uninstall,
            "check": guard.check_,
        },
    ),
    "facts": (
        facts.recall,
        {
            "recall": facts.recall,
            "remember": facts.remember,
            "confirm": facts.confirm,
            "contradict": facts.contradict,
            "forget": facts.forget,
        },
    ),
}
_PANEL_OF: Final = {
    **dict.fromkeys(("playbook", "facts"), "What it remembers"),
    "guard": "Claims",
    "hook": "The coordinator",
    "boards": "See and measure",
}

_HELP: Final = """
Let many agents work on one body of work: see who is at what, claim files, read and edit them.

Start with: scentfield up, then scentfield claim FILE in two terminals.
"""
_EXIT_CODES: Final = "Exit codes: " + "; ".join(f"{code.value} {meaning}" for code, meaning in MEANINGS.items()) + "."

app: Final = typer.Typer(
    name="scentfield",
    cls=CommandGroup,
    help=_HELP,
    epilog=_EXIT_CODES,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"scentfield {version('scentfield')}")
        raise typer.Exit(0)


VERSION_OPTION: Final = typer.Option("--version", help="Print the version.", is_eager=True, callback=_show_version)


def _begin(ctx: typer.Context, **given: Any) -> None:
    """Take the options that stand before the command's name; without a command, help."""
    ctx.ensure_object(Invocation).take(given)
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


app.callback()(sign_callback(_begin, version=VERSION_OPTION))
for _panel, _commands in _PANELS.items():
    for _name, _function in _commands.items():
        register(app, _name, _function, panel=_panel)
for _name, (_default, _verbs) in _GROUPS.items():
    register_group(app, _name, _verbs, default=_default, panel=_PANEL_OF.get(_name, _LEARNING))


def run() -> None:
    """The console script."""
    open_missing_streams()
    app()
