"""How edits and reads went, what was learned, and what it was worth: sections for people, and the same for programs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from actors.memory.report import survival_line
from actors.quality_store.ledger_report import bounce_line
from actors.quality_store.report import bounce_lines, edit_quality_lines, savings_lines, source_lines
from actors.thresholds.report import placement_lines, threshold_lines
from coordinator.core import Core
from coordinator.step import Operation

if TYPE_CHECKING:
    from actors.memory.messages import Statistics as MemoryCounts
    from actors.quality_store.messages import EditQuality, ReadQuality, Savings, Statistics
    from actors.thresholds.messages import Learning

_TWO_WEEKS: Final = 14


@dataclass(frozen=True, slots=True)
class Efficacy:
    """What the stores told, each part as the store's own answer."""

    edit_quality: EditQuality
    quality_statistics: Statistics
    read_quality: ReadQuality
    learning: Learning
    savings: Savings
    memory: MemoryCounts

    def sections(self, counters: dict[str, int]) -> list[list[str]]:
        """Each section's lines, its heading first; `counters` are the field's."""
        return [
            edit_quality_lines(self.edit_quality),
            source_lines(self.quality_statistics),
            bounce_lines(self.read_quality),
            threshold_lines(self.learning),
            placement_lines(self.learning),
            savings_lines(self.quality_statistics.ledger),
            _efficacy_lines(self, counters),
        ]

    def document(self) -> dict[str, Any]:
        """The answers by name."""
        return {name: getattr(self, name) for name in self.__slots__}


def efficacy(core: Core) -> Operation[Efficacy]:
    """Ask the stores. Raises `Unavailable`."""
    return Efficacy(
        edit_quality=(yield from core.edit_quality()),
        quality_statistics=(yield from core.quality_statistics()),
        learning=(yield from core.learned.learning()),
        read_quality=(yield from core.learned.read_quality()),
        savings=(yield from core.learned.savings(_TWO_WEEKS)),
        memory=(yield from core.playbook.statistics()),
    )


def _efficacy_lines(told: Efficacy, counters: dict[str, int]) -> list[str]:
    """What can be told of whether it helps."""
    today = datetime.now(UTC).date()
    names = [str(today - timedelta(days=age)) for age in reversed(range(_TWO_WEEKS))]
    return [
        "Learning Efficacy",
        bounce_line(told.savings.days, names),
        survival_line(told.memory),
        f"  duplicate work prevented: {counters.get('duplicate_work_prevented', 0)}",
    ]
