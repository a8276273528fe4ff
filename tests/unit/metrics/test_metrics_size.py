"""However many kinds of files there are, the page of metrics stays below two megabytes."""

from __future__ import annotations

from actors.quality_store.arm import READING_LAYERS
from actors.quality_store.cause import SILENT_CAUSES
from actors.quality_store.machine import QualityStore
from actors.quality_store.messages import GetStatistics, RecordOutcome, RecordRead, Statistics
from actors.quality_store.mode import READ_MODES, WHOLE_FILE_MODES
from actors.runtime.machine import NOBODY, Now
from coordinator.metrics.collector import Sighting
from coordinator.metrics.exposition import encoded

MAX_BYTES = 2 * 10**6
N_EXTENSIONS = 260  # more than there are rows for
START = Now(0.0, 1_700_000_000.0)


def crowded() -> Statistics:
    """Every extension, as long as they may be, in every mode, arm and outcome."""
    store = QualityStore()
    for number in range(N_EXTENSIONS):
        path = f"src/a.ext{number:07d}"
        for mode in READ_MODES:
            for arms in ((), *((layer,) for layer in READING_LAYERS), tuple(READING_LAYERS)):
                store.perform(NOBODY, RecordRead("s", path, mode, "explicit", 100, 700, arms=arms), START)
        for mode in WHOLE_FILE_MODES:
            store.perform(NOBODY, RecordOutcome("s", path, mode, "failure", "not_shown"), START)
            store.perform(NOBODY, RecordOutcome("s", path, mode, "success", "applied"), START)
        for cause in SILENT_CAUSES:
            store.perform(NOBODY, RecordOutcome("s", path, "map", "failure", cause), START)
        store.take_events()
    seen: Statistics = store.perform(NOBODY, GetStatistics(), START)
    return seen


def test_the_page_stays_small_with_more_kinds_of_files_than_there_are_rows_for() -> None:
    seen = crowded()
    assert len(seen.outcomes) >= 200
    assert {row.extension for row in seen.ledger} >= {"other"}
    account = {"domain": "quality_store", "trouble": None}
    page = encoded([Sighting("quality_store", account, seen)])[0]
    assert 100_000 < len(page) < MAX_BYTES
