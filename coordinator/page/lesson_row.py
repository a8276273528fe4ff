"""What was learned, and whether it pays, as rows of the page. Pure."""

from __future__ import annotations

from typing import Any

from actors.memory.messages import PlaybookView
from actors.memory.messages import Statistics as MemoryCounts
from actors.quality_store.messages import EditQuality, Failures
from actors.runtime.holdout import LAYERS
from actors.thresholds.messages import Learning
from coordinator.efficacy.figure import Figures
from coordinator.efficacy.interval import Comparison
from coordinator.page.table import Row, Table


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


def layer_rows(figures: Figures) -> Table:
    """One row a learned layer, by the measure that it is judged by, where less is better."""
    return {layer: _compared(figures.verdict_of(layer)) for layer in LAYERS}


def _compared(one: Comparison) -> Row:
    return {
        "measure": one.measure,
        "treatment": one.treatment,
        "holdout": one.holdout,
        "n_treatment_units": one.n_treatment_units,
        "n_holdout_units": one.n_holdout_units,
        "difference": one.difference,
        "low": one.low,
        "high": one.high,
        "n_missing": one.n_units_missing,
        "verdict": one.verdict,
    }


def outcome_rows(figures: Figures) -> Table:
    """What reads came to in the window, and how often they bounced this week and the week before."""
    seen = figures.evidence
    return {
        "tokens": {"n_days": seen.n_days, "n_sent": seen.n_sent_tokens, "n_net": seen.n_net_tokens},
        "bounces": {"now": figures.bounce_rate, "before": figures.bounce_rate_before},
    }


def memory_rows(counts: MemoryCounts) -> Table:
    """How entries of playbooks fare."""
    return {
        "survival": {
            "n_became_lasting": counts.n_became_lasting,
            "n_lasting": counts.n_lasting,
            "n_lasting_helpful": counts.n_lasting_helpful,
        }
    }


def _without(row: dict[str, Any], name: str) -> Row:
    return {key: value for key, value in row.items() if key != name}
