"""The forms of PromQL that boards are made of. All of them keep to the instances that were chosen on the board.

Metrics are named without `scentfield_`. `by` are the labels that stay; the rest is summed up, over all instances too.
"""

from __future__ import annotations

from typing import Final

AT: Final = 'instance=~"$instance"'
"""The instances that the board's variable names."""
RATE: Final = "$__rate_interval"
"""Grafana's window for rates: at least four scrapes long."""


def series(name: str, where: str = "") -> str:
    """One metric's series; `where` are matchers to begin with."""
    return f"scentfield_{name}{{{f'{where},' if where else ''}{AT}}}"


def recorded(name: str) -> str:
    """The series of a recording rule, by its whole name."""
    return f"{name}{{{AT}}}"


def now(name: str, *by: str, where: str = "") -> str:
    """A gauge as it is."""
    return f"{_sum(by)} ({series(name, where)})"


def per_minute(name: str, *by: str, where: str = "") -> str:
    """A counter's growth in a minute."""
    return f"60 * {per_second(name, *by, where=where)}"


def per_second(name: str, *by: str, where: str = "") -> str:
    """A counter's growth in a second."""
    return f"{_sum(by)} (rate({series(name, where)}[{RATE}]))"


def within(span: str, name: str, *by: str, where: str = "") -> str:
    """A counter's growth over the span that ends now."""
    return f"{_sum(by)} (increase({series(name, where)}[{span}]))"


def or_zero(expr: str) -> str:
    """Zero while the expression has no series: nothing of its kind has happened yet."""
    return f"({expr}) or (vector(0) unless on () ({expr}))"


def share(part: str, whole: str) -> str:
    """`part` of `whole`, 0 where there was nothing yet to take a part of."""
    return f"({part}) / (({whole}) > 0) or ({whole}) * 0"


def _sum(by: tuple[str, ...]) -> str:
    return f"sum by ({', '.join(by)})" if by else "sum"
