"""How a function becomes a command: it takes an `Invocation` and its own options, and returns an `Outcome`."""

from __future__ import annotations

import inspect
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Annotated, Any, TypeAlias

import typer
from typer.core import TyperCommand, TyperGroup

from actors.runtime.errors import ScentfieldError
from coordinator.cli.exit_code import ExitCode, exit_code_of
from coordinator.cli.flag import COMMON
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Outcome
from coordinator.cli.screen import Screen

CommandFunction: TypeAlias = Callable[..., Outcome]


class _NamesItself:
    """Usage errors say at which command: the parser leaves it out for an option without its value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as usual. Raises `typer.TyperException` with the context, and so with the command's path."""
        try:
            rest: list[str] = super().parse_args(ctx, args)  # type: ignore[misc]  # what stands beside this has it
        except typer.TyperException as error:
            if getattr(error, "ctx", ctx) is None:
                error.ctx = ctx  # type: ignore[attr-defined]  # a usage error has one
            raise
        return rest


class _Command(_NamesItself, TyperCommand):
    """One command."""


class CommandGroup(_NamesItself, TyperGroup):
    """Usage errors like all others: what and the next step, or with --json a document."""

    def main(self, args: Sequence[str] | None = None, *, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]  # what stands between is given by name
        """Run the command line; ends the process with the exit code."""
        given = sys.argv[1:] if args is None else args
        try:
            code = super().main(args, standalone_mode=False, **extra)
        except typer.TyperException as error:
            if not standalone_mode:
                raise
            where = getattr(getattr(error, "ctx", None), "command_path", "scentfield")
            Screen(as_json="--json" in given).error("usage", error.format_message(), f"{where} --help")
            code = error.exit_code
        except typer.Abort:
            code = ExitCode.INTERRUPTED
        if standalone_mode:
            sys.exit(code if isinstance(code, int) else ExitCode.OK)
        return code


def register(app: typer.Typer, name: str, function: CommandFunction, *, panel: str) -> None:
    """Add a command with the common options to the app; its help is the function's docstring."""

    @wraps(function)
    def run(ctx: typer.Context, **given: Any) -> None:
        invocation = ctx.ensure_object(Invocation)
        raise typer.Exit(carry_out(invocation, function, invocation.take(given)))

    _sign(run, function)
    app.command(name, cls=_Command, help=_help(function), rich_help_panel=panel)(run)


def _help(function: CommandFunction) -> str:
    """The docstring with each paragraph on one line: Typer would keep the line breaks of all but the first."""
    return "\n\n".join(" ".join(part.split("\n")) for part in (inspect.getdoc(function) or "").split("\n\n"))


def register_group(
    app: typer.Typer, name: str, commands: Mapping[str, CommandFunction], *, default: CommandFunction, panel: str
) -> None:
    """Add commands under one name to the app; the name alone is `default`, whose help is the group's."""
    group = typer.Typer(cls=CommandGroup, help=_help(default))

    def run(ctx: typer.Context, **given: Any) -> None:
        invocation = ctx.ensure_object(Invocation)
        own = invocation.take(given)
        if ctx.invoked_subcommand is None:
            raise typer.Exit(carry_out(invocation, default, own))
        _check_place(ctx, own)

    _sign(run, default)
    group.callback(invoke_without_command=True)(run)
    for verb, function in commands.items():
        register(group, verb, function, panel="Commands")
    app.add_typer(group, name=name, rich_help_panel=panel)


def _check_place(ctx: typer.Context, own: Mapping[str, Any]) -> None:
    """Raise a usage error for an option of the default command that stands before the name of another one."""
    for option in own:
        source = ctx.get_parameter_source(option)
        if source is not None and source.name == "COMMANDLINE":
            verb = ctx.invoked_subcommand
            raise typer.BadParameter(f"it would have no effect on {verb!r}", param_hint=f"--{option.replace('_', '-')}")


def _sign(run: Callable[..., None], function: CommandFunction) -> None:
    """Let Typer see the function's own options, then the common ones."""
    own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
    _set_signature(run, own)


def sign_callback(begin: Callable[..., None], **own: Any) -> Callable[..., None]:
    """Let Typer see the common options, and flags of the callback's own, given by name."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    flags = [
        inspect.Parameter(name, keyword, annotation=Annotated[bool, kind], default=False) for name, kind in own.items()
    ]
    _set_signature(begin, flags)
    return begin


def _set_signature(run: Callable[..., None], own: list[inspect.Parameter]) -> None:
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter("ctx", keyword, annotation=typer.Context),
        *(parameter.replace(kind=keyword) for parameter in own),
        *(
            inspect.Parameter(name, keyword, annotation=kind, default=False if name == "as_json" else None)
            for name, kind in COMMON.items()
        ),
    ]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # read by `inspect.signature`
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}


def carry_out(invocation: Invocation, function: CommandFunction, arguments: dict[str, Any]) -> ExitCode:
    """Run a command and show what came of it; returns the exit code."""
    began_s = time.monotonic()
    code = _carried_out(invocation, function, arguments)
    invocation.log_end(function.__name__, int(code), time.monotonic() - began_s)
    return code


def _carried_out(invocation: Invocation, function: CommandFunction, arguments: dict[str, Any]) -> ExitCode:
    screen = invocation.screen
    try:
        outcome = function(invocation, **arguments)
        screen.show(outcome)
        return outcome.exit_code
    except ScentfieldError as error:
        screen.failure(error)
        return exit_code_of(error)
    except KeyboardInterrupt:
        screen.error("interrupted", "interrupted: what was asked for was given up")
        return ExitCode.INTERRUPTED
    except (typer.Exit, typer.Abort, typer.TyperException, BrokenPipeError):
        raise
    except Exception as error:  # a bug of ours; whoever reads JSON gets a document all the same
        traceback.print_exc()
        screen.error("bug", f"{type(error).__name__}: {error}")
        return ExitCode.FAILED
