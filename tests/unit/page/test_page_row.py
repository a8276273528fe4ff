"""What the actors answer, as rows of the page: figures that a reader can add up."""

import json
from datetime import UTC, datetime

import pytest

from actors.memory.entry import Entry
from actors.memory.messages import PlaybookView
from actors.quality_store.arm import READING_LAYERS
from actors.quality_store.messages import EditQuality, FailureRow, Failures, Savings
from actors.quality_store.row import LedgerRow, LedgerSheet, PairRow
from actors.scent_field.messages import AuditLine, ClaimRow, FieldRow, FieldView, RefusalRow, WaiterRow
from actors.sessions.messages import SessionList, SessionRow
from actors.thresholds.messages import LearnedRow, Learning
from coordinator.page import field_row, lesson_row

HALF_LIVES_S = {"HOT": 600.0, "DONE": 3600.0}


def signal(kind="HOT", intensity=2.0):
    view = FieldView((FieldRow(kind, "a", intensity, ("ann#1",), 5.0, 0, 5.0, ""),), 3, 1, 2, "warn", 9)
    (row,) = field_row.signal_rows(view, HALF_LIVES_S, 1_000.0).values()
    return row


def now_of(row, at_s):
    """What the page makes of it."""
    return 0.05 * 2 ** ((row["dead_at"] - at_s) / HALF_LIVES_S[row["kind"]])


@pytest.mark.parametrize(("kind", "intensity"), [("HOT", 2.0), ("DONE", 0.3), ("HOT", 64.0)])
def test_the_intensity_follows_from_when_a_signal_dies(kind, intensity):
    row = signal(kind, intensity)
    assert now_of(row, 1_000.0) == pytest.approx(intensity, rel=1e-4)
    assert now_of(row, 1_000.0 + HALF_LIVES_S[kind]) == pytest.approx(intensity / 2, rel=1e-4)


def test_a_signal_that_is_dead_already_dies_now():
    assert signal(intensity=0.001)["dead_at"] == 1_000.0


def test_the_same_target_may_smell_of_two_kinds():
    rows = tuple(FieldRow(kind, "a\tb", 1.0, (), 0.0, 0, 0.0, "") for kind in ("HOT", "DONE"))
    assert len(field_row.signal_rows(FieldView(rows, 0, 0, 0, "deny", 0), HALF_LIVES_S, 0.0)) == 2


@pytest.mark.parametrize(("kept_by", "ends_at"), [("decay", 70.0), ("heartbeat", None), ("connection", None)])
def test_a_claim_ends_at_a_time_of_its_own_only_if_nothing_keeps_it(kept_by, ends_at):
    claim = ClaimRow(4, ("a",), 2, "ann#1", 7, "exclusive", kept_by, 30.0, 10.0, 20.0, "x")
    (row,) = field_row.claim_rows((claim,), 50.0).values()
    assert (row["since_at"], row["progress_at"], row["ends_at"], row["n_more"]) == (20.0, 40.0, ends_at, 2)


def test_waiters_keep_their_places():
    waiters = tuple(WaiterRow(n, ("a",), 0, "bob#2", "shared", True, 5.0, 55.0, "") for n in (12, 9))
    rows = field_row.waiter_rows(waiters, 100.0)
    assert {key: (row["place"], row["since_at"], row["until_at"]) for key, row in rows.items()} == {
        "12": (1, 95.0, 155.0),
        "9": (2, 95.0, 155.0),
    }


def test_refusals_agents_and_audit_lines_have_keys_of_their_own():
    refusal = RefusalRow(3, "bob#2", "a", 0, "claimed", "ann#1", "", 2, 4.0)
    assert field_row.refusal_rows((refusal,), 10.0)["3"]["last_at"] == 6.0
    listed = SessionList((SessionRow("ann#1", "", "heartbeat", 9.0, 20.0),), 4)
    assert field_row.agent_rows(listed, 10.0)["ann#1"] == {"parent": "", "kept_by": "heartbeat", "since_at": 1.0}
    lines = tuple(AuditLine(1.5, "kate#9", holder, "a", 7, "gone", True) for holder in ("ann#1", "bob#2"))
    assert len(field_row.audit_rows(lines)) == 2, "two shared holders of one generation"


def ledger(arm="", n_reads=10, n_tokens=300, n_saved=700, n_bounces=1, mode="map"):
    return LedgerRow("py", mode, arm, n_reads, n_reads, n_tokens, n_saved, n_bounces, 100, 0, 0, 2, 50)


def test_each_layer_is_beside_what_was_held_out_from_it():
    rows = lesson_row.efficacy_rows(
        [ledger(), ledger("expected_cost", 4, 200, 100, 2), ledger("entropy_delta+expected_cost", 1, 10, 0, 0)]
    )
    assert set(rows) == set(READING_LAYERS)
    cost = rows["expected_cost"]
    assert (cost["treated"]["n_reads"], cost["held_out"]["n_reads"]) == (10, 5)
    assert (cost["treated"]["n_net_tokens"], cost["held_out"]["n_net_tokens"]) == (550, 100 - 300)
    assert rows["entropy_delta"]["held_out"]["n_reads"] == 1
    assert rows["unit_ranking"]["held_out"]["n_reads"] == 0


def test_the_bounce_rate_counts_compressed_reads_of_this_week_and_the_last():
    def day(name, **more):
        return LedgerSheet(name, (ledger(**more), ledger(mode="full", n_reads=1_000, n_bounces=0)))

    savings = Savings((day("2023-11-06", n_reads=40, n_bounces=10), day("2023-11-14", n_reads=20, n_bounces=1)), ())
    today = datetime(2023, 11, 14, 12, tzinfo=UTC)
    assert lesson_row.outcome_rows([], savings, today)["bounces"] == {"now": 0.05, "before": 0.25}
    few = Savings((day("2023-11-14", n_reads=19, n_bounces=1),), ())
    assert lesson_row.outcome_rows([], few, today)["bounces"] == {"now": None, "before": None}


def test_what_was_learned_says_how_much_evidence_there_is():
    learned = Learning((LearnedRow("py", 0.041, 27, 2, True),), (), (), 10, 8)
    assert lesson_row.threshold_rows(learned)["py"] == {
        "extension": "py",
        "delta": 0.041,
        "n_signals": 27,
        "n_origins": 2,
        "applies": True,
        "n_needed": 10,
    }


def test_all_of_it_is_json():
    entry = Entry(5, "Pitfall", "it bites", "src/a", "ann", 1.0, n_helpful=2, n_turns=12)
    tables = [
        lesson_row.playbook_rows(PlaybookView(3, 5, 0, (entry,))),
        lesson_row.failure_rows(Failures((FailureRow(1, "ann#1", "a", "", "claimed", 0, 1.0),))),
        lesson_row.pair_rows(EditQuality((PairRow("rs", "map", 2, 5, 2 / 7, True),), 0, 0)),
        lesson_row.outcome_rows([ledger()], Savings((), ()), datetime.now(UTC)),
    ]
    assert json.loads(json.dumps(tables, allow_nan=False))[0]["5"]["n_turns"] == 12
