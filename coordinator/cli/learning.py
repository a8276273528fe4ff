"""`scentfield learning`: what was learned from outcomes, and how to share it or begin anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from actors.runtime.errors import Misuse
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Line, Outcome, Verbatim, plain
from coordinator.cli.source_file import STANDARD, read_source
from coordinator.folder import write_whole

if TYPE_CHECKING:
    from actors.runtime.layer_switch import LayerList, LayerSwitched
    from actors.thresholds.messages import Learning

_FORGOTTEN: Final = (
    *("contribution", "client profile", "cost"),
    *("edit record", "pending escalation", "bounce rate", "remembered file"),
)
MAX_SWITCHES_SHOWN: Final = 10
MAX_FILE_BYTES: Final = 8 * 2**20  # the thresholds judge what is smaller
BundleFile = Annotated[str, typer.Argument(help="The bundle, JSON; - for standard input or output.", metavar="FILE")]


def show(call: Invocation) -> Outcome:
    """Show what was learned, and from how many outcomes: thresholds, placement, costs.

    Positive thresholds compress more, negative ones back off.
    """
    learned = call.agent.query(lambda core: core.learned.learning())
    layers = call.agent.query(lambda core: core.learned.layers())
    document = {**plain(learned), "layers": [plain(one) for one in layers]}
    return Outcome(document, [*_lines(learned), Line(""), *_layer_lines(layers)])


def _layer_lines(layers: tuple[LayerList, ...]) -> list[Line]:
    """Which layers are off, and who has switched what when."""
    off = sorted(layer for one in layers for layer in one.off)
    lines = sorted((line for one in layers for line in one.lines), key=lambda line: line.at_utc_s)
    told = [Line(f"  {_switched(line)}") for line in lines[-MAX_SWITCHES_SHOWN:]]
    return [Line("Layers"), Line(f"  off: {', '.join(off)}" if off else "  all are on"), *told]


def _switched(line: LayerSwitched) -> str:
    from datetime import UTC, datetime  # needed for these lines only

    at = datetime.fromtimestamp(line.at_utc_s, UTC).strftime("%Y-%m-%d %H:%M UTC")
    reason = f": {line.reason}" if line.reason else ""
    return f"{at}  {line.layer} {'on' if line.is_on else 'off'} by {line.session_id}{reason}"


Layer = Annotated[str, typer.Argument(help="Its name, as `scentfield efficacy` has it.", metavar="LAYER")]
Reason = Annotated[str, typer.Option(help="Why, in one line; it is kept with who did it.", metavar="TEXT")]


def disable(call: Invocation, layer: Layer, reason: Reason = "") -> Outcome:
    """Switch a learned layer off, for everybody and until it is enabled again; what it learns goes on.

    Agents that are connected go by the policy that they have for an hour at most.

    Example: scentfield learning disable unit_ranking --reason "no difference in 30 days"
    """
    return _switch(call, layer, reason, is_on=False)


def enable(call: Invocation, layer: Layer, reason: Reason = "") -> Outcome:
    """Switch a learned layer on again."""
    return _switch(call, layer, reason, is_on=True)


def _switch(call: Invocation, layer: str, reason: str, *, is_on: bool) -> Outcome:
    now = call.agent.act(lambda core: core.learned.switch_layer(layer, reason, is_on=is_on))
    how = "on" if is_on else "off"
    return Outcome(plain(now), [Line(f"{layer} is {how}" if now.has_changed else f"{layer} was {how} already")])


def _lines(learned: Learning) -> list[Line]:
    # The report belongs to its domain and is needed by this command only.
    from actors.thresholds.report import cost_lines, placement_lines, ranking_lines, threshold_lines

    sections = (threshold_lines(learned), placement_lines(learned), cost_lines(learned), ranking_lines(learned))
    return [Line(line) for section in sections for line in (*section, "")][:-1]


def export(call: Invocation, file: BundleFile) -> Outcome:
    """Write what was learned to a file that may be shared: kinds of files, client profiles and numbers, nothing else.

    Example: scentfield learning export team.json
    """
    text = call.agent.query(lambda core: core.learned.export()).text
    if file == STANDARD:
        return Outcome(json.loads(text), [Verbatim(text.decode())])
    write_whole(Path(file), text)
    return Outcome({"file": file, "n_bytes": len(text)}, [Line(f"{file}: what was learned, {len(text)} bytes")])


def import_(call: Invocation, file: BundleFile) -> Outcome:
    """Merge what others have learned; importing the same again changes nothing.

    Example: scentfield learning import team.json
    """
    text = read_source(file, what="bundle", max_bytes=MAX_FILE_BYTES, then="it is no bundle of ours")
    imported = call.agent.act(lambda core: core.learned.merge(text))
    # The same.
    from actors.thresholds.report import import_lines

    return Outcome(plain(imported), [Line(line) for line in import_lines(imported)])


def reset(
    call: Invocation,
    extension: Annotated[
        str | None, typer.Option(help="Forget this extension alone, as in py; without it, everything.", metavar="EXT")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Forget everything without being asked.")] = False,
) -> Outcome:
    """Forget what was learned, here and by others whose bundles were imported. Research defaults hold again.

    With it goes what failed edits and second reads have made `full`: see `scentfield status -v`. The read ledger stays.
    """
    if extension is not None:
        _check(extension)
    elif not yes and not _agrees(call):
        raise Misuse("nothing was forgotten: name one with --extension, or give --yes to forget everything")
    forgotten = call.agent.act(lambda core: core.learned.reset(extension or ""))
    gone = call.agent.act(lambda core: core.learned.forget_outcomes(extension or ""))
    document = {**plain(forgotten), "outcomes": plain(gone)}
    if not any((*forgotten, *gone)):
        return Outcome(document, [Line("there was nothing to forget")])
    what = f".{extension.removeprefix('.').lower()}" if extension else "everything"
    numbers = zip((*forgotten, *gone), _FORGOTTEN, strict=True)
    counts = ", ".join(f"{n} {noun}{'s' * (n != 1)}" for n, noun in numbers)
    return Outcome(document, [Line(f"forgot {what}: {counts}")])


def _check(extension: str) -> None:
    """Raise `Misuse` for an empty one, which would mean everything: a shell's variable may not have been set."""
    if not extension.strip(". "):
        raise Misuse(f"{extension!r} is not an extension: give one such as py, or leave --extension out")


def _agrees(call: Invocation) -> bool:
    return call.is_interactive and typer.confirm("Forget everything that was learned?", err=True)
