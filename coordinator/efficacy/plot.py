"""The figures of efficacy as a picture: days, failures, tokens, and each layer's difference with its interval."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Final

from coordinator.efficacy.figure import Figures
from coordinator.efficacy.report import failure_rows, verdict_text
from coordinator.picture import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INCHES: Final = (11.0, 7.5)
_PERCENT: Final = 100.0


def write_plot(seen: Figures, path: Path) -> None:
    """Draw the figures. Raises as `check_picture`."""
    with picture(path, *_INCHES) as figure:
        bounces, tokens, failures, layers = figure.subplots(2, 2).flat
        _draw_bounces(bounces, seen)
        _draw_tokens(tokens, seen)
        _draw_failures(failures, seen)
        _draw_layers(layers, seen)


def _titled(axes: Axes, title: str, *, is_empty: bool) -> None:
    axes.set_title(title, fontsize="medium")
    axes.grid(visible=True, linewidth=0.4)
    if is_empty:
        axes.text(0.5, 0.5, "not yet known", ha="center", va="center", transform=axes.transAxes)


def _draw_bounces(axes: Axes, seen: Figures) -> None:
    days = [day for day in seen.evidence.days if day.n_reads]
    axes.bar([day.day[5:] for day in days], [100.0 * day.n_bounces / day.n_reads for day in days], color="C0")
    axes.set_ylabel("% of the compressed views")
    axes.tick_params(axis="x", rotation=90, labelsize="x-small")
    _titled(axes, "Bounces a day", is_empty=not days)


def _draw_tokens(axes: Axes, seen: Figures) -> None:
    days = seen.evidence.days
    axes.plot([day.day[5:] for day in days], list(accumulate(day.n_net_tokens for day in days)), "o-", color="C2")
    axes.set_ylabel("tokens")
    axes.tick_params(axis="x", rotation=90, labelsize="x-small")
    _titled(axes, "Net tokens saved, added up", is_empty=not days)


def _draw_failures(axes: Axes, seen: Figures) -> None:
    rows = failure_rows(seen)[::-1]
    axes.barh([" ".join(map(str, row[:3])) for row in rows], [float(str(row[3])) for row in rows], color="C3")
    axes.tick_params(axis="y", labelsize="x-small")
    _titled(axes, "Edits that were not made", is_empty=not rows)


def _draw_layers(axes: Axes, seen: Figures) -> None:
    """Differences relative to the holdout, so that all layers fit one axis; what is not known yet is only named."""
    shown = seen.comparisons[::-1]
    axes.axvline(0.0, color="0.3", linewidth=0.8)
    for place, one in enumerate(shown):
        if one.low is None or one.high is None or one.difference is None or not one.holdout:
            continue
        low, middle, high = (_PERCENT * end / one.holdout for end in (one.low, one.difference, one.high))
        axes.plot([low, high], [place, place], color="C0", linewidth=1.5)
        axes.plot([middle], [place], "o", color="C0")
    axes.set_yticks(range(len(shown)), [f"{one.layer}\n{one.measure}: {verdict_text(one)}" for one in shown])
    axes.tick_params(axis="y", labelsize="xx-small")
    axes.set_xlabel("% more (right) or less with the layer than without")
    _titled(axes, "Learned layers, with 95% intervals", is_empty=False)
