"""What was learned, as lines of text for `learning` and `status`."""

from __future__ import annotations

from math import floor
from typing import Final

from actors.thresholds.messages import (
    CostEvidence,
    CostRow,
    Imported,
    LearnedRow,
    Learning,
    ProfileRow,
    RankedRow,
    ReplayCounted,
)
from actors.thresholds.placement import DEFAULT_SHARE
from actors.thresholds.ranking import LEARNED

THRESHOLDS_HEADING: Final = "Learned thresholds"
PLACEMENT_HEADING: Final = "Placement"
COSTS_HEADING: Final = "Learned costs"
RANKING_HEADING: Final = "Learned ranking of units"
MAX_SHIFTS_SHOWN: Final = 4


def threshold_lines(learned: Learning) -> list[str]:
    """One line an extension, in the order given (by name)."""
    width = max((len(row.extension) + 1 for row in learned.deltas), default=0)
    lines = [f"  {_threshold_line(row, width, learned.min_signals)}" for row in learned.deltas]
    return [THRESHOLDS_HEADING, *(lines or ["  not yet known: no signals so far"])]


def _threshold_line(row: LearnedRow, width: int, min_signals: int) -> str:
    name = f"{'.' + row.extension:<{width}}  {_signed(row.delta)}"
    if not row.applies:
        return f"{name}  warming up ({row.n_signals} of {min_signals})"
    return f"{name}  {row.n_signals} signals  {_effect(row.delta)}"


def _signed(delta: float) -> str:
    """Three digits and a sign; what rounds to nothing has a plus."""
    return f"{round(delta, 3) + 0.0:+.3f}"


def _effect(delta: float) -> str:
    if round(delta, 3) == 0.0:
        return "as by default"
    return "compresses more" if delta > 0.0 else "backs off"


def placement_lines(learned: Learning) -> list[str]:
    """One line a client profile: the share of what is placed that goes to the beginning, and why."""
    width = max((len(row.profile) for row in learned.profiles), default=0)
    lines = [f"  {_profile_line(row, width, learned.min_observations)}" for row in learned.profiles]
    nothing = f"  not yet known: begin share {DEFAULT_SHARE:.2f} for every client"
    return [PLACEMENT_HEADING, *(lines or [nothing])]


def _profile_line(row: ProfileRow, width: int, min_observations: int) -> str:
    share = f"{row.profile:<{width}}  begin share {row.begin_share:.2f}"
    if not row.applies:
        return f"{share}  warming up ({floor(row.n_observations)} of {min_observations})"
    rates = f"hit rate {row.begin_rate:.0%} at begin, {row.end_rate:.0%} at end"
    return f"{share}  {floor(row.n_observations)} observations  {rates}"


def ranking_lines(learned: Learning) -> list[str]:
    """One line an extension: how the weights of `units` are shifted, the largest shifts first."""
    lines = [f"  {_ranking_line(row, learned.min_hunks)}" for row in learned.rankings]
    return [RANKING_HEADING, *(lines or ["  as by default: nothing learned so far"])]


def _ranking_line(row: RankedRow, min_hunks: int) -> str:
    extension, shifts = row.ranking
    if not row.applies:
        return f".{extension}  warming up ({row.n_hunks} of {min_hunks} hunks)"
    largest = sorted(zip(LEARNED, shifts, strict=True), key=lambda one: (-abs(one[1]), one[0]))[:MAX_SHIFTS_SHOWN]
    shown = ", ".join(f"{name} {shift:+.2f}" for name, shift in largest if shift) or "as by default"
    return f".{extension}  {_n(row.n_hunks, 'hunk')}  {shown}"


def cost_lines(learned: Learning) -> list[str]:
    """One line for each kind of view that there is evidence on."""
    lines = [f"  {_cost_line(row)}" for row in learned.costs]
    return [COSTS_HEADING, *(lines or ["  not yet known: no outcomes so far"])]


def _cost_line(row: CostEvidence) -> str:
    cost = row.cost
    replayed = f", {round(row.n_replayed)} of them replayed" if row.n_replayed else ""
    shown = f"shows {cost.share:.0%} of the tokens, {cost.p_loss:.0%} end in a loss of {cost.n_extra_tokens} tokens"
    return f".{cost.extension}  {cost.mode}  {cost.bucket}  {shown}  {_n(round(row.n_outcomes), 'outcome')}{replayed}"


def import_lines(imported: Imported) -> list[str]:
    """What an import has changed, by name; that nothing changed, if so."""
    lines = [
        f"  .{row.extension}  {_signed(row.before)} -> {_signed(row.after)}  {row.n_before} -> {row.n_after} signals"
        for row in imported.deltas
    ]
    lines += [
        f"  {row.profile}  begin share {row.before:.2f} -> {row.after:.2f}  "
        f"{floor(row.n_before)} -> {floor(row.n_after)} observations"
        for row in imported.begin_shares
    ]
    if imported.n_left_out:
        lines.append(f"  {_n(imported.n_left_out, 'origin')} found no place: the limit is reached")
    if not imported.n_origins:
        return ["nothing changed", *lines]
    return [f"changed what is known of {_n(imported.n_origins, 'origin')}", *lines]


def replay_lines(counted: ReplayCounted) -> list[str]:
    """What a replay has changed in the eyes of readers, by kind of view; that nothing changed, if so."""
    if not counted.is_new:
        return ["nothing changed: this is what is known of this history already"]
    lines = [
        f"  .{row.after.extension}  {row.after.mode}  {row.after.bucket}  {_told(row.before)} -> {_told(row.after)}"
        f"  {_n(round(row.n_outcomes), 'outcome')}"
        for row in counted.changes
    ]
    return [f"{_n(len(lines), 'learned cost')} changed", *lines]


def _told(cost: CostRow) -> str:
    return f"{cost.share:.0%} + {cost.p_loss:.0%} x {cost.n_extra_tokens}"


def _n(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
