"""Sights as rows of text, for the screen and for a pipe. Pure; nothing here knows a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from coordinator.cli.outcome import span
from coordinator.cli.screen import visible
from coordinator.domain import DOMAINS
from coordinator.top.rate import SHOWN, Rates
from coordinator.top.sight import Sight

MAX_CELL: Final = 120
_BARS: Final = " ▁▂▃▄▅▆▇█"
_FULL_INTENSITY: Final = 3.0
_BAR_CELLS: Final = 4


@dataclass(frozen=True, slots=True)
class Table:
    """Rows by a key that stays the same from look to look; `n_more` were left out."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    n_more: int = 0


def claims_table(sight: Sight) -> Table:
    """Who holds what, the strongest first."""
    rows = [
        (
            f"{row.target}\0{row.generation}",
            (
                row.target,
                ", ".join(row.agents),
                span(row.age_s),
                span(row.idle_s) if row.idle_s >= 60.0 else "",
                str(row.generation),
                row.intent,
            ),
        )
        for row in sight.claims
    ]
    n_claims = sight.view.n_claims if sight.view else 0
    return _table(("claimed", "by", "since", "idle", "gen", "intent"), rows, n_claims - len(rows))


def signals_table(sight: Sight) -> Table:
    """What was left on which target, the strongest first."""
    rows = [
        (
            f"{row.kind}\0{row.target}",
            (row.kind, strength(row.intensity), row.target, ", ".join(row.agents), span(row.age_s)),
        )
        for row in sight.signals
    ]
    n_left_out = sight.view.n_left_out if sight.view else 0
    return _table(("signal", "strength", "on", "by", "since"), rows, n_left_out)


def agents_table(sight: Sight) -> Table:
    """Who is alive, and what it would take to lose them."""
    n_claims: dict[str, int] = {}
    for row in sight.claims:
        for agent in row.agents:
            n_claims[agent] = n_claims.get(agent, 0) + 1
    rows = [
        (
            one.session_id,
            (
                one.session_id,
                str(n_claims.get(one.session_id, "")),
                one.kept_by,
                span(one.age_s),
                span(one.expires_in_s),
            ),
        )
        for one in sight.agents
    ]
    n_live = sight.sessions.n_live if sight.sessions else 0
    return _table(("agent", "claims", "kept by", "since", "ends in, if silent"), rows, n_live - len(rows))


def actors_table(sight: Sight) -> Table:
    """The state actors."""
    rows: list[tuple[str, tuple[str, ...]]] = []
    for domain in DOMAINS:
        account = sight.accounts.get(domain)
        problem = sight.problems.get(domain, "")
        if account is None:
            rows.append((domain, (domain, problem or "not seen", "", "", "", "")))
            continue
        n_commits = max(1, account.get("n_commits", 0))
        commit_ms = account.get("commit_seconds", 0.0) / n_commits * 1_000.0
        cells = (span(account["uptime_s"]), str(account["seq"] or ""), f"{commit_ms:.1f} ms", str(account["n_queued"]))
        rows.append((domain, (domain, problem or "serving", *cells)))
    return _table(("actor", "state", "up for", "commits", "a commit takes", "queued"), rows, 0)


def rates_table(rates: Rates, n_bars: int = 20) -> Table:
    """What happens how often."""
    rows = []
    for name, label in SHOWN.items():
        rate, total = rates.per_minute(name), rates.total(name)
        told = (
            "" if rate is None else f"{rate:.1f}",
            bars(rates.steps(name, n_bars)),
            "" if total is None else f"{total:,}",
        )
        rows.append((name, (label, *told)))
    return _table(("", "a minute", "lately", "ever"), rows, 0)


def _table(columns: tuple[str, ...], rows: Sequence[tuple[str, tuple[str, ...]]], n_more: int) -> Table:
    shown = tuple((key, tuple(cell(text) for text in cells)) for key, cells in rows)
    return Table(columns, shown, max(0, n_more))


def cell(text: str) -> str:
    """A cell's text: on one line, without control characters, no longer than 120."""
    plain = visible(text)
    return plain if len(plain) <= MAX_CELL else f"{plain[: MAX_CELL - 1]}…"


def strength(intensity: float) -> str:
    """An intensity, 3 at most, as a bar with its number."""
    n_full = round(min(max(intensity, 0.0), _FULL_INTENSITY) / _FULL_INTENSITY * _BAR_CELLS)
    return f"{'█' * n_full:<{_BAR_CELLS}} {intensity:.2f}"


def bars(steps: Sequence[float]) -> str:
    """Numbers as bars, the largest one full."""
    largest = max(steps, default=0.0)
    if largest <= 0.0:
        return _BARS[1] * len(steps)
    return "".join(_BARS[1 + round(max(0.0, step) / largest * 7)] for step in steps)
