"""What a journal tells of learned layers: who has switched which on or off, and why.

The quality store, the thresholds and the memory each keep the switches of the layers that they serve; of the latter
two nothing else is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from actors.runtime.layer_switch import GetLayers, LayerList, LayerSwitched
from actors.runtime.machine import NOBODY, Machine, Now
from coordinator.story.fact import Draft
from coordinator.story.thread import Threads

_ANY_TIME: Final = Now(0.0, 0.0)


def layer_key(layer: str) -> tuple[str, str]:
    """What the newest switching of a layer is known as."""
    return "layer", layer


def switched(event: LayerSwitched, threads: Threads) -> Draft:
    """A switching; it follows from the one before it."""
    return _draft("switched on" if event.is_on else "switched off", event, threads.of(*layer_key(event.layer)))


def off_already(machine: Machine) -> Iterator[Draft]:
    """The layers that are off in a state, by whom and why; the answer changes nothing."""
    told: LayerList = machine.perform(NOBODY, GetLayers(), _ANY_TIME)
    newest = {line.layer: line for line in told.lines if not line.is_on}
    return (_draft("was off", newest[layer], ()) for layer in told.off if layer in newest)


def _draft(what: str, line: LayerSwitched, causes: tuple[str, ...]) -> Draft:
    key = layer_key(line.layer)
    return Draft(what, line.session_id, "", (line.layer,), line.reason, causes, known_as=key)


class SwitchTeller:
    """Tells the switchings of one domain's journal; `machine` has applied all that came before."""

    def __init__(self, letter: str, machine: Machine, threads: Threads) -> None:
        self.letter = letter
        self._machine = machine
        self._threads = threads

    def begin_row(self) -> None:
        """The next events are of another commit."""

    def already(self) -> Iterator[Draft]:
        """What was so before the first row."""
        return off_already(self._machine)

    def tell(self, event: Any) -> Draft | None:
        """What the event says; None for all but a switching."""
        return switched(event, self._threads) if type(event) is LayerSwitched else None

    def told(self, event: Any, _draft: Draft, ref: str) -> None:
        """The event's fact has this reference."""
