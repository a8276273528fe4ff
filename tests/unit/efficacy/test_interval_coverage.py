"""The interval covers what it says, on worlds in which outcomes come in clusters of very different size.

Files differ in how often they are read and in how hard they are, for good; so do agents and days. A file-day is held
out by chance, as the hash does it. 2,000 worlds without any effect, and 500 with one of a tenth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from actors.quality_store.day_evidence import DayFacts
from actors.quality_store.evidence import ArmRow, evidence_of
from actors.quality_store.ledger_record import content_of, fields_of
from actors.quality_store.trial import COST_SHARE, HELD_OUT, TREATED, Counts, Moments, Trials
from actors.runtime.holdout import DAY_S, is_held_out
from coordinator.efficacy.interval import HELPS, MIN_EFFECT, Comparison, compare

SHARE = 0.05
FIRST_DAY = 20_000
N_AGENTS = 8


@dataclass(frozen=True)
class World:
    """Unit-days of many runs: each an array of (runs, units)."""

    n: np.ndarray
    y: np.ndarray
    is_held_out: np.ndarray

    def comparisons(self, measure: str = "loss_rate", layer: str = "edit_penalty") -> list[Comparison]:
        sides = [self._arms(measure, layer, side, mask) for side, mask in self._sides()]
        return [compare(*pair, holdout_share=SHARE) for pair in zip(*sides, strict=True)]

    def _sides(self) -> list[tuple[str, np.ndarray]]:
        return [("treatment", ~self.is_held_out), ("holdout", self.is_held_out)]

    def _arms(self, measure: str, layer: str, side: str, mask: np.ndarray) -> list[ArmRow]:
        seen = mask & (self.n > 0)
        n, y = np.where(seen, self.n, 0).astype(np.int64), np.where(seen, self.y, 0).astype(np.int64)
        products = [np.einsum("ij,ij->i", one, other) for one, other in ((n, n), (n, y), (y, y))]
        columns = [seen.sum(1), n.sum(1), y.sum(1), *products]
        found = [Moments(*map(int, row)) for row in zip(*columns, strict=True)]
        return [ArmRow(layer, measure, side, m.n_units, m.n, m.y, m.n_effective, m.residual) for m in found]

    def naive_intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """What whoever takes each outcome for an independent one would say: (low, high) by run."""
        parts = []
        for _, mask in self._sides():
            n, y = np.where(mask, self.n, 0).sum(1), np.where(mask, self.y, 0).sum(1)
            parts.append((y / n, y / n * (1 - y / n) / n))
        (one, var_one), (two, var_two) = parts
        margin = 1.96 * np.sqrt(var_one + var_two)
        return one - two - margin, one - two + margin


def losses(random: np.random.Generator, n_runs: int, n_files: int, n_days: int, effect: float = 0.0) -> World:
    """Reads of files and how many were lost; `effect` is by how much less often that happens with the layer."""
    busy = random.lognormal(0.5, 1.0, (n_runs, n_files, 1))
    hard = random.beta(1.5, 6.0, (n_runs, n_files, 1))
    agents = random.normal(1.0, 0.3, (n_runs, N_AGENTS)).clip(0.2, 1.8)
    who = random.integers(N_AGENTS, size=(n_runs, n_files, n_days))
    by_agent = np.take_along_axis(agents, who.reshape(n_runs, -1), 1).reshape(who.shape)
    days = random.normal(1.0, 0.2, (n_runs, 1, n_days)).clip(0.4, 1.6)
    is_held_out = random.random(who.shape) < SHARE
    rate = ((hard * by_agent * days).clip(0.0, 1.0) * np.where(is_held_out, 1.0, 1.0 - effect)).clip(0.0, 1.0)
    n = random.poisson(np.broadcast_to(busy, who.shape))
    return World(*(one.reshape(n_runs, -1) for one in (n, random.binomial(n, rate), is_held_out)))


def tokens(random: np.random.Generator, n_runs: int, n_files: int, n_days: int, effect: float = 0.0) -> World:
    """Tokens of files that were read, and what their views cost, second reads included."""
    reads = losses(random, n_runs, n_files, n_days)
    size = np.repeat(random.lognormal(7.5, 0.8, (n_runs, n_files)), n_days, axis=1)
    share = np.repeat(random.beta(2.0, 4.0, (n_runs, n_files)), n_days, axis=1)
    held = reads.is_held_out
    cost = size * (reads.n * share + 1.1 * reads.y) * np.where(held, 1.0, 1.0 - effect)
    return World((size * reads.n).astype(np.int64), cost.astype(np.int64), held)


def coverage(comparisons: list[Comparison]) -> float:
    told = [one for one in comparisons if one.low is not None and one.high is not None]
    assert len(told) > 0.95 * len(comparisons)
    return sum(one.low <= 0.0 <= one.high for one in told) / len(told)  # type: ignore[operator]  # neither is None


@pytest.mark.parametrize(("draw", "measure"), [(losses, "loss_rate"), (tokens, "cost_share")])
def test_2000_worlds_without_an_effect_are_covered_as_often_as_promised(draw, measure):
    random = np.random.default_rng(20_240_117)
    found = [one for _ in range(20) for one in draw(random, 100, 300, 14).comparisons(measure)]
    assert len(found) == 2_000
    assert 0.935 <= coverage(found) <= 0.965


def test_taking_each_outcome_for_independent_would_promise_too_much():
    world = losses(np.random.default_rng(3), 500, 200, 14)
    low, high = world.naive_intervals()
    assert ((low <= 0) & (high >= 0)).mean() < 0.93


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("draw", "measure"), [(losses, "loss_rate"), (tokens, "cost_share")])
def test_an_effect_of_a_tenth_is_found_at_the_stated_sample_in_80_of_100(draw, measure):
    random = np.random.default_rng(7)
    pilot = draw(random, 1, 2_000, 30).comparisons(measure)[0]
    n_files = round(2_000 * pilot.n_units_needed / pilot.n_units)
    found = [one for _ in range(50) for one in draw(random, 10, n_files, 30, MIN_EFFECT).comparisons(measure)]
    assert len(found) == 500
    assert sum(one.verdict == HELPS for one in found) >= 400


@pytest.mark.parametrize("effect", [0.98, 1.0])
def test_a_layer_that_prevents_nearly_all_losses_is_covered_too(effect):
    covered, told = 0, 0
    for number in range(10):
        random = np.random.default_rng([11, number])
        without = losses(random, 30, 200, 14)
        lost = np.where(without.is_held_out, without.y, random.binomial(without.y, 1.0 - effect))
        truth = -effect * without.y.sum(1) / without.n.sum(1)
        for one, true in zip(World(without.n, lost, without.is_held_out).comparisons(), truth, strict=True):
            assert one.low is not None
            assert one.high is not None
            covered, told = covered + (one.low <= true <= one.high), told + 1
    assert told == 300
    assert covered / told > 0.91


@pytest.mark.parametrize(
    ("draw", "layer", "measure"), [(losses, "edit_penalty", "loss_rate"), (tokens, "entropy_delta", "cost_share")]
)
def test_the_ledger_comes_to_the_sums_that_these_worlds_are_made_of(draw, layer, measure):
    """Outcome by outcome through trials, signed bytes and evidence; units are held out by the hash that agents use."""
    n_files, n_days = 40, 5
    world = draw(np.random.default_rng(23), 1, n_files, n_days)
    days = np.tile(np.arange(n_days), n_files)
    held_out = np.array(
        [
            is_held_out(layer, f"test\0{unit // n_days}.py", (FIRST_DAY + day) * DAY_S, 0.3)
            for unit, day in enumerate(days)
        ]
    )
    world = World(world.n, world.y, held_out[None, :])
    facts = [day_of(world, days == day, FIRST_DAY + day, layer, measure) for day in range(n_days)]
    found = {arm.side: arm for arm in evidence_of(facts, FIRST_DAY + n_days - 1).arms if arm.measure == measure}
    expected = {side: world._arms(measure, layer, side, mask)[0] for side, mask in world._sides()}
    assert found == expected
    assert expected["holdout"].n_units > 20


def day_of(world: World, mask: np.ndarray, day: int, layer: str, measure: str) -> DayFacts:
    """The units of one day, counted by trials, written as a closed day and read again."""
    trials = Trials()
    for unit in np.flatnonzero(mask & (world.n[0] > 0)):
        n, y = int(world.n[0, unit]), int(world.y[0, unit])
        side = HELD_OUT if world.is_held_out[0, unit] else TREATED
        for part in ((n // 2, y // 2), (n - n // 2, y - y // 2)):  # in two outcomes, as an agent would read twice
            counts = Counts(0, 0, *part) if measure == COST_SHARE else Counts(*part)
            trials.add(layer, side, str(unit), counts, 10_000)
    content = content_of(1, b"", DayFacts(day, trials=trials.trial_rows()))
    return fields_of(content).facts(day)
