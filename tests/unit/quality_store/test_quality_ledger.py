import json

import pytest

from actors.quality_store.ledger_record import digest_of
from actors.quality_store.limit import Limits
from actors.quality_store.machine import QualityStore
from actors.quality_store.messages import GetLedger, GetSavings, GetStatistics, RecordOutcome, RecordRead
from actors.quality_store.row import LedgerRow
from actors.runtime.errors import Misuse
from actors.runtime.machine import NOBODY, Caller, Now

ADA = Caller("ada#1")
DAY_S = 86_400.0
DAY = 19_675  # 2023-11-14


def on_day(day, seconds=0.0):
    return Now(0.0, day * DAY_S + seconds)


def read(store, now, path="a.rs", mode="map", arms=()):
    store.perform(ADA, RecordRead("home", path, mode, "expected_cost", 10, 100, arms=arms), now)


def page(store, from_day=0, max_records=1000):
    return store.perform(NOBODY, GetLedger(from_day, max_records), on_day(0))


def periods(store, n_days=1000):
    savings = store.perform(NOBODY, GetSavings(n_days), on_day(0))
    return [sheet.period for sheet in savings.days], [sheet.period for sheet in savings.months]


def test_a_closed_day_is_canonical_json_chained_to_the_one_before():
    store = QualityStore()
    read(store, on_day(DAY))
    read(store, on_day(DAY + 1), "b.py", arms=("edit_penalty",))
    store.expire(on_day(DAY + 2))
    first, second = page(store).records
    columns = (
        '["extension","mode","arm","n_views","n_reads","n_tokens","n_saved_tokens","n_bounces","n_bounce_tokens",'
        '"n_clean","n_wasted","n_retries","n_retry_tokens"]'
    )
    assert first.content.decode() == (
        f'{{"account":[],"columns":{columns},"day":"2023-11-14","edits":[],"number":1,"previous":"",'
        '"rows":[["rs","map","",1,1,10,90,0,0,0,0,0,0]],"trials":[],"version":2}'
    )
    assert second.content.decode() == (
        f'{{"account":[],"columns":{columns},"day":"2023-11-15","edits":[],"number":2,"previous":"{first.digest.hex()}",'
        '"rows":[["py","map","edit_penalty",1,1,10,90,0,0,0,0,0,0]],"trials":[],"version":2}'
    )
    assert [record.digest for record in (first, second)] == [digest_of(first.content), digest_of(second.content)]
    assert [record.day for record in (first, second)] == [DAY, DAY + 1]
    assert page(store).last_digest == second.digest


def test_a_closed_day_stays_as_it_is_if_the_clock_should_go_back():
    store = QualityStore()
    read(store, on_day(DAY))
    store.expire(on_day(DAY + 1))
    read(store, on_day(DAY, 5.0))
    store.check_invariants()
    assert periods(store)[0] == ["2023-11-14", "2023-11-15"]
    store.expire(on_day(DAY, 6.0))
    assert page(store).n_closed == 1
    store.expire(on_day(DAY + 2))
    assert [json.loads(record.content)["day"] for record in page(store).records] == ["2023-11-14", "2023-11-15"]


def test_a_jump_of_years_closes_one_day_and_forgets_what_is_too_old():
    store = QualityStore()
    read(store, on_day(DAY))
    store.expire(on_day(DAY + 3650))
    assert (page(store).n_closed, periods(store)) == (1, ([], []))


def test_days_are_kept_for_thirty_days_and_months_for_twenty_four():
    store = QualityStore()
    for day in range(DAY, DAY + 800):
        read(store, on_day(day))
    days, months = periods(store)
    assert (len(days), days[0], days[-1]) == (30, "2025-12-23", "2026-01-21")
    assert (len(months), months[0], months[-1]) == (24, "2024-02", "2026-01")
    assert periods(store, n_days=2)[0] == ["2026-01-20", "2026-01-21"]
    (total,) = store.perform(NOBODY, GetStatistics(), on_day(DAY + 800)).ledger
    assert (total.n_views, total.n_clean) == (800, 795)


