"""What was learned, and whether it pays, as rows of the page. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from actors.memory.messages import PlaybookView
from actors.memory.messages import Statistics as MemoryCounts
from actors.quality_store.arm import READING_LAYERS, TREATMENT, holds_out
from actors.quality_store.ledger_report import MIN_READS
from actors.quality_store.messages import EditQuality, Failures, Savings
from actors.quality_store.mode import FULL
from actors.quality_store.row import LedgerRow, LedgerSheet
from actors.thresholds.messages import Learning
from coordinator.page.table import Row, Table

_WEEK_DAYS: Final = 7


def failure_rows(failures: Failures) -> Table:
    """One row a failed edit."""
    return {str(row.number): _without(row._asdict(), "number") for row in failures.rows}


def pair_rows(quality: EditQuality) -> Table:
    """One row an (extension, mode) that edits were written from."""
    return {f"{row.extension}\t{row.mode}": row._asdict() for row in quality.pairs}


def threshold_rows(learned: Learning) -> Table:
    """One row an extension: its delta, and how much stands behind it."""
    return {row.extension: {**row._asdict(), "n_needed": learned.min_signals} for row in learned.deltas}


def playbook_rows(view: PlaybookView) -> Table:
    """One row an entry of the project's playbook."""
    return {str(entry.entry_id): _without(entry._asdict(), "entry_id") for entry in view.entries}


def efficacy_rows(rows: Sequence[LedgerRow]) -> Table:
    """One row a learned layer: what views did with all layers, and what they did without this one."""
    treated = _sum(row for row in rows if row.arm == TREATMENT)
    return {
        layer: {"treated": treated, "held_out": _sum(row for row in rows if holds_out(row.arm, layer))}
        for layer in READING_LAYERS
    }


def outcome_rows(rows: Sequence[LedgerRow], savings: Savings, today_utc: datetime) -> Table:
    """All reads since ever, and how often they bounced this week and the week before."""
    days = [today_utc.astimezone(UTC).date() - timedelta(days=age) for age in range(2 * _WEEK_DAYS)]
    now, before = ([str(day) for day in days[first : first + _WEEK_DAYS]] for first in (0, _WEEK_DAYS))
    week: dict[str, Any] = {"now": _bounce_rate(savings.days, now), "before": _bounce_rate(savings.days, before)}
    return {"reads": _sum(rows), "bounces": week}


def memory_rows(counts: MemoryCounts) -> Table:
    """How entries of playbooks fare."""
    return {
        "survival": {
            "n_became_lasting": counts.n_became_lasting,
            "n_lasting": counts.n_lasting,
            "n_lasting_helpful": counts.n_lasting_helpful,
        }
    }


def _bounce_rate(days: Iterable[LedgerSheet], names: Sequence[str]) -> float | None:
    """Bounces of compressed reads; None where there are too few to tell."""
    seen = _sum(row for sheet in days if sheet.period in names for row in sheet.rows)
    return seen["n_bounces"] / seen["n_compressed"] if seen["n_compressed"] >= MIN_READS else None


def _sum(rows: Iterable[LedgerRow]) -> dict[str, Any]:
    listed = list(rows)
    return {
        "n_reads": sum(row.n_reads for row in listed),
        "n_compressed": sum(row.n_reads for row in listed if row.mode != FULL),
        "n_bounces": sum(row.n_bounces for row in listed),
        "n_retries": sum(row.n_retries for row in listed),
        "n_tokens": sum(row.n_tokens for row in listed),
        "n_saved_tokens": sum(row.n_saved_tokens for row in listed),
        "n_net_tokens": sum(row.n_net_tokens for row in listed),
    }


def _without(row: dict[str, Any], name: str) -> Row:
    return {key: value for key, value in row.items() if key != name}
