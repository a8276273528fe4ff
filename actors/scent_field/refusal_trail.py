"""Who was refused lately, and because of whom: for people who look at the field.

It is no state: nothing is decided by it, it is in no journal and no snapshot, and a restart of the actor begins it
anew. So a refusal costs an agent a few dict operations and the disk nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final, NamedTuple

from actors.scent_field.messages import Held, RefusalRow

MAX_REFUSALS: Final = 512
MAX_REFUSALS_LISTED: Final = 64


class _Refusal(NamedTuple):
    """What is one row: the same asker, refused the same target for the same reason, however often it asks."""

    space: str
    asker: str
    target: str
    reason: str
    holder: str


@dataclass(slots=True)
class _Times:
    """How often, when last (field time, seconds), and what else stood in the way then."""

    number: int
    n: int = 0
    at_s: float = 0.0
    n_more: int = 0
    intent: str = ""


class RefusalTrail:
    """The last 512 different refusals of all spaces."""

    def __init__(self) -> None:
        self._rows: OrderedDict[_Refusal, _Times] = OrderedDict()
        self._last = 0

    def __len__(self) -> int:
        return len(self._rows)

    def note(self, space: str, asker: str, held: Held, now_s: float) -> None:
        """Somebody was told no. `held` names what was in the way, the first conflict first."""
        first = held.conflicts[0] if held.conflicts else None
        target, holder, intent = (first.target, first.holder, first.intent) if first else ("", "", "")
        key = _Refusal(space, asker, target, held.reason, holder)
        times = self._rows.get(key)
        if times is None:
            self._last += 1
            times = self._rows[key] = _Times(self._last)
            if len(self._rows) > MAX_REFUSALS:
                self._rows.popitem(last=False)
        else:
            self._rows.move_to_end(key)
        times.n += 1
        times.at_s, times.intent = now_s, intent
        times.n_more = max(0, len(held.conflicts) + held.n_more - 1)

    def newest(self, space: str, now_s: float) -> tuple[RefusalRow, ...]:
        """A space's last refusals, the newest first, 64 at most."""
        found: list[RefusalRow] = []
        for key, times in reversed(self._rows.items()):
            if key.space == space and len(found) < MAX_REFUSALS_LISTED:
                found.append(
                    RefusalRow(
                        times.number,
                        key.asker,
                        key.target,
                        times.n_more,
                        key.reason,
                        key.holder,
                        times.intent,
                        times.n,
                        now_s - times.at_s,
                    )
                )
        return tuple(found)
