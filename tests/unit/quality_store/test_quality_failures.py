"""Failed edits as rows, the newest first: which are told, what each says, and how many there are at most."""

import pytest

from actors.quality_store.failure_trail import MAX_FAILURES, MAX_FAILURES_LISTED, FailureTrail
from actors.quality_store.machine import QualityStore
from actors.quality_store.messages import FailureRow, GetFailures, RecordOutcome
from actors.runtime.errors import Misuse
from actors.runtime.machine import NOBODY, Caller, Now

ADA = Caller("ada#1")


def record(store, path="src/a.py", cause="not_shown", outcome="failure", now=1000.0, space="home", mode="map"):
    store.perform(ADA, RecordOutcome(space, path, mode, outcome, cause, 70), Now(0.0, now))


def failures(store, space="home"):
    return store.perform(NOBODY, GetFailures(space), Now(0.0, 2000.0)).rows


def test_a_failed_edit_says_who_which_file_after_which_view_and_why():
    store = QualityStore()
    record(store)
    assert failures(store) == (FailureRow(1, "ada#1", "src/a.py", "map", "not_shown", 70, 1000.0),)


def test_failures_that_teach_nothing_are_told_too_and_successes_are_not():
    store = QualityStore()
    record(store, cause="claimed", mode="")
    record(store, cause="applied", outcome="success")
    assert [row.cause for row in failures(store)] == ["claimed"]


def test_an_outcome_that_was_refused_is_not_told():
    store = QualityStore()
    with pytest.raises(Misuse, match="unknown cause"):
        record(store, cause="bad luck")
    assert failures(store) == ()


def test_the_newest_come_first_of_the_space_that_was_asked_for():
    store = QualityStore()
    record(store, path="a", now=1.0)
    record(store, path="b", now=2.0, space="other")
    record(store, path="c", now=3.0)
    assert [row.path for row in failures(store)] == ["c", "a"]
    assert [row.path for row in failures(store, "other")] == ["b"]


def test_they_are_bounded_and_no_state():
    store = QualityStore()
    for n in range(MAX_FAILURES_LISTED + 1):
        record(store, path=f"a{n}")
    assert len(failures(store)) == MAX_FAILURES_LISTED
    twin = QualityStore()
    twin.restore(store.snapshot())
    assert failures(twin) == ()
    trail = FailureTrail()
    for _ in range(MAX_FAILURES + 1):
        trail.note("ada#1", RecordOutcome("home", "a", "", "failure", "claimed"), 0.0)
    assert len(trail) == MAX_FAILURES
