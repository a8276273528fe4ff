import pytest

from actors.thresholds.cost import BUCKETS, PRIORS, CostKey, Outcomes, estimate, prior_cost, size_bucket


@pytest.mark.parametrize(
    ("n_tokens", "bucket"),
    [
        (0, "<500"),
        (499, "<500"),
        (500, "<1000"),
        (999, "<1000"),
        (1000, "<2000"),
        (2000, "<4000"),
        (4000, "<8000"),
        (7999, "<8000"),
        (8000, ">=8000"),
        (10**9, ">=8000"),
    ],
)
def test_sizes_fall_into_six_buckets(n_tokens, bucket):
    assert size_bucket(n_tokens) == bucket


def test_without_outcomes_the_prior_stands():
    assert prior_cost("map", "<2000") == (0.06, 0.15, 1700.0)
    assert prior_cost("entropy", "<2000") == (0.55, 0.15, 1700.0)
    assert prior_cost("full", ">=8000") == (1.0, pytest.approx(0.02), 12_200.0)


def test_every_mode_and_size_has_a_prior_that_is_possible():
    for mode in PRIORS:
        for bucket in BUCKETS:
            share, p_loss, n_extra_tokens = prior_cost(mode, bucket)
            assert 0 < share <= 1
            assert 0 < p_loss < 1
            assert n_extra_tokens > 0


def test_ten_imaginary_outcomes_and_the_real_ones_count_together():
    seen = Outcomes(n=30.0, n_losses=3.0, n_tokens=6000.0, n_total_tokens=30_000.0, n_extra_tokens=3000.0)
    cost = estimate(CostKey("rs", "map", "<2000"), seen)
    assert cost.share == pytest.approx((30 * 0.2 + 10 * 0.06) / 40)
    assert cost.p_loss == pytest.approx(4.5 / 40)
    assert cost.n_extra_tokens == pytest.approx((3000 + 1.5 * 1700) / 4.5)


def test_much_evidence_outweighs_the_prior():
    seen = Outcomes(n=1e6, n_losses=5e5, n_tokens=3e8, n_total_tokens=1e9, n_extra_tokens=5e8)
    assert estimate(CostKey("rs", "map", "<2000"), seen) == pytest.approx((0.3, 0.5, 1000.0), rel=1e-3)
