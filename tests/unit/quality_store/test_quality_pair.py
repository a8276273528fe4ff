import pytest

from actors.quality_store.limit import Limits
from actors.quality_store.pair import Pairs, fail_rate, is_risky

LIMITS = Limits()


def test_the_contract_s_numbers_are_the_defaults():
    assert (LIMITS.min_fails, LIMITS.enter_fail_rate, LIMITS.exit_fail_rate) == (2, 0.25, 0.15)
    assert (LIMITS.pair_decay_s, LIMITS.max_pairs) == (2_592_000.0, 200)
    assert (LIMITS.escalation_ttl_s, LIMITS.max_escalations) == (3600.0, 100)


@pytest.mark.parametrize(
    ("n_fails", "n_successes", "risky"),
    [
        (0, 0, False),
        (1, 0, False),
        (2, 0, True),
        (2, 6, True),
        (2, 7, False),
        (3, 9, True),
        (3, 10, False),
        (1, 3, False),
    ],
)
def test_a_pair_enters_risk_with_two_failures_and_a_quarter(n_fails, n_successes, risky):
    assert is_risky(False, n_fails, n_successes, LIMITS) is risky


@pytest.mark.parametrize(
    ("n_fails", "n_successes", "risky"),
    [(2, 11, True), (2, 12, False), (3, 17, True), (3, 18, False), (15, 85, True), (149, 851, False), (150, 850, True)],
)
def test_a_pair_leaves_risk_below_fifteen_hundredths(n_fails, n_successes, risky):
    assert is_risky(True, n_fails, n_successes, LIMITS) is risky


def test_the_rate_of_nothing_is_nothing():
    assert fail_rate(0, 0) == 0.0
    assert fail_rate(1, 3) == 0.25


def test_a_success_does_not_move_a_pair_s_anchor():
    pairs = Pairs()
    pairs.record(("rs", "map"), True, False, 10.0, 1)
    pairs.record(("rs", "map"), False, False, 20.0, 2)
    pair = pairs.get(("rs", "map"), 0.0)
    assert (pair.n_fails, pair.n_successes, pair.anchored_at, pair.number) == (1, 1, 10.0, 1)


def test_a_pair_that_never_failed_is_anchored_where_it_began_and_ranked_by_its_last_record():
    pairs = Pairs()
    pairs.record(("rs", "map"), False, False, 10.0, 1)
    pairs.record(("rs", "map"), False, False, 20.0, 2)
    pair = pairs.get(("rs", "map"), 0.0)
    assert (pair.anchored_at, pair.number) == (10.0, 2)


def test_pairs_decay_in_the_order_of_their_last_failure():
    pairs = Pairs()
    pairs.record(("a", "map"), True, False, 10.0, 1)
    pairs.record(("b", "map"), True, False, 20.0, 2)
    pairs.record(("c", "map"), True, False, 30.0, 3)
    pairs.record(("a", "map"), True, False, 40.0, 4)
    assert pairs.decayed(30.0) == [("b", "map")]
    assert pairs.decayed(31.0) == [("b", "map"), ("c", "map")]
    assert [key for key, _ in pairs.live(31.0)] == [("a", "map")]


def test_pairs_without_a_failure_go_out_before_all_others():
    pairs = Pairs()
    pairs.record(("failed", "map"), True, False, 10.0, 1)
    pairs.record(("clean", "map"), False, False, 20.0, 2)
    assert pairs.first_out() == ("clean", "map")
    pairs.drop(("clean", "map"))
    pairs.record(("later", "map"), True, False, 30.0, 3)
    assert pairs.first_out() == ("failed", "map")
