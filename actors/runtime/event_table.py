"""Which facts a domain journals, and under which codes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from actors.runtime.decoder import OUR_OWN, make_decoder


class EventTable:
    """The event classes of a machine, NamedTuples in the past tense, by their journal codes.

    Codes are for ever: a store may hold them. `relaxed` facts may be lost in a crash; they ride along with the next
    commit, one second later at the latest.
    """

    def __init__(self, kinds: Mapping[int, type], *, relaxed: Collection[type] = ()) -> None:
        self.kinds = dict(kinds)
        self.relaxed = frozenset(relaxed)
        self.codes = {kind: code for code, kind in self.kinds.items()}
        self._make = {code: make_decoder(kind, OUR_OWN) for code, kind in self.kinds.items()}

    def __add__(self, other: EventTable) -> EventTable:
        """Both tables in one. Raises `ValueError` if they share a code."""
        shared = self.kinds.keys() & other.kinds.keys()
        if shared:
            raise ValueError(f"journal codes {sorted(shared)} are taken twice")
        return EventTable({**self.kinds, **other.kinds}, relaxed=self.relaxed | other.relaxed)

    def __contains__(self, event: Any) -> bool:
        return type(event) in self.codes

    def pack_form(self, events: list[Any]) -> list[tuple[int, Any]]:
        """Events as they stand in a journal row: (code, fields)."""
        codes = self.codes
        return [(codes[type(event)], event) for event in events]

    def make(self, code: int, fields: list[Any]) -> Any:
        """The event of a journal row. Raises `KeyError` for an unknown code and `WireError` for wrong fields."""
        return self._make[code](fields)

    def any_durable(self, events: list[Any]) -> bool:
        """Whether one of the events must not be lost."""
        return not self.relaxed.issuperset(map(type, events))
