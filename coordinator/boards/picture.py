"""A board as a picture: each of its panels, from the same queries, for whoever has a Prometheus and no Grafana."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from coordinator.boards.board import Board, Kind, Panel
from coordinator.boards.expression import AT, RATE
from coordinator.boards.prometheus import Prometheus, Series
from coordinator.picture import check_picture, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_POINTS: Final = 120
MAX_LINES: Final = 12
"""Lines of one panel that are drawn; how many more there are is said."""
_COLUMNS: Final = 3
_WIDTH_INCHES: Final = 4.4
_DOTS_AN_INCH: Final = 72
_N_COLOURS: Final = 64
_LEGEND: Final = re.compile(r"\{\{(\w+)\}\}")
_UNITS: Final = {"percentunit": (100.0, " %"), "bytes": (1 / 2**20, " MiB"), "percent": (1.0, " %"), "s": (1.0, " s")}

_MINUTE_S: Final = 60.0
_SPANS: Final = (("days", 86_400.0), ("hours", 3_600.0), ("minutes", _MINUTE_S))
_N_LEAST: Final = 4
"""Of fewer days or hours the axis tells the smaller unit."""

Line = tuple[str, tuple[tuple[float, float], ...]]


@dataclass(frozen=True, slots=True)
class Frame:
    """The time that is drawn, in seconds since the epoch; rates are over `rate_s` seconds."""

    from_s: float
    to_s: float
    rate_s: int

    @property
    def step_s(self) -> float:
        """The time between two points."""
        return max((self.to_s - self.from_s) / N_POINTS, 1.0)

    @property
    def told(self) -> str:
        """From when to when, in UTC; the day once, if it is one."""
        began, ended = (datetime.fromtimestamp(at_s, UTC) for at_s in (self.from_s, self.to_s))
        until = f"{ended:%H:%M}" if ended.date() == began.date() else f"{ended:%Y-%m-%d %H:%M}"
        return f"{began:%Y-%m-%d %H:%M} to {until} UTC"

    @property
    def unit(self) -> tuple[str, float]:
        """What the axis of time is told in, and its seconds."""
        span_s = self.to_s - self.from_s
        return next((name, size_s) for name, size_s in _SPANS if span_s >= _N_LEAST * size_s or size_s == _MINUTE_S)


def write_picture(board: Board, frame: Frame, prometheus: Prometheus, path: Path) -> list[str]:
    """Ask for all panels, draw them, write the picture whole; returns the titles of panels that have no data.

    Raises as `check_picture`, and as `Prometheus.between`.
    """
    check_picture(path)
    lines = [lines_of(panel, frame, prometheus) for panel in board.panels]
    panels = list(board.panels)
    rows = [panels[first : first + _COLUMNS] for first in range(0, len(panels), _COLUMNS)]
    heights = [_height(row) for row in rows]
    size = _WIDTH_INCHES * _COLUMNS, sum(heights) + 0.5
    with picture(path, *size, dots_an_inch=_DOTS_AN_INCH, n_colours=_N_COLOURS) as figure:
        _draw(figure, board, frame, lines, heights)
    return [panel.title for panel, found in zip(board.panels, lines, strict=True) if not found]


def lines_of(panel: Panel, frame: Frame, prometheus: Prometheus) -> list[Line]:
    """What a panel shows, each line with its name; a number or a table has one point a line."""
    found: list[Line] = []
    for query in panel.queries:
        expr = query.expr.replace(AT, 'instance=~".*"').replace(RATE, f"{frame.rate_s}s")
        if panel.kind in ("number", "table"):
            series = prometheus.at(expr, frame.to_s)
        else:
            series = prometheus.between(expr, frame.from_s, frame.to_s, frame.step_s)
        found += [(_name(query.legend, one), one.points) for one in series]
    return found


def _name(legend: str, series: Series) -> str:
    """As Grafana names a line: the legend with the labels' values, else the labels."""
    if legend:
        return _LEGEND.sub(lambda match: series.labels.get(match[1], ""), legend)
    shown = (value for name, value in sorted(series.labels.items()) if name not in ("__name__", "instance", "job"))
    return " ".join(shown)


def _draw(figure: Figure, board: Board, frame: Frame, lines: list[list[Line]], heights: list[float]) -> None:
    figure.suptitle(f"{board.title}, {frame.told}", fontsize="large")
    places = list(figure.subplots(len(heights), _COLUMNS, squeeze=False, height_ratios=heights).flat)
    for axes, panel, found in zip(places, board.panels, lines, strict=False):
        axes.set_title(panel.title, fontsize="small")
        _DRAWERS[panel.kind](axes, panel, found, frame)
    for axes in places[len(lines) :]:
        axes.set_visible(False)


def _height(panels: list[Panel]) -> float:
    """In inches; a line of numbers alone needs little."""
    return 0.8 if all(panel.kind == "number" for panel in panels) else 2.3


def _graph(axes: Axes, panel: Panel, lines: list[Line], frame: Frame) -> None:
    factor, unit = _UNITS.get(panel.unit, (1.0, ""))
    of_time, size_s = frame.unit
    for name, points in lines[:MAX_LINES]:
        at = [(at_s - frame.to_s) / size_s for at_s, _ in points]
        axes.plot(at, [value * factor for _, value in points], linewidth=1.2, label=name)
    axes.set_xlim((frame.from_s - frame.to_s) / size_s, 0)
    axes.set_xlabel(f"{of_time}{f', in{unit}' if unit else ''}", fontsize="x-small")
    axes.tick_params(labelsize="x-small")
    axes.grid(visible=True, linewidth=0.4)
    if any(name for name, _ in lines[:MAX_LINES]):
        more = f"and {len(lines) - MAX_LINES} more" if len(lines) > MAX_LINES else None
        axes.legend(fontsize="xx-small", ncols=2, title=more, title_fontsize="xx-small")
    _say_if_empty(axes, lines)


def _number(axes: Axes, panel: Panel, lines: list[Line], _frame: Frame) -> None:
    axes.set_axis_off()
    if lines:
        axes.text(0.5, 0.5, _written(lines[0][1][-1][1], panel.unit), fontsize="xx-large", ha="center", va="center")
    _say_if_empty(axes, lines)


def _table(axes: Axes, panel: Panel, lines: list[Line], _frame: Frame) -> None:
    axes.set_axis_off()
    rows = [f"{_written(points[-1][1], panel.unit):>10}  {name}" for name, points in lines[:MAX_LINES]]
    if len(lines) > MAX_LINES:
        rows.append(f"{'':>10}  and {len(lines) - MAX_LINES} more")
    axes.text(0.0, 1.0, "\n".join(rows), fontsize="x-small", family="monospace", va="top")
    _say_if_empty(axes, lines)


def _states(axes: Axes, panel: Panel, lines: list[Line], frame: Frame) -> None:
    _graph(axes, panel, lines, frame)
    axes.set_yticks([float(value) for value, _ in panel.names], [name for _, name in panel.names])


def _say_if_empty(axes: Axes, lines: list[Line]) -> None:
    if not lines:
        axes.text(0.5, 0.5, "no data", color="grey", ha="center", va="center", transform=axes.transAxes)


def _written(value: float, unit: str) -> str:
    factor, sign = _UNITS.get(unit, (1.0, ""))
    return f"{value * factor:,.4g}{sign}" if abs(value) < 10_000 else f"{value * factor:,.0f}{sign}"


_DRAWERS: Final[dict[Kind, Callable[..., None]]] = {
    "graph": _graph,
    "number": _number,
    "table": _table,
    "states": _states,
}
