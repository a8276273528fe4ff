"""All counters of the quality store at one moment."""

from __future__ import annotations

from actors.quality_store.answer_book import AnswerBook
from actors.quality_store.edit_book import EditBook
from actors.quality_store.messages import Statistics
from actors.quality_store.read_book import ReadBook
from actors.quality_store.read_state import ReadState
from actors.quality_store.row import OutcomeRow, PenaltyRow, ReadRow, SourceRow
from actors.runtime.outbox import Outbox


def take_statistics(
    edits: EditBook,
    reads: ReadBook,
    answers: AnswerBook,
    state: ReadState,
    outbox: Outbox,
    n_pins: int,
    utc_s: float,
) -> Statistics:
    """What the books, the pins and the outbox have counted; what has lapsed is left out, collected or not."""
    return Statistics(
        pairs=edits.pair_rows(utc_s),
        pairs_evicted=edits.n_dropped_pairs("evicted", utc_s),
        pairs_decayed=edits.n_dropped_pairs("decayed", utc_s),
        escalations_pending=edits.n_escalations(utc_s),
        escalations_armed=edits.totals["escalation", "armed"],
        escalations_returned=edits.totals["escalation", "returned"],
        escalations_served=edits.n_ended("served", utc_s),
        escalations_expired=edits.n_ended("expired", utc_s),
        escalations_evicted=edits.n_ended("evicted", utc_s),
        escalations_changed=edits.n_ended("changed", utc_s),
        penalties=tuple(PenaltyRow._make(row) for row in edits.penalties.rows()),
        sources=tuple(SourceRow(source, n) for source, _, n in state.sources.rows()),
        outcomes=tuple(OutcomeRow._make(row) for row in edits.outcomes.rows()),
        reads=tuple(ReadRow._make(row) for row in state.reads.rows()),
        pins=n_pins,
        pins_evicted=edits.totals["pin", "evicted"],
        penalties_held_out=tuple(PenaltyRow._make(row) for row in edits.held_out.rows()),
        ledger=state.ledger.totals.ledger_rows(),
        paths_remembered=reads.n_paths(utc_s),
        paths_full=reads.n_full_paths(utc_s),
        paths_evicted=state.evictions["path", "evicted"],
        paths_decayed=reads.n_decayed_paths(utc_s),
        extensions=len(state.rates),
        extensions_evicted=state.evictions["extension", "evicted"],
        agents=len(state.trails),
        agents_evicted=state.evictions["agent", "evicted"],
        files_evicted=state.evictions["file", "evicted"],
        notes=outbox.counts(),
        edits=state.ledger.edits.edit_rows(),
        trial_units=state.ledger.n_trial_units,
        trial_outcomes_left_out=state.ledger.n_left_out,
        answers=answers.counts(utc_s),
        escalations_reset=edits.totals["escalation", "reset"],
    )
