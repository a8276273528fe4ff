from actors.quality_store.limit import Limits
from actors.quality_store.machine import QualityStore
from actors.quality_store.messages import GetReadQuality, GetStatistics, RecordOutcome, RecordRead, ResolveMode
from actors.quality_store.report import bounce_lines, savings_lines, source_lines
from actors.runtime.machine import NOBODY, Caller, Now

ADA = Caller("ada#1")
NOW = Now(0.0, 1000.0)


def busy_store():
    store = QualityStore(Limits(penalty_holdout=1.0))
    for command in (
        RecordRead("home", "a.rs", "map", "expected_cost", 1000, 10_000),
        RecordRead("home", "a.rs", "full", "explicit", 10_000, 10_000),
        RecordRead("home", "b.rs", "full", "small_file", 50, 50),
        RecordRead("home", "c.py", "map", "expected_cost", 1000, 10_000, arms=("edit_penalty",)),
        RecordOutcome("home", "c.py", "map", "failure", "not_shown", 500, ("edit_penalty",)),
        RecordOutcome("home", "c.py", "map", "failure", "not_shown", 500, ("edit_penalty",)),
        ResolveMode("home", "d.py", "map"),
    ):
        store.perform(ADA, command, NOW)
    return store


def test_the_sources_of_automatic_reads_are_listed_the_most_frequent_first():
    assert source_lines(busy_store().perform(NOBODY, GetStatistics(), NOW)) == [
        "Auto-mode sources",
        "  expected_cost  2",
        "  small_file     1",
        "  held out from the penalty: 1",
    ]


def test_bounces_are_listed_by_extension_with_what_follows():
    assert bounce_lines(busy_store().perform(NOBODY, GetReadQuality(), NOW)) == [
        "Bounces",
        "  py  bounces 0 of 1 reads, now 0.0%",
        "  rs  bounces 1 of 3 reads, now 33.3% [bounces -> full]",
        "  path memory: 2 files, 0 of them read in full",
    ]


def test_savings_are_net_and_shown_by_arm():
    assert savings_lines(busy_store().perform(NOBODY, GetStatistics(), NOW).ledger) == [
        "Savings (net of bounces and retries)",
        "  7,000 tokens saved net: 18,000 not sent, 11,000 lost to 1 bounce and 2 retries; 12,050 were sent",
        "  treatment: -1,000 tokens saved net: 9,000 not sent, 10,000 lost to 1 bounce and 0 retries; 11,050 were sent",
        "  without edit_penalty: 8,000 tokens saved net: 9,000 not sent, 1,000 lost to 0 bounces and 2 retries; "
        "1,000 were sent",
    ]


def test_a_store_that_saw_nothing_reports_no_improvement():
    store = QualityStore()
    statistics = store.perform(NOBODY, GetStatistics(), NOW)
    assert source_lines(statistics) == ["Auto-mode sources", "  no automatic reads yet"]
    assert savings_lines(statistics.ledger)[1:] == ["  not yet known: nothing was read"]
    assert bounce_lines(store.perform(NOBODY, GetReadQuality(), NOW)) == [
        "Bounces",
        "  no reads yet",
        "  path memory: 0 files, 0 of them read in full",
    ]
