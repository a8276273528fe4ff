"""Which learned layers an operator has switched off, who did it and why; each domain keeps those that it serves.

A layer that is off is off for everybody: its domain answers as if nothing had been learned of it. What it learns goes
on, so that it knows more when it is switched on again. Nothing is held out from a layer that is off.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from actors.runtime.errors import InvariantBroken, Misuse
from actors.runtime.event_table import EventTable
from actors.runtime.machine import Caller, Now
from actors.runtime.wire import Schema

MAX_LINES: Final = 100
"""So many of the newest switchings are kept to be told."""
MAX_REASON: Final = 200


class SwitchLayer(NamedTuple):
    """Switch a layer on or off, for everybody; `reason` is one line for whoever asks later, or nothing."""

    layer: str
    is_on: bool
    reason: str


class LayerSwitched(NamedTuple):
    """Somebody has switched a layer on or off."""

    layer: str
    is_on: bool
    session_id: str
    reason: str
    at_utc_s: float


class LayerNow(NamedTuple):
    """Whether the layer is on, and whether it was otherwise before."""

    layer: str
    is_on: bool
    has_changed: bool


class GetLayers(NamedTuple):
    """Ask which layers there are here, and who has switched which."""


class LayerList(NamedTuple):
    """The layers that this domain serves, those of them that are off, and the newest switchings, oldest first."""

    layers: tuple[str, ...]
    off: tuple[str, ...]
    lines: tuple[LayerSwitched, ...]


EVENTS: Final = EventTable({15: LayerSwitched})
SCHEMA: Final = Schema(
    commands={"switch_layer": SwitchLayer, "layers": GetLayers},
    answers={"layer_now": LayerNow, "layer_list": LayerList},
    queries=["layers"],
    committed=["layers"],
)
"""Part of the schema of every domain that serves a layer."""


class LayerSwitches:
    """The switches of one domain. `record` journals an event and hands it to `evolve`."""

    def __init__(self, layers: Sequence[str], record: Callable[[Any], None]) -> None:
        self._layers = tuple(sorted(layers))
        self._record = record
        self._off: set[str] = set()
        self._lines: deque[LayerSwitched] = deque(maxlen=MAX_LINES)

    def is_on(self, layer: str) -> bool:
        """Whether a layer has a say."""
        return layer not in self._off

    def off(self) -> tuple[str, ...]:
        """The layers that are off, by name."""
        return tuple(sorted(self._off))

    def switch(self, session_id: str, asked: SwitchLayer, utc_s: float) -> LayerNow:
        """Switch a layer; one that is so already stays, without a line.

        Raises `Misuse` for a layer that is not of this domain, and for a reason that is not one short line.
        """
        if asked.layer not in self._layers:
            known = ", ".join(self._layers)
            raise Misuse(f"{asked.layer[:80]!r} is no learned layer of this actor: give one of {known}")
        if len(asked.reason) > MAX_REASON or not all(map(str.isprintable, asked.reason)):
            raise Misuse(f"a reason is one line of {MAX_REASON} characters at most, not {asked.reason[:80]!r}")
        has_changed = self.is_on(asked.layer) != asked.is_on
        if has_changed:
            self._record(LayerSwitched(asked.layer, asked.is_on, session_id, asked.reason, utc_s))
        return LayerNow(asked.layer, asked.is_on, has_changed)

    def told(self) -> LayerList:
        """All of it."""
        return LayerList(self._layers, self.off(), tuple(self._lines))

    def performers(self) -> dict[type, Callable[[Caller, Any, Now], Any]]:
        """Who carries out which command."""
        return {
            SwitchLayer: lambda caller, asked, now: self.switch(caller.session_id, asked, now.utc_s),
            GetLayers: lambda _caller, _asked, _now: self.told(),
        }

    def evolve(self, event: LayerSwitched) -> None:
        """Apply a switching."""
        self._lines.append(event)
        if event.is_on:
            self._off.discard(event.layer)
        else:
            self._off.add(event.layer)

    def rows(self) -> Iterator[list[Any]]:
        """The state: what is off, then the lines."""
        if self._off:
            yield [self.off()]
        yield from (list(line) for line in self._lines)

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        if len(row) == 1:
            self._off = set(row[0])
        else:
            self._lines.append(LayerSwitched._make(row))

    def check_invariants(self) -> None:
        """Raises `InvariantBroken` where something is off that is no layer."""
        if not self._off <= set(self._layers):
            raise InvariantBroken(f"layers {self.off()} are off, there are {self._layers}")
