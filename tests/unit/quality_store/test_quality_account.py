"""What other domains tell of themselves: totals that grow, told by anybody, in any order, as often as they like."""

import pytest

from actors.quality_store.account import MAX_SOURCES, AccountRow
from actors.quality_store.machine import QualityStore
from actors.quality_store.messages import GetEvidence, GetLedger, RecordAccount
from actors.runtime.errors import Misuse
from actors.runtime.machine import NOBODY, Now

DAY_S = 86_400.0
DAY = 19_675


def at(day=DAY):
    return Now(0.0, day * DAY_S)


def duplicates(n, label="claim"):
    return AccountRow("duplicates_prevented", label, n)


def lasting(n):
    return AccountRow("playbook_lasting", "", n)


def tell(store, *rows, source="scent_field@1", now=None):
    return store.perform(NOBODY, RecordAccount(source, rows), now or at()).n_news


def numbers(store, now=None):
    return [tuple(row) for row in store.perform(NOBODY, GetEvidence(30), now or at()).account]


def test_totals_count_once_however_often_and_in_whichever_order_they_are_told():
    store = QualityStore()
    assert [tell(store, duplicates(n)) for n in (3, 3, 5, 4)] == [1, 0, 1, 0]
    assert numbers(store) == [("duplicates_prevented", "claim", 5)]


def test_a_store_that_begins_anew_is_another_source():
    store = QualityStore()
    tell(store, duplicates(5))
    tell(store, duplicates(2), source="scent_field@2")
    assert numbers(store) == [("duplicates_prevented", "claim", 7)]


def test_what_has_grown_counts_on_the_day_on_which_it_is_told():
    store = QualityStore()
    tell(store, duplicates(5))
    store.expire(at(DAY + 1))
    tell(store, duplicates(6), now=at(DAY + 1))
    assert store.perform(NOBODY, GetEvidence(1), at(DAY + 1)).account == (duplicates(1),)
    assert numbers(store, at(DAY + 1)) == [("duplicates_prevented", "claim", 6)]
    assert store.perform(NOBODY, GetEvidence(30), at(DAY + 30)).account == (duplicates(1),)


def test_a_number_that_stays_as_it_is_is_told_again_before_the_window_leaves_it_behind():
    store = QualityStore()
    assert tell(store, lasting(3)) == 1
    assert tell(store, lasting(3), now=at(DAY + 29)) == 0
    assert numbers(store, at(DAY + 29)) == [("playbook_lasting", "", 3)]
    assert tell(store, lasting(3), now=at(DAY + 30)) == 1
    assert numbers(store, at(DAY + 30)) == [("playbook_lasting", "", 3)]


def test_a_number_as_it_is_now_is_that_which_was_told_last():
    store = QualityStore()
    assert [tell(store, lasting(n)) for n in (0, 3, 3, 2)] == [0, 1, 0, 1]
    assert numbers(store) == [("playbook_lasting", "", 2)]


def test_an_idle_system_has_no_records():
    store = QualityStore()
    tell(store, duplicates(0), lasting(0))
    assert store.take_events() == []
    assert store.perform(NOBODY, GetLedger(0, 10), at()).open_day is None


def test_a_day_on_which_only_an_account_was_told_is_closed_too():
    store = QualityStore()
    tell(store, duplicates(5))
    restored = QualityStore()
    restored.restore(store.snapshot())
    for one in (store, restored):
        one.expire(at(DAY + 1))
        assert one.perform(NOBODY, GetLedger(0, 10), at(DAY + 1)).n_closed == 1
        one.check_invariants()
    assert list(store.snapshot()) == list(restored.snapshot())


def test_sources_are_bounded():
    store = QualityStore()
    for number in range(MAX_SOURCES + 2):
        tell(store, duplicates(1), source=f"scent_field@{number}")
    store.check_invariants()
    assert numbers(store) == [("duplicates_prevented", "claim", MAX_SOURCES + 2)]


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        ("scent_field", (duplicates(1),)),
        ("a b@1", (duplicates(1),)),
        ("scent_field@1", (duplicates(-1),)),
        ("scent_field@1", (duplicates(2**53 + 1),)),
        ("scent_field@1", (duplicates(1, "luck"),)),
        ("scent_field@1", (AccountRow("money", "", 1),)),
        ("scent_field@1", (duplicates(1), duplicates(2))),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(source, rows):
    store = QualityStore()
    with pytest.raises(Misuse):
        tell(store, *rows, source=source)
    assert store.take_events() == []
