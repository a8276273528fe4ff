"""docs/metrics.md, made from the metrics themselves: `python -m coordinator.metrics.reference > docs/metrics.md`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

from coordinator.metrics.actor_metric import ACTOR_METRICS
from coordinator.metrics.answer_metric import ANSWER_METRICS
from coordinator.metrics.efficacy_metric import EFFICACY_METRICS
from coordinator.metrics.exporter_metric import EXPORTER_METRICS
from coordinator.metrics.field_metric import FIELD_METRICS
from coordinator.metrics.learning_metric import LEARNING_METRICS
from coordinator.metrics.ledger_metric import LEDGER_METRICS
from coordinator.metrics.memory_metric import MEMORY_METRICS
from coordinator.metrics.metric import Metric
from coordinator.metrics.model_metric import MODEL_METRICS
from coordinator.metrics.quality_metric import QUALITY_METRICS
from coordinator.metrics.retrieval_metric import RETRIEVAL_METRICS

_INTRODUCTION: Final = """\
# Metrics

`scentfield up` starts an exporter beside the state actors. It serves http://127.0.0.1:9464/metrics unless
`metrics_host` and `metrics_port` say otherwise, or `metrics` says that it is not wanted. `deploy/prometheus.yml`
scrapes it; `scentfield metrics` prints the same without it. `/healthz` has each state actor write to its store and read
it back, once a second at most: it answers 200 while all of them can, else 503, and says what is wrong. `/ray-nodes`
lists where Ray's own metrics are, for Prometheus' HTTP service discovery. [boards.md](boards.md) has boards and alerts.

The exporter asks the state actors when it is scraped, and then the ledger; it waits for two seconds at most for an
actor, and for three and a half in all. The indices that retrieval keeps on its own node it looks into. It shows
committed values only: what it has shown is still there after a crash. The counts of claims, edits and reads are kept
in the stores and go on over restarts. Those of an actor's own work (requests, turns, commits) are counted by its
process from zero; exporter, gateway and `scentfield metrics` add up what each process had counted when it was last
seen, in a file of the state folder, so that no counter that was shown ever falls, whichever process is killed. So do
they with the counts of searches, which each index keeps: an index that cannot be read, or is gone, takes nothing
away. Counters fall after `restore`, and where the state folder is lost. `scentfield_process_totals_kept` says whether
that file can be written.

Labels are bounded: `domain` is a state actor, `kind` a kind of signal, entry, vote or placement, `extension` a file
extension (200 rows, then `other`), `mode` the way a file was shown, `cause` why something ended, `source` what decided
an automatic read, `arm` which learned layers were held out (`treatment`: none), `profile` a kind of client, `topic`
what an outcome was, `receiver` a state actor that is told of it, `way` how facts or passages were looked for,
`weakness` what was found wrong with an answer, `plan` what was tried against it, `layer` a part of what is learned and
`measure` what it is measured by, `week`, `position`, `result` and `verdict` what their metrics say. Paths and agents
are never labels.

This page is made from the code: `python -m coordinator.metrics.reference > docs/metrics.md`.
"""
_SECTIONS: Final = (
    ("The state actors", ACTOR_METRICS),
    ("The scent field", FIELD_METRICS),
    ("The quality store", QUALITY_METRICS),
    ("The read ledger", LEDGER_METRICS),
    ("Answers", ANSWER_METRICS),
    ("What is learned", LEARNING_METRICS),
    ("The memory", MEMORY_METRICS),
    ("The embedding model", MODEL_METRICS),
    ("Efficacy", EFFICACY_METRICS),
    ("Retrieval", RETRIEVAL_METRICS),
    ("The exporter", EXPORTER_METRICS),
)


def reference() -> str:
    """The page, in Markdown."""
    return "\n".join((_INTRODUCTION, *(line for title, metrics in _SECTIONS for line in _section(title, metrics))))


def _section(title: str, metrics: tuple[Metric, ...]) -> Iterator[str]:
    yield f"## {title}\n"
    yield "| metric | type | labels | meaning |"
    yield "| --- | --- | --- | --- |"
    yield from (_row(metric) for metric in metrics)
    yield ""


def _row(metric: Metric) -> str:
    labels = ", ".join(f"`{label}`" for label in metric.labels)
    return f"| `{metric.name}` | {metric.kind} | {labels} | {metric.help} |"


if __name__ == "__main__":
    sys.stdout.write(reference())
