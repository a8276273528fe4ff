"""How each story of the demo is given: a folder to work in, progress on standard error, the outcome on output."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import typer
from rich.console import Console

from actors.runtime.errors import Misuse
from agents_demo.stage import work_folder
from coordinator.settings import Settings

Document = TypeVar("Document", bound=dict[str, Any])


def perform(
    story: Callable[[Path, Console], Document],
    *,
    show: Callable[[Console, Document], None],
    as_json: bool,
    keep: Path | None,
    settings: Settings,
) -> Document:
    """Run the story and print its document, as JSON or with `show`; with `keep` it stays there as `outcome.json`.

    Raises `Misuse` where Scentfield is switched off, or the folder to keep is in use.
    """
    if settings.disabled:
        raise Misuse("SCENTFIELD_DISABLED is set, so there is nothing to show: unset it for the demo")
    with work_folder(keep) as folder:
        # Standard output is for the outcome alone; a missed heartbeat, say, is logged to wherever it leads.
        with contextlib.redirect_stdout(sys.stderr):
            document = story(folder, Console(stderr=True, quiet=as_json))
        if keep is not None:
            (folder / "outcome.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    if as_json:
        typer.echo(json.dumps(document))
    else:
        show(Console(), document)
    return document
