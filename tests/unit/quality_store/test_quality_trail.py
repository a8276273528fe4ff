import pytest

from actors.quality_store.limit import Limits
from actors.quality_store.trail import Trail, Trails
from actors.quality_store.window import View
from actors.runtime.errors import InvariantBroken

A, B = ("home", "a.rs"), ("home", "b.rs")


def view(number, where=A, mode="map"):
    return View(number, *where, mode, "", 10, 100)


def test_the_rules_numbers_are_the_defaults():
    limits = Limits()
    assert (limits.min_bounce_reads, limits.full_bounce_rate) == (3, 0.30)
    assert (limits.max_paths, limits.path_decay_s) == (500, 2_592_000.0)
    assert (limits.max_agents, limits.max_files, limits.max_extensions, limits.max_notes) == (5000, 32, 200, 10_000)
    assert (limits.ledger_days, limits.ledger_months, limits.max_records) == (30, 24, 800)
    assert limits.penalty_holdout == 0.05


def test_a_full_bounces_the_compressed_views_of_its_file_within_five_reads():
    trail = Trail(5, [view(1), view(2, B), view(3)])
    assert trail.bounced(A, 6) == [view(1), view(3)]
    assert trail.bounced(A, 7) == [view(3)]
    assert trail.bounced(("other", "a.rs"), 6) == []


def test_for_ten_reads_after_its_own_edit_a_full_bounces_nothing():
    trail = Trail(14, [view(14)])
    trail.file(A).edited_at = 5
    assert trail.bounced(A, 15) == []
    assert trail.bounced(A, 16) == [view(14)]


def test_an_edit_before_the_first_read_counts_from_there():
    trail = Trail(9, [view(9)])
    trail.file(A).edited_at = 0
    assert trail.bounced(A, 10) == []
    assert trail.bounced(A, 11) == [view(9)]


def test_views_come_out_clean_with_the_fifth_read_after_them():
    trail = Trail(5, [view(1), view(2)])
    assert trail.clean(6, []) == [view(1)]
    assert trail.clean(6, [view(1)]) == []
    assert trail.clean(5, []) == []


def test_fulls_end_with_the_tenth_read_after_them():
    trail = Trail(10, fulls=[view(1, mode="full"), view(2, mode="full")])
    assert trail.unused(10) == []
    assert trail.unused(11) == [view(1, mode="full")]


def test_only_a_view_of_the_mode_asked_for_is_the_last_one():
    trail = Trail(1)
    assert trail.last_view(A, "map") is None
    trail.file(A).view = view(1)
    assert trail.last_view(A, "map") == view(1)
    assert trail.last_view(A, "full") is None


def test_the_files_used_least_lately_are_forgotten():
    trail = Trail()
    for where in (A, B, A):
        trail.file(where)
    trail.forget_files(1)
    assert list(trail.files) == [A]


def test_the_agent_not_heard_of_for_longest_is_the_first_to_go():
    trails = Trails()
    for session_id in ("ada#1", "bob#1", "ada#1"):
        trails.use(session_id)
    assert trails.first_out() == "bob#1"


@pytest.mark.parametrize("views", [[view(2), view(1)], [view(1), view(1)], [view(9)]])
def test_watched_views_out_of_order_are_a_bug(views):
    trails = Trails()
    trail = trails.use("ada#1")
    trail.n_reads, trail.compressed = 3, views
    with pytest.raises(InvariantBroken, match="ada#1"):
        trails.check_invariants()
