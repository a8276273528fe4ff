"""Our own numbers beside the contract's: what is kept, and how long a view is watched."""

from dataclasses import asdict

import pytest

from actors.quality_store import path_memory, window
from actors.quality_store.limit import Limits
from actors.quality_store.path_memory import PathReads


def test_what_rules_need_and_what_is_kept():
    assert asdict(Limits()) == {
        "min_fails": 2,
        "enter_fail_rate": 0.25,
        "exit_fail_rate": 0.15,
        "pair_decay_s": 2_592_000.0,
        "max_pairs": 200,
        "escalation_ttl_s": 3_600.0,
        "max_escalations": 100,
        "min_bounce_reads": 3,
        "full_bounce_rate": 0.30,
        "max_extensions": 200,
        "path_decay_s": 2_592_000.0,
        "max_paths": 500,
        "max_agents": 5_000,
        "max_files": 32,
        "max_notes": 10_000,
        "ledger_days": 30,
        "ledger_months": 24,
        "max_records": 800,
        "penalty_holdout": 0.05,
        "max_rows": 200,
        "max_sources": 32,
        "max_units": 50_000,
        "max_pins": 20_000,
        "max_answering": 500,
        "answer_window_s": 86_400.0,
    }


def test_how_long_a_view_is_watched():
    assert (window.BOUNCE_READS, window.EDIT_READS, window.WASTED_READS) == (5, 10, 10)
    assert (window.MIN_WASTED_TOKENS, window.MIN_WASTED_EXTENSION_READS) == (2_000, 10)
    assert window.MAX_WASTED_BOUNCE_RATE == 0.05


@pytest.mark.parametrize(
    ("n_reads", "n_bounces", "means_full"), [(2, 1, False), (2, 2, True), (4, 2, True), (5, 2, False), (6, 3, True)]
)
def test_a_path_that_bounced_twice_and_in_half_of_its_reads_is_shown_whole(n_reads, n_bounces, means_full):
    assert path_memory.MIN_BOUNCES == 2
    assert PathReads(n_reads, n_bounces, 0.0).means_full is means_full
