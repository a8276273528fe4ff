"""The report's sections on edits, reads and savings, as lines of text for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from actors.quality_store.messages import EditQuality, ReadQuality, Statistics
from actors.quality_store.row import LedgerRow, PairRow, RateRow

HEADING: Final = "Edit quality (compression-correlated)"
SOURCES_HEADING: Final = "Auto-mode sources"
BOUNCES_HEADING: Final = "Bounces"
SAVINGS_HEADING: Final = "Savings (net of bounces and retries)"
RISKY_MARK: Final = "[risky -> full]"
FULL_MARK: Final = "[bounces -> full]"


def edit_quality_lines(quality: EditQuality) -> list[str]:
    """One line a pair, in the order given (by name), then the escalations."""
    width = max((len(_name(pair)) for pair in quality.pairs), default=0)
    lines = [HEADING, *(_pair_line(pair, width) for pair in quality.pairs)]
    if not quality.pairs:
        lines.append("  no edit outcomes yet")
    if any(pair.risky for pair in quality.pairs):
        lines.append("  a risky pair learns only from reads that name the mode, and from the holdout")
    lines.append(f"  escalations: {quality.escalations_served} served, {quality.escalations_pending} pending")
    return lines


def _name(pair: PairRow) -> str:
    return f"{pair.extension}|{pair.mode}"


def _pair_line(pair: PairRow, width: int) -> str:
    counts = f"fails {pair.n_fails}, successes {pair.n_successes}, fail rate {pair.fail_rate:.1%}"
    mark = f" {RISKY_MARK}" if pair.risky else ""
    return f"  {_name(pair):<{width}}  {counts}{mark}"


def source_lines(statistics: Statistics) -> list[str]:
    """How many automatic reads got their mode from each source, the most frequent first."""
    rows = sorted(statistics.sources, key=lambda row: (-row.n, row.source))
    width = max((len(row.source) for row in rows), default=0)
    lines = [f"  {row.source:<{width}}  {row.n}" for row in rows]
    n_held_out = sum(row.n for row in statistics.penalties_held_out)
    if n_held_out:
        lines.append(f"  held out from the penalty: {n_held_out}")
    return [SOURCES_HEADING, *(lines or ["  no automatic reads yet"])]


def bounce_lines(quality: ReadQuality) -> list[str]:
    """One line an extension, then the path memory."""
    width = max((len(row.extension) for row in quality.rates), default=0)
    lines = [_rate_line(row, width) for row in quality.rates] or ["  no reads yet"]
    remembered = _n(quality.paths_remembered, "file", "files")
    paths = f"  path memory: {remembered}, {quality.paths_full} of them read in full"
    return [BOUNCES_HEADING, *lines, paths]


def _rate_line(row: RateRow, width: int) -> str:
    mark = f" {FULL_MARK}" if row.means_full else ""
    return (
        f"  {row.extension:<{width}}  bounces {row.n_bounces} of {row.n_reads} reads, now {row.bounce_rate:.1%}{mark}"
    )


def savings_lines(rows: Sequence[LedgerRow]) -> list[str]:
    """What was sent and saved in all, and what came off for bounces and retries; below by arm, if any was held out."""
    if not rows:
        return [SAVINGS_HEADING, "  not yet known: nothing was read"]
    lines = [SAVINGS_HEADING, f"  {_savings(rows)}"]
    arms = sorted({row.arm for row in rows})
    if len(arms) > 1:
        for arm in arms:
            of_arm = [row for row in rows if row.arm == arm]
            lines.append(f"  {'without ' + arm if arm else 'treatment'}: {_savings(of_arm)}")
    return lines


def _savings(rows: Sequence[LedgerRow]) -> str:
    n_sent, n_saved, n_net = (sum(amounts) for amounts in zip(*map(_amounts, rows), strict=True))
    n_bounces, n_retries = sum(row.n_bounces for row in rows), sum(row.n_retries for row in rows)
    causes = f"{_n(n_bounces, 'bounce', 'bounces')} and {_n(n_retries, 'retry', 'retries')}"
    cost = f"{n_saved - n_net:,} lost to {causes}"
    return f"{n_net:,} tokens saved net: {n_saved:,} not sent, {cost}; {n_sent:,} were sent"


def _amounts(row: LedgerRow) -> tuple[int, int, int]:
    return row.n_tokens, row.n_saved_tokens, row.n_net_tokens


def _n(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
