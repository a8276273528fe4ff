"""What a server of metrics says of itself."""

from __future__ import annotations

from typing import Final

from coordinator.metrics.metric import gauge

KEPT: Final = gauge(
    "process_totals_kept",
    "1 if counts of processes are added up on the disk, so that they outlive this server too; 0 if that cannot be done",
)
EXPORTER_METRICS: Final = (KEPT,)
