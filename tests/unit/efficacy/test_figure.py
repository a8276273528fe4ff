"""The figures, from evidence that a reader can add up."""

from __future__ import annotations

from typing import Any

import pytest

from actors.memory.machine import Memory
from actors.memory.messages import GetStatistics as GetMemoryStatistics
from actors.quality_store.account import AccountRow
from actors.quality_store.day_evidence import DayFacts
from actors.quality_store.edit_count import EditRow
from actors.quality_store.evidence import Evidence, evidence_of
from actors.quality_store.machine import QualityStore
from actors.quality_store.messages import GetStatistics, RecordAccount
from actors.quality_store.row import LedgerRow
from actors.quality_store.trial import MEASURES
from actors.runtime.holdout import LAYERS
from actors.runtime.machine import NOBODY, Now
from actors.scent_field.messages import Count, FieldCounts
from actors.thresholds.factory import make_thresholds
from actors.thresholds.messages import GetStatistics as GetLearningStatistics
from coordinator.efficacy.figure import Terms, figures_of
from coordinator.efficacy.telling import account_of

DAY = 19_675
NOW = Now(0.0, DAY * 86_400.0)
NOTHING = evidence_of([], DAY)


def reads(day: int, n: int, n_bounces: int, n_net: int = 0) -> DayFacts:
    return DayFacts(day, (LedgerRow("py", "map", "", n, n, 10, n_net, n_bounces, 0, 0, 0, 0, 0),))


def told(*rows: tuple[str, str, int]) -> Evidence:
    return evidence_of([DayFacts(DAY, account=tuple(AccountRow(*row) for row in rows))], DAY)


def test_of_nothing_nothing_is_known():
    figures = figures_of(NOTHING, Terms())
    assert (figures.bounce_rate, figures.bounce_rate_before, figures.hit_rate, figures.survival) == (None,) * 4
    assert (figures.failures, figures.price, sum(figures.duplicates.values())) == ((), None, 0)
    assert [(one.layer, one.measure) for one in figures.comparisons] == [
        (layer, measure) for layer in LAYERS for measure in MEASURES[layer]
    ]
    assert {one.verdict for one in figures.comparisons} == {"not_yet_known"}
    assert {one.n_units_missing for one in figures.comparisons} == {400}  # 20 of them held out at 5%


def test_bounce_rates_are_of_seven_days_each_and_told_from_20_reads_on():
    days = [reads(DAY, 15, 3), reads(DAY - 6, 5, 1), reads(DAY - 7, 19, 1), reads(DAY - 14, 100, 50)]
    figures = figures_of(evidence_of(days, DAY), Terms())
    assert (figures.bounce_rate, figures.bounce_rate_before) == (0.2, None)


def test_full_views_do_not_bounce_and_are_not_counted():
    full = DayFacts(DAY, (LedgerRow("py", "full", "", 50, 50, 10, 0, 0, 0, 0, 0, 0, 0),))
    assert figures_of(evidence_of([full, reads(DAY, 20, 5)], DAY), Terms()).bounce_rate == 0.25


def test_failures_are_all_ends_but_successes():
    edits = tuple(EditRow("py", "map", cause, 2) for cause in ("applied", "already_applied", "claimed", "not_shown"))
    figures = figures_of(evidence_of([DayFacts(DAY, edits=edits), DayFacts(DAY - 1, edits=edits)], DAY), Terms())
    assert [(row.cause, row.n) for row in figures.failures] == [("claimed", 4), ("not_shown", 4)]


def test_hits_are_told_by_end():
    rows = [("placements", f"{end}_{what}", n) for end, what, n in (("begin", "hit", 3), ("begin", "miss", 1))]
    figures = figures_of(told(*rows), Terms())
    assert figures.placed["begin"].hit_rate == 0.75
    assert figures.placed["end"].hit_rate is None
    assert figures.hit_rate == 0.75


def test_survival_is_of_all_that_came_to_be_lasting():
    figures = figures_of(told(("playbook_became_lasting", "", 8), ("playbook_lasting_helpful", "", 6)), Terms())
    assert figures.survival == 0.75


@pytest.mark.parametrize(("price", "told_price"), [(None, None), (3.0, 6.0), (0.0, 0.0)])
def test_the_price_is_that_of_the_net_tokens(price, told_price):
    days = [reads(DAY, 1, 0, 2_500_000), reads(DAY - 29, 1, 0, -500_000), reads(DAY - 30, 1, 0, 10**9)]
    figures = figures_of(evidence_of(days, DAY), Terms(token_price=price))
    assert (figures.evidence.n_net_tokens, figures.price) == (2_000_000, told_price)


def described(domain: str) -> dict[str, Any]:
    return {"domain": domain, "store_id": "5707e"}


def test_duplicates_that_came_by_no_guard_and_no_hook_came_by_a_claim():
    counters = (Count("duplicate_work_prevented", 9), Count("duplicate_work_prevented_guard", 2))
    account = account_of(described("scent_field"), FieldCounts((), counters))
    assert account == RecordAccount(
        "scent_field@5707e",
        (
            AccountRow("duplicates_prevented", "claim", 7),
            AccountRow("duplicates_prevented", "guard", 2),
            AccountRow("duplicates_prevented", "hook", 0),
        ),
    )


def test_what_the_stores_tell_is_an_account_that_the_ledger_takes():
    store = QualityStore()
    thresholds = make_thresholds(origin="0123456789abcdef").perform(NOBODY, GetLearningStatistics(), NOW)
    memory = Memory().perform(NOBODY, GetMemoryStatistics(), NOW)
    for domain, counts in (("thresholds", thresholds), ("memory", memory)):
        account = account_of(described(domain), counts)
        assert account is not None
        assert store.perform(NOBODY, account, NOW).n_news == 0


def test_whose_store_it_is_must_be_known():
    counts = FieldCounts((), (Count("duplicate_work_prevented", 9),))
    assert account_of(None, counts) is None
    assert account_of({"domain": "scent_field", "store_id": ""}, counts) is None
    assert account_of(described("scent_field"), None) is None
    assert account_of(described("quality_store"), QualityStore().perform(NOBODY, GetStatistics(), NOW)) is None
