from actors.quality_store.machine import QualityStore
from actors.quality_store.messages import GetStatistics, RecordOutcome, RecordRead
from actors.quality_store.row import OutcomeRow, ReadRow, SourceRow
from actors.quality_store.tally import Tally
from actors.runtime.machine import Caller, Now

ADA = Caller("ada#1")
NOW = Now(0.0, 1000.0)


def statistics(store):
    return store.perform(ADA, GetStatistics(), NOW)


def test_sums_are_kept_by_name_and_listed_in_order():
    tally = Tally(width=2)
    tally.add(("b", "x"), 1, 10)
    tally.add(("a", "x"), 1, 20)
    tally.add(("b", "x"), 1, 30)
    assert list(tally.rows()) == [["a", "x", 1, 20], ["b", "x", 2, 40]]
    assert tally["b", "x"] == 2
    assert tally["c", "x"] == 0


def test_a_new_name_goes_to_other_when_the_rows_are_used_up():
    tally = Tally()
    tally.add(("a", "x"))
    assert tally.place(("a", "x"), 1) == ("a", "x")
    assert tally.place(("b", "x"), 1) == ("other", "x")
    assert tally.place(("b", "x"), 2) == ("b", "x")


def test_at_most_200_rows_of_reads_are_kept_and_the_rest_is_other():
    store = QualityStore()
    for number in range(300):
        store.perform(ADA, RecordRead("home", f"a.x{number}", "map", "", 10, 100), NOW)
    store.perform(ADA, RecordRead("home", "a.x0", "full", "", 100, 100), NOW)
    rows = statistics(store).reads
    assert len(rows) == 202
    assert ReadRow("other", "map", 100, 1000, 10_000) in rows
    assert ReadRow("other", "full", 1, 100, 100) in rows
    assert ReadRow("x0", "map", 1, 10, 100) in rows


def test_at_most_200_rows_of_outcomes_are_kept_and_the_rest_is_other():
    store = QualityStore()
    for number in range(201):
        store.perform(ADA, RecordOutcome("home", f"a.x{number}", "map", "failure", "ambiguous"), NOW)
    rows = statistics(store).outcomes
    assert len(rows) == 201
    assert rows[0] == OutcomeRow("other", "ambiguous", 1)


def test_at_most_32_sources_are_kept_and_the_rest_is_other():
    store = QualityStore()
    for number in range(40):
        store.perform(ADA, RecordRead("home", "a.py", "map", f"source_{number:02}", 10, 100), NOW)
    rows = statistics(store).sources
    assert len(rows) == 33
    assert SourceRow("other", 8) in rows


def test_a_source_that_is_not_a_name_is_counted_as_other():
    store = QualityStore()
    store.perform(ADA, RecordRead("home", "a.py", "map", "Not a name!", 10, 100), NOW)
    assert statistics(store).sources == (SourceRow("other", 1),)


def test_two_odd_extensions_are_two_pairs_but_one_row():
    store = QualityStore()
    for path in ("a.höhe", "a.höhe", "Makefile"):
        store.perform(ADA, RecordOutcome("home", path, "map", "failure", "not_shown"), NOW)
    (row,) = statistics(store).pairs
    assert (row.extension, row.n_fails, row.risky) == ("other", 3, True)
    peeked = [pair[:2] for _, rows in store.snapshot() if _ == "pairs" for pair in rows]
    assert peeked == [["höhe", "map"], ["", "map"]]
