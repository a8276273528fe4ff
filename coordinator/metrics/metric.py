"""One metric: its name, its type, its labels, and what it tells a person."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.core import Metric as Family

Sample: TypeAlias = tuple[tuple[str, ...], float]
"""The values of a metric's labels, and its value."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric as Prometheus shows it; the name of a counter ends in `_total`."""

    name: str
    kind: Literal["counter", "gauge"]
    help: str
    labels: tuple[str, ...] = ()

    def family(self, samples: Iterable[Sample]) -> Family:
        """The metric with these samples, in their order."""
        made = CounterMetricFamily if self.kind == "counter" else GaugeMetricFamily
        family = made(self.name, self.help, labels=self.labels)
        for values, value in samples:
            family.add_metric(values, value)
        return family


def counter(name: str, text: str, *labels: str) -> Metric:
    """A total that only grows; `scentfield_` is put before its name and `_total` behind it."""
    return Metric(f"scentfield_{name}_total", "counter", text, labels)


def gauge(name: str, text: str, *labels: str) -> Metric:
    """A number as it is now; `scentfield_` is put before its name."""
    return Metric(f"scentfield_{name}", "gauge", text, labels)
