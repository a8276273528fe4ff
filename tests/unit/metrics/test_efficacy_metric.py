"""Efficacy as Prometheus reads it: what is not yet known has no sample."""

from __future__ import annotations

from typing import Any

from prometheus_client.core import Metric as Family

from actors.memory.machine import Memory
from actors.memory.messages import GetStatistics as GetMemoryStatistics
from actors.quality_store.account import AccountRow
from actors.quality_store.day_evidence import DayFacts
from actors.quality_store.evidence import evidence_of
from actors.quality_store.row import LedgerRow
from actors.quality_store.trial import MEASURES, Moments, TrialRow, moments_of
from actors.runtime.layer_switch import SwitchLayer
from actors.runtime.machine import NOBODY, Caller, Now
from coordinator.efficacy.figure import Figures, Terms, figures_of
from coordinator.metrics.collector import FieldCollector, Sighting
from coordinator.metrics.efficacy_metric import efficacy_families

DAY = 19_675
NOW = Now(0.0, DAY * 86_400.0)


def samples(families: Any) -> dict[tuple[str, ...], float]:
    found: list[Family] = list(families)
    return {(one.name, *one.labels.values()): one.value for family in found for one in family.samples}


def sums(side: str, units: list[tuple[int, int]]) -> TrialRow:
    return TrialRow("lessons", "failure_rate", side, *sum((moments_of(*unit) for unit in units), Moments()))


def seen(price: float | None = None) -> Figures:
    rows = (LedgerRow("py", "map", "", 40, 40, 10, 2_000_000, 10, 500_000, 0, 0, 0, 0),)
    account = (AccountRow("placements", "begin_hit", 3), AccountRow("duplicates_prevented", "guard", 2))
    trials = (sums("holdout", [(4, 0), (4, 2)] * 2_000), sums("treatment", [(4, 0), (4, 1)] * 2_000))
    evidence = evidence_of([DayFacts(DAY, rows, (), trials, account)], DAY)
    return figures_of(evidence, Terms(token_price=price))


def test_of_nothing_only_what_can_be_counted_is_told() -> None:
    told = samples(efficacy_families(figures_of(evidence_of([], DAY), Terms())))
    names = {key[0] for key in told}
    assert told["scentfield_efficacy_net_saved_tokens",] == 0
    assert told["scentfield_layer_units_missing", "lessons", "failure_rate"] == 400
    assert "scentfield_efficacy_bounce_rate" not in names
    assert "scentfield_layer_difference" not in names
    verdicts = {key[1:3]: key[3] for key, value in told.items() if key[0] == "scentfield_layer_verdict" and value}
    assert verdicts == {(layer, one): "not_yet_known" for layer, measures in MEASURES.items() for one in measures}


def test_figures_are_told_with_their_price_where_there_is_one() -> None:
    told = samples(efficacy_families(seen(3.0)))
    assert told["scentfield_efficacy_bounce_rate", "this"] == 0.25
    assert ("scentfield_efficacy_bounce_rate", "before") not in told
    assert told["scentfield_efficacy_placement_hit_rate", "begin"] == 1.0
    assert told["scentfield_efficacy_duplicates_prevented", "guard"] == 2
    assert told["scentfield_efficacy_net_saved_price",] == 4.5
    assert ("scentfield_efficacy_net_saved_price",) not in samples(efficacy_families(seen()))


def test_a_layer_has_its_two_sides_its_interval_and_one_verdict() -> None:
    told = samples(efficacy_families(seen()))
    key = ("lessons", "failure_rate")
    assert told["scentfield_layer_ratio", *key, "treatment"] == 0.125
    assert told["scentfield_layer_ratio", *key, "holdout"] == 0.25
    assert told["scentfield_layer_difference", *key] == -0.125
    assert told["scentfield_layer_difference_low", *key] < -0.125 < told["scentfield_layer_difference_high", *key] < 0
    assert told["scentfield_layer_units", *key, "holdout"] == 4_000
    assert told["scentfield_layer_units_missing", *key] == 0
    verdicts = {
        name[-1]: value for name, value in told.items() if name[0] == "scentfield_layer_verdict" and key == name[1:3]
    }
    assert verdicts == {"helps": 1.0, "not_yet_known": 0.0, "no_difference": 0.0, "harms": 0.0}


def test_layers_of_an_actor_that_answers_are_on_or_off_and_others_are_left_out() -> None:
    memory = Memory()
    memory.perform(Caller("ann#1"), SwitchLayer("lessons", False, ""), NOW)
    counts = memory.perform(NOBODY, GetMemoryStatistics(), NOW)
    told = samples(FieldCollector([Sighting("memory", None, counts)], figures=seen()).collect())
    assert {key[1]: value for key, value in told.items() if key[0] == "scentfield_layer_enabled"} == {"lessons": 0.0}
