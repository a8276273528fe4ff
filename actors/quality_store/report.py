"""The report's section on edit quality, as lines of text."""

from __future__ import annotations

from typing import Final

from actors.quality_store.messages import EditQuality, PairRow

HEADING: Final = "Edit quality (compression-correlated)"
RISKY_MARK: Final = "[risky -> full]"


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
