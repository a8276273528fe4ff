"""Whether all of it helps, as metrics: the figures of the newest 30 UTC days, and each layer against its holdout."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final, TypeAlias

from prometheus_client.core import Metric as Family

from coordinator.efficacy.figure import Figures
from coordinator.efficacy.interval import VERDICTS, Comparison
from coordinator.learning.layer import DOMAIN_OF
from coordinator.metrics.metric import Metric, Sample, gauge

Samples: TypeAlias = Callable[[Figures], list[Sample]]
_BY: Final = ("layer", "measure")


def _known(*samples: tuple[tuple[str, ...], float | None]) -> list[Sample]:
    """Those that are known."""
    return [(labels, value) for labels, value in samples if value is not None]


def _each(value: Callable[[Comparison], float | None]) -> Samples:
    """One sample a comparison."""
    return lambda seen: _known(*(((one.layer, one.measure), value(one)) for one in seen.comparisons))


def _sides(treatment: Callable[[Comparison], float | None], holdout: Callable[[Comparison], float | None]) -> Samples:
    return lambda seen: _known(
        *(
            ((one.layer, one.measure, arm), value(one))
            for one in seen.comparisons
            for arm, value in (("treatment", treatment), ("holdout", holdout))
        )
    )


_SAMPLES: Final[Mapping[Metric, Samples]] = {
    gauge(
        "efficacy_bounce_rate",
        "Share of compressed views that were followed by the whole file, in the last seven UTC days (this) and in the "
        "seven before them (before); not told below 20 compressed views",
        "week",
    ): lambda seen: _known((("this",), seen.bounce_rate), (("before",), seen.bounce_rate_before)),
    gauge("efficacy_bounce_reads", "Compressed views that these rates are of", "week"): lambda seen: [
        (("this",), seen.evidence.this_week.n_reads),
        (("before",), seen.evidence.week_before.n_reads),
    ],
    gauge(
        "efficacy_placement_hit_rate",
        "Share of the items of wakeups that nobody had to ask for again, by the end they stood at, in the last 30 UTC "
        "days",
        "position",
    ): lambda seen: _known(*(((end,), placed.hit_rate) for end, placed in seen.placed.items())),
    gauge(
        "efficacy_placements",
        "Items of wakeups in the last 30 UTC days, by the end they stood at and what became of them",
        "position",
        "result",
    ): lambda seen: [
        ((end, result), n)
        for end, placed in seen.placed.items()
        for result, n in (("hit", placed.n_hits), ("miss", placed.n_misses))
    ],
    gauge(
        "efficacy_playbook_survival_ratio",
        "Share of the entries of playbooks that came to be ten turns old which are there and helped more than they "
        "harmed",
    ): lambda seen: _known(((), seen.survival)),
    gauge(
        "efficacy_duplicates_prevented",
        "Times that an agent was kept from work that another one was at, in the last 30 UTC days, by what kept it",
        "source",
    ): lambda seen: [((source,), n) for source, n in seen.duplicates.items()],
    gauge(
        "efficacy_net_saved_tokens",
        "Tokens that were not sent in the last 30 UTC days, less those of second reads and failed edits",
    ): lambda seen: [((), seen.evidence.n_net_tokens)],
    gauge(
        "efficacy_net_saved_price",
        "What these tokens cost at the price that is set for a million of them, in its currency; only with a price",
    ): lambda seen: _known(((), seen.price)),
    gauge(
        "layer_ratio",
        "What a learned layer is measured by, with the layer (treatment) and without it (holdout); less is better",
        *_BY,
        "arm",
    ): _sides(lambda one: one.treatment, lambda one: one.holdout),
    gauge(
        "layer_units", "Files, sessions or questions, each for a UTC day, that were counted in 30 days", *_BY, "arm"
    ): _sides(lambda one: one.n_treatment_units, lambda one: one.n_holdout_units),
    gauge(
        "layer_difference",
        "Treatment less holdout; below 0 the layer helps. Not told while too few units are held out",
        *_BY,
    ): _each(lambda one: one.difference),
    gauge("layer_difference_low", "Lower end of the difference's 95% interval", *_BY): _each(lambda one: one.low),
    gauge("layer_difference_high", "Upper end of the difference's 95% interval", *_BY): _each(lambda one: one.high),
    gauge(
        "layer_units_missing", "Units that are still needed for a verdict, at least; 0 when there is one", *_BY
    ): _each(lambda one: one.n_units_missing),
    gauge(
        "layer_verdict",
        "1 for what holds: not_yet_known, helps, no_difference (enough evidence, and it does not help), or harms",
        *_BY,
        "verdict",
    ): lambda seen: [
        ((one.layer, one.measure, verdict), float(one.verdict == verdict))
        for one in seen.comparisons
        for verdict in VERDICTS
    ],
}

_ENABLED: Final = gauge("layer_enabled", "1 while the learned layer is on, 0 while an operator has it off", "layer")
EFFICACY_METRICS: Final = (*_SAMPLES, _ENABLED)


def enabled_family(off: Mapping[str, Collection[str]]) -> Family:
    """Which layers are on; `off` has those that are not, by the state actors that have answered."""
    layers = [(layer, domain) for layer, domain in sorted(DOMAIN_OF.items()) if domain in off]
    return _ENABLED.family(((layer,), float(layer not in off[domain])) for layer, domain in layers)


def efficacy_families(seen: Figures) -> Iterator[Family]:
    """The metrics of efficacy."""
    return (metric.family(samples(seen)) for metric, samples in _SAMPLES.items())
