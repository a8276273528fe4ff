"""A replay as a picture: for each mode how many hunks it shows, over the share of the tokens that it prints."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from coordinator.picture import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_PANELS: Final = 6
_COLUMNS: Final = 3
_PANEL_INCHES: Final = 3.4


def write_plot(document: Mapping[str, Any], path: Path) -> None:
    """Draw all files, and the extensions with the most hunks. Raises as `check_picture`."""
    groups = [("all files", document), *_largest(document["by_extension"])]
    n_columns = min(_COLUMNS, len(groups))
    n_rows = -(-len(groups) // n_columns)
    with picture(path, _PANEL_INCHES * n_columns, _PANEL_INCHES * n_rows) as figure:
        panels = figure.subplots(n_rows, n_columns, squeeze=False, sharey=True).flat
        for axes, (name, group) in zip(panels, groups, strict=False):
            _draw(axes, name, group)
        for axes in list(panels)[len(groups) :]:
            axes.set_visible(False)


def _largest(groups: Mapping[str, Any]) -> list[tuple[str, Any]]:
    by_hunks = sorted(groups.items(), key=lambda one: (-one[1]["policy"]["edits"], one[0]))
    return [(f".{name}", group) for name, group in by_hunks[: MAX_PANELS - 1]]


def _draw(axes: Axes, name: str, group: Mapping[str, Any]) -> None:
    """One panel: a mode is a dot, and a ring where it ends with the parts that it names."""
    for place, (mode, score) in enumerate(group["modes"].items()):
        colour = f"C{place}"
        axes.plot(score["token_share"], score["hunk_recall"], "o", color=colour, label=mode)
        axes.plot(score["cost_share"], score["hunks_reached"], "o", color=colour, fillstyle="none")
    axes.set_title(f"{name}, {group['policy']['edits']} hunks", fontsize="medium")
    axes.set_xlabel("share of the tokens")
    axes.set_ylabel("share of the hunks")
    axes.set_ylim(-0.05, 1.05)
    axes.grid(visible=True, linewidth=0.4)
    axes.legend(fontsize="x-small")
