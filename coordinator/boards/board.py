"""A board as plain values: rows of panels, each with what it asks Prometheus. Knows nothing of Grafana."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["graph", "number", "table", "states"]
"""A graph over time, its last value as a number, the last values as a table, or which state held when."""


@dataclass(frozen=True, slots=True)
class Query:
    """One PromQL expression; `legend` names its lines by their labels, `{{domain}}`."""

    expr: str
    legend: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """From this value on a number has this colour; the first step has no value and holds below all others."""

    value: float | None
    colour: str


@dataclass(frozen=True, slots=True)
class Panel:
    """One question to the data. `about` is what a person has to know to read it; `unit` is one of Grafana's."""

    title: str
    about: str
    queries: tuple[Query, ...]
    unit: str = "short"
    kind: Kind = "graph"
    width: int = 8
    is_stacked: bool = False
    steps: tuple[Step, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    """What a value is called (`states`): ("1", "serves")."""


@dataclass(frozen=True, slots=True)
class Row:
    """Panels under one heading."""

    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """`name` is its file's name and the end of its address in Grafana."""

    name: str
    title: str
    about: str
    rows: tuple[Row, ...]
    time_from: str = "now-6h"

    @property
    def panels(self) -> Iterator[Panel]:
        """All panels, in the order in which they are shown."""
        return (panel for row in self.rows for panel in row.panels)


def number(title: str, about: str, expr: str, *, unit: str = "short", steps: tuple[Step, ...] = ()) -> Panel:
    """A single number, small enough that six stand in a line."""
    return Panel(title, about, (Query(expr),), unit, "number", 4, steps=steps)


def graph(title: str, about: str, *queries: Query, unit: str = "short", width: int = 8, stacked: bool = False) -> Panel:
    """Lines over time; three stand beside each other."""
    return Panel(title, about, queries, unit, "graph", width, stacked)


def table(title: str, about: str, *queries: Query, unit: str = "short", width: int = 8) -> Panel:
    """The values of now, a line for each set of labels."""
    return Panel(title, about, queries, unit, "table", width)


GOOD_AT_ZERO: Final = (Step(None, "green"), Step(1, "red"))
"""None is fine, one is too many."""
