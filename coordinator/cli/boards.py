"""`scentfield boards`: what the boards show, and their files for Prometheus and Grafana."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import urlsplit

import typer

from actors.runtime.errors import Misuse
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Grid, Line, Outcome

if TYPE_CHECKING:
    from coordinator.boards.board import Board

_PROMETHEUS: Final = "http://127.0.0.1:9090"
MAX_MINUTES: Final = 60 * 24 * 30
DEFAULT_MINUTES: Final = 60.0
_RATE_S: Final = 60
"""Four scrapes, as Grafana takes it."""


def show(
    call: Invocation,  # noqa: ARG001  # every command has it
    board: Annotated[str | None, typer.Option(help="One board: what each of its panels shows.", metavar="NAME")] = None,
) -> Outcome:
    """List the boards for Grafana; with --board, what each of its panels shows.

    Next: scentfield boards export DIR
    """
    # The descriptions are needed by these commands only.
    from coordinator.boards.catalogue import BOARDS

    if board is not None:
        return _panels(_board(board, BOARDS))
    rows = [(one.name, one.title, len(list(one.panels)), one.about) for one in BOARDS]
    document = [dict(zip(("name", "title", "panels", "about"), row, strict=True)) for row in rows]
    return Outcome({"boards": document}, [Grid(("board", "title", "panels", "what it shows"), rows)])


def _board(name: str, boards: tuple[Board, ...]) -> Board:
    for board in boards:
        if board.name == name:
            return board
    raise Misuse(f"there is no board {name!r}: name one of {', '.join(board.name for board in boards)}")


def _panels(board: Board) -> Outcome:
    found = [
        {
            "row": row.title,
            "panel": panel.title,
            "about": panel.about,
            "unit": panel.unit,
            "queries": [query.expr for query in panel.queries],
        }
        for row in board.rows
        for panel in row.panels
    ]
    rows = [(one["row"], one["panel"], one["about"]) for one in found]
    document: dict[str, Any] = {"name": board.name, "title": board.title, "panels": found}
    return Outcome(document, [Grid(("row", "panel", "what it shows"), rows)])


def export(
    call: Invocation,
    folder: Annotated[Path, typer.Argument(help="Where to put the files; made if it is missing.", metavar="DIR")],
    prometheus: Annotated[str, typer.Option(help="Prometheus, as Grafana reaches it.", metavar="URL")] = _PROMETHEUS,
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite files that say something else.")] = False,
) -> Outcome:
    """Write boards, rules and provisioning for a Prometheus and a Grafana on this machine into a folder.

    Example: scentfield boards export ~/boards, then prometheus --config.file ~/boards/prometheus.yml
    """
    # The same.
    from coordinator.boards.export import export_files
    from coordinator.boards.shipment import Site, shipment

    _check_url(prometheus)
    target = folder.expanduser().absolute()
    exporter = _exporter(call.settings.metrics_host, call.settings.metrics_port)
    files = shipment(Site(exporter, prometheus, str(target / "grafana" / "dashboards")))
    written = export_files(files, target, may_replace=replace)
    notes = [] if call.settings.metrics else ["metrics are switched off in the settings: nothing will be scraped"]
    document = {"folder": str(target), "files": list(files), "written": written, "exporter": exporter}
    return Outcome(
        document,
        [
            Line(f"{target}: {len(files)} files, {len(written)} of them written", "green"),
            Line(f"Prometheus: prometheus --config.file={target / 'prometheus.yml'}"),
            Line(f"Grafana: set GF_PATHS_PROVISIONING={target / 'grafana' / 'provisioning'}, or copy what lies there"),
        ],
        notes,
    )


def draw(
    call: Invocation,  # noqa: ARG001  # every command has it
    board: Annotated[str, typer.Argument(help="Which board.", metavar="BOARD")],
    file: Annotated[Path, typer.Argument(help="Where to put the picture.", metavar="FILE.png", dir_okay=False)],
    prometheus: Annotated[str, typer.Option(help="The Prometheus to ask.", metavar="URL")] = _PROMETHEUS,
    minutes: Annotated[
        float, typer.Option(help="How far back it goes.", metavar="N", min=1, max=MAX_MINUTES)
    ] = DEFAULT_MINUTES,
) -> Outcome:
    """Draw a board from what a Prometheus has, without Grafana; needs the extra `plot`.

    Example: scentfield boards draw fleet fleet.png --minutes 30
    """
    # The same, and matplotlib.
    from coordinator.boards.catalogue import BOARDS
    from coordinator.boards.picture import Frame, write_picture
    from coordinator.boards.prometheus import Prometheus
    from coordinator.picture import check_picture

    chosen = _board(board, BOARDS)
    _check_url(prometheus)
    check_picture(file)
    now_s = time.time()
    frame = Frame(now_s - 60 * minutes, now_s, _RATE_S)
    empty = write_picture(chosen, frame, Prometheus(prometheus), file)
    n_panels = len(list(chosen.panels))
    document = {"board": board, "file": str(file), "panels": n_panels, "without_data": empty}
    notes = [f"no data: {', '.join(empty)}"] if empty else []
    return Outcome(document, [Line(f"drawn: {file}, {n_panels} panels")], notes)


def _exporter(host: str, port: int) -> str:
    """Where Prometheus on this machine finds the exporter. Raises `Misuse` for a port that is another at each start."""
    if port == 0:
        raise Misuse("metrics_port is 0, which is another port at each start: set it, so that Prometheus finds it")
    reached = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"[{reached}]:{port}" if ":" in reached else f"{reached}:{port}"


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and url.isprintable() and " " not in url
    except ValueError:
        is_one = False
    if not is_one:
        raise Misuse(f"{url!r} is no URL of a Prometheus: give one such as {_PROMETHEUS}")