def test_a_month_is_the_sum_of_its_closed_days():
    store = QualityStore()
    for day in (DAY, DAY + 1, DAY + 17):
        read(store, on_day(day))
    store.expire(on_day(DAY + 18))
    savings = store.perform(NOBODY, GetSavings(0), on_day(0))
    assert [(sheet.period, sheet.rows[0].n_views) for sheet in savings.months] == [("2023-11", 2), ("2023-12", 1)]


def test_eight_hundred_closed_days_are_kept_and_all_are_counted():
    store = QualityStore()
    for day in range(DAY, DAY + 803):
        read(store, on_day(day))
    seen = page(store)
    assert (seen.n_kept, seen.n_closed, len(seen.records)) == (800, 802, 800)
    assert seen.records[0].day == DAY + 2
    assert json.loads(seen.records[0].content)["number"] == 3


def test_a_page_has_the_oldest_records_from_a_day_on():
    store = QualityStore()
    for day in range(DAY, DAY + 6):
        read(store, on_day(day))
    assert [record.day for record in page(store, DAY + 2, 2).records] == [DAY + 2, DAY + 3]
    assert page(store, DAY + 5).records == ()


def test_lowering_the_limits_takes_hold_with_the_next_closed_day():
    store = QualityStore()
    for day in range(DAY, DAY + 10):
        read(store, on_day(day))
    smaller = QualityStore(Limits(ledger_days=2, ledger_months=1, max_records=3))
    smaller.restore(list(store.snapshot()))
    read(smaller, on_day(DAY + 10))
    assert [record.day for record in page(smaller).records] == [DAY + 7, DAY + 8, DAY + 9]
    assert periods(smaller) == (["2023-11-23", "2023-11-24"], ["2023-11"])


def test_a_failed_edit_alone_is_counted_on_its_day():
    store = QualityStore()
    store.perform(ADA, RecordOutcome("home", "a.rs", "map", "failure", "not_shown", 40), on_day(DAY))
    store.expire(on_day(DAY + 1))
    (record,) = page(store).records
    assert json.loads(record.content)["rows"] == [["rs", "map", "", 0, 0, 0, 0, 0, 0, 0, 0, 1, 40]]


def test_without_a_key_a_record_has_an_empty_signature():
    store = QualityStore(sign=None)
    read(store, on_day(DAY))
    store.expire(on_day(DAY + 1))
    assert page(store).records[0].signature == b""


def test_replay_takes_the_signature_from_the_journal_and_needs_no_key():
    store = QualityStore(sign=lambda content: b"signed " + content[:3])
    read(store, on_day(DAY))
    store.expire(on_day(DAY + 1))

    def never(content):
        raise AssertionError(content)

    replica = QualityStore(sign=never)
    for event in store.take_events():
        replica.evolve(event)
    assert page(replica) == page(store)
    assert page(replica).records[0].signature == b'signed {"a'


def test_net_is_what_was_saved_less_what_it_cost():
    row = LedgerRow("rs", "map", "", 2, 2, 200, 1800, 1, 1000, 0, 0, 1, 350)
    assert row.n_net_tokens == 450


@pytest.mark.parametrize("query", [GetLedger(0, 0), GetSavings(-1)])
def test_asking_for_less_than_nothing_is_refused(query):
    with pytest.raises(Misuse, match="ask for"):
        QualityStore().perform(NOBODY, query, on_day(0))


@pytest.mark.parametrize(
    "limits", [{"penalty_holdout": 1.1}, {"penalty_holdout": -0.1}, {"max_records": 0}, {"ledger_days": 0}]
)
def test_limits_that_nothing_can_be_built_on_are_refused(limits):
    with pytest.raises(ValueError, match=next(iter(limits))):
        Limits(**limits)
