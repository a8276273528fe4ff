"""What the page shows, as tables of rows, and how one moment differs from the one before. Pure.

A row is a JSON object under a key of its own in its table. Points in time (`*_at`) are seconds of the sender's
monotonic clock: so a row stays the same while nothing happens, however old it gets and however much it decays.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

Row = Mapping[str, Any]
Table = Mapping[str, Row]

DRIFT_S: Final = 1.5
"""Points in time are worked out from ages, which take their time to arrive; what differs by less is the same."""


@dataclass(slots=True)
class Delta:
    """What to put and what to drop, by table."""

    put: dict[str, dict[str, Row]] = field(default_factory=dict)
    drop: dict[str, list[str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.put or self.drop)

    def document(self) -> dict[str, Any]:
        """As it is sent."""
        return {"put": self.put, "drop": self.drop}


class Tables:
    """All tables as they were told last."""

    def __init__(self) -> None:
        self._tables: dict[str, dict[str, Row]] = {}

    def take(self, news: Mapping[str, Table]) -> Delta:
        """Let these tables be what `news` says, whole; others stay. Returns what that changes."""
        delta = Delta()
        for name, table in news.items():
            self._take(name, table, delta)
        return delta

    def _take(self, name: str, table: Table, delta: Delta) -> None:
        known = self._tables.setdefault(name, {})
        put = {key: row for key, row in table.items() if not _is_same(known.get(key), row)}
        drop = [key for key in known if key not in table]
        for key in drop:
            del known[key]
        known.update(put)
        if put:
            delta.put[name] = put
        if drop:
            delta.drop[name] = drop

    def whole(self) -> dict[str, dict[str, Row]]:
        """Everything, for somebody who knows nothing yet."""
        return {name: dict(table) for name, table in self._tables.items()}


def _is_same(known: Row | None, row: Row) -> bool:
    if known is None or known.keys() != row.keys():
        return False
    return all(
        _is_near(known[name], value) if name.endswith("_at") else known[name] == value for name, value in row.items()
    )


def _is_near(known: float | None, value: float | None) -> bool:
    if known is None or value is None:
        return known is value
    return abs(known - value) < DRIFT_S


def event(name: str, document: Mapping[str, Any], event_id: str = "") -> bytes:
    """One server-sent event (HTML standard, 9.2). JSON in ASCII has no line ends, so one `data` line holds it."""
    head = f"id: {event_id}\n" if event_id else ""
    return f"{head}event: {name}\ndata: {json.dumps(document, separators=(',', ':'), allow_nan=False)}\n\n".encode()
