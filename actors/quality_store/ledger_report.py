"""The read ledger as rows and lines for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from actors.quality_store.mode import FULL
from actors.quality_store.row import LedgerSheet

DAY_COLUMNS: Final = ("day", "reads", "tokens sent", "saved", "lost to second reads", "lost to failed edits", "net")
WEEK_DAYS: Final = 7
MIN_READS: Final = 20
"""With fewer compressed reads in a week its rate is chance, and is not told."""


def day_row(sheet: LedgerSheet) -> tuple[object, ...]:
    """One period over all extensions, modes and arms, in the order of `DAY_COLUMNS`."""
    rows = sheet.rows
    return (
        sheet.period,
        sum(row.n_reads for row in rows),
        sum(row.n_tokens for row in rows),
        sum(row.n_saved_tokens for row in rows),
        sum(row.n_bounce_tokens for row in rows),
        sum(row.n_retry_tokens for row in rows),
        sum(row.n_net_tokens for row in rows),
    )


def bounce_line(days: Sequence[LedgerSheet], names: Sequence[str]) -> str:
    """The bounce rate of this week against the week before; `names` are the last 14 days, oldest first."""
    before, now = (_rate(days, names[first : first + WEEK_DAYS]) for first in (0, WEEK_DAYS))
    if now is None:
        return f"  bounce rate: not yet known (fewer than {MIN_READS} compressed reads this week)"
    if before is None:
        return f"  bounce rate: {now:.1%} this week; the week before is not known"
    return f"  bounce rate: {now:.1%} this week, {before:.1%} the week before"


def _rate(days: Sequence[LedgerSheet], names: Sequence[str]) -> float | None:
    """Bounces of the compressed reads of some days; None where there are too few to tell."""
    rows = [row for sheet in days if sheet.period in names for row in sheet.rows if row.mode != FULL]
    n_reads = sum(row.n_reads for row in rows)
    return sum(row.n_bounces for row in rows) / n_reads if n_reads >= MIN_READS else None
