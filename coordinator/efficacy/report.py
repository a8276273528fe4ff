"""The figures of efficacy as lines and rows for people, and as a document for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from actors.quality_store.edit_count import EditRow
from coordinator.efficacy.figure import POSITIONS, Figures
from coordinator.efficacy.interval import HARMS, HELPS, NO_DIFFERENCE, Comparison

FAILURE_COLUMNS: Final = ("extension", "last view", "cause", "edits")
LAYER_COLUMNS: Final = (
    "layer",
    "measure",
    "with it",
    "without",
    "difference, 95% interval",
    "units, held out",
    "it",
)
MAX_FAILURES_SHOWN: Final = 12
_SAID: Final = {HELPS: "helps", HARMS: "harms", NO_DIFFERENCE: "does not help: no difference, with evidence enough"}
NOT_YET_KNOWN: Final = "not yet known"


def figure_lines(seen: Figures) -> list[str]:
    """The figures without the layers, one a line."""
    evidence = seen.evidence
    weeks = f"({evidence.this_week.n_reads} compressed views, {evidence.week_before.n_reads} in the week before)"
    price = "" if seen.price is None else f", worth {seen.price:,.2f}"
    prevented = ", ".join(f"{n} by {_of(source)}" for source, n in seen.duplicates.items())
    ends = ", ".join(f"{_share(seen.placed[end].hit_rate)} at the {_END[end]}" for end in POSITIONS)
    return [
        f"the {evidence.n_days} days to {evidence.last_day}",
        f"bounce rate: {_share(seen.bounce_rate)} this week, {_share(seen.bounce_rate_before)} before {weeks}",
        f"placement hit rate: {ends}",
        f"playbook survival: {_share(seen.survival)} ({seen.n_survived} of {seen.n_became_lasting} lasting entries)",
        f"duplicate work prevented: {prevented}",
        f"net tokens saved: {evidence.n_net_tokens:,}{price} "
        f"({evidence.n_saved_tokens:,} not sent, {evidence.n_bounce_tokens:,} lost to second reads, "
        f"{evidence.n_retry_tokens:,} to failed edits)",
    ]


_END: Final = {"begin": "beginning", "end": "end"}


def _of(source: str) -> str:
    return {"claim": "claims", "guard": "the git guard", "hook": "hooks"}[source]


def _share(value: float | None) -> str:
    return NOT_YET_KNOWN if value is None else f"{value:.1%}"


def failure_rows(seen: Figures) -> list[tuple[object, ...]]:
    """The most frequent ends of edits that were not made, in the order of `FAILURE_COLUMNS`."""
    rows = sorted(seen.failures, key=lambda row: (-row.n, row[:3]))
    return [tuple(_named(row)) for row in rows[:MAX_FAILURES_SHOWN]]


def _named(row: EditRow) -> EditRow:
    return row._replace(extension=f".{row.extension}") if row.extension else row


def n_failures_left_out(seen: Figures) -> int:
    """How many rows of failures are not shown."""
    return max(0, len(seen.failures) - MAX_FAILURES_SHOWN)


def layer_rows(seen: Figures) -> list[tuple[object, ...]]:
    """Each layer by the measure that it is judged by, in the order of `LAYER_COLUMNS`, then those beside it."""
    return [_layer_row(one) for one in seen.comparisons]


def _layer_row(one: Comparison) -> tuple[object, ...]:
    is_told = one.difference is not None and one.low is not None and one.high is not None
    return (
        one.layer,
        one.measure,
        _ratio(one.treatment),
        _ratio(one.holdout),
        f"{one.difference:+.4f} ({one.low:+.4f} to {one.high:+.4f})" if is_told else "",
        f"{one.n_units:,}, {one.n_holdout_units:,}",
        verdict_text(one),
    )


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def verdict_text(one: Comparison) -> str:
    """What is known of a layer, and else what is missing."""
    return _SAID.get(one.verdict, f"{NOT_YET_KNOWN}: {one.n_units_missing:,} more units at least")


def document_of(seen: Figures) -> dict[str, Any]:
    """All of it by name; what is not known is null."""
    evidence = seen.evidence
    return {
        "last_day": evidence.last_day,
        "n_days": evidence.n_days,
        "bounce_rate": {"this_week": seen.bounce_rate, "week_before": seen.bounce_rate_before},
        "bounce_reads": {"this_week": evidence.this_week.n_reads, "week_before": evidence.week_before.n_reads},
        "edit_failures": [row._asdict() for row in seen.failures],
        "placement_hit_rate": {end: placed.hit_rate for end, placed in seen.placed.items()},
        "placements": {end: asdict(placed) for end, placed in seen.placed.items()},
        "playbook_survival": seen.survival,
        "n_became_lasting": seen.n_became_lasting,
        "n_survived": seen.n_survived,
        "duplicates_prevented": dict(seen.duplicates),
        "net_saved_tokens": evidence.n_net_tokens,
        "net_saved_price": seen.price,
        "days": [row._asdict() for row in evidence.days],
        "layers": [{**asdict(one), "n_units_missing": one.n_units_missing} for one in seen.comparisons],
    }
