"""What the actors answer, as rows of the page: figures that a reader can add up."""

import json

import pytest

from actors.memory.entry import Entry
from actors.memory.messages import PlaybookView
from actors.quality_store.evidence import ArmRow, Evidence, WeekRow
from actors.quality_store.messages import EditQuality, FailureRow, Failures
from actors.quality_store.row import PairRow
from actors.runtime.holdout import LAYERS
from actors.scent_field.messages import AuditLine, ClaimRow, FieldRow, FieldView, RefusalRow, WaiterRow
from actors.sessions.messages import SessionList, SessionRow
from actors.thresholds.messages import LearnedRow, Learning
from coordinator.efficacy.figure import Terms, figures_of
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


def evidence(*arms):
    return Evidence("2023-11-14", 30, WeekRow(20, 1), WeekRow(19, 1), (), arms, (), 300, 700, 100, 50, ())


def test_each_layer_is_beside_what_is_held_out_from_it_with_its_verdict():
    treated = ArmRow("expected_cost", "cost_share", "treatment", 900, 900_000, 300_000, 900.0, 9.0e6)
    held_out = ArmRow("expected_cost", "cost_share", "holdout", 100, 100_000, 60_000, 100.0, 1.0e6)
    rows = lesson_row.layer_rows(figures_of(evidence(treated, held_out), Terms()))
    assert tuple(rows) == LAYERS
    row = rows["expected_cost"]
    assert (row["measure"], row["treatment"], row["holdout"]) == ("cost_share", 0.3333333333333333, 0.6)
    assert row["low"] < row["difference"] < row["high"] < 0.0
    assert (row["verdict"], row["n_missing"]) == ("helps", 0)
    unknown = rows["lessons"]
    assert (unknown["treatment"], unknown["low"], unknown["verdict"]) == (None, None, "not_yet_known")
    assert unknown["n_missing"] > 0


def test_the_bounce_rate_is_not_told_of_too_few_reads():
    rows = lesson_row.outcome_rows(figures_of(evidence(), Terms()))
    assert rows == {
        "tokens": {"n_days": 30, "n_sent": 300, "n_net": 550},
        "bounces": {"now": 0.05, "before": None},
    }


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
        lesson_row.layer_rows(figures_of(evidence(), Terms())),
        lesson_row.outcome_rows(figures_of(evidence(), Terms())),
    ]
    assert json.loads(json.dumps(tables, allow_nan=False))[0]["5"]["n_turns"] == 12
