"""The numbers as they are promised: two coordinators that merge have to agree on them, so none changes by accident."""

from dataclasses import asdict

from actors.thresholds import contribution, limit, placement, ranking
from actors.thresholds.contribution import Contribution, effective
from actors.thresholds.cost import BUCKETS, CALL_TOKENS, PRIOR_OUTCOMES, PRIORS, size_bucket
from actors.thresholds.limit import Limits


def test_what_a_bundle_means_is_what_it_meant_when_it_was_written():
    assert (limit.KEEP_A_DAY, limit.MAX_DELTA, contribution.STEP) == (0.98, 0.15, 0.02)
    assert contribution.WEIGHTS == {"bounce": -3.0, "edit_failure": -6.0, "clean_compressed": 0.5, "wasted_full": 2.0}
    assert (contribution.MAX_WEIGHT, contribution.MAX_AGE_DAYS) == (200, 365)
    assert (limit.MAX_ORIGINS, limit.MAX_EXTENSIONS, limit.MAX_PROFILES, ranking.MAX_RANKINGS) == (256, 64, 8, 16)
    assert (limit.N_DAYS, limit.MAX_DAYS_AHEAD, ranking.MAX_SHIFT) == (30, 2, 1.0)
    assert (limit.MAX_SAMPLES, limit.MAX_DAY_COUNT, limit.MAX_REST_COUNT) == (999_999, 999_999, 99_999_999)
    assert (limit.MAX_REVISION, limit.MAX_ERA, limit.MAX_BUNDLE_BYTES) == (10**12, 10**6, 6_291_456)
    assert (placement.DEFAULT_SHARE, placement.BELOW_SLOPE, placement.ABOVE_SLOPE) == (0.7, 0.7, 0.3)


def test_what_evidence_takes_and_what_is_kept_here():
    assert asdict(Limits()) == {
        "min_signals": 10,
        "min_observations": 20,
        "min_hunks": 50,
        "max_cost_rows": 600,
        "max_pins": 20_000,
    }


def test_the_prior_is_as_documented():
    assert {mode: tuple(prior) for mode, prior in PRIORS.items()} == {
        "full": (1.0, 0.02),
        "diff": (0.10, 0.05),
        "entropy": (0.55, 0.15),
        "units": (0.30, 0.15),
        "signatures": (0.20, 0.15),
        "map": (0.06, 0.15),
    }
    assert (PRIOR_OUTCOMES, CALL_TOKENS) == (10.0, 200)
    edges = [0, 499, 500, 999, 1000, 1999, 2000, 3999, 4000, 7999, 8000, 10**9]
    assert [size_bucket(n) for n in edges] == [bucket for bucket in BUCKETS for _ in range(2)]


def test_a_contribution_of_exactly_a_year_ago_counts_and_one_of_a_day_more_does_not():
    old = Contribution(1, 0.15, 19_335, 200)
    assert effective([old], 19_700).n_samples == 200
    assert effective([old], 19_701).n_samples == 0
