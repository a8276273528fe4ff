"""Takes notes from one actor to the others over the simulated network, again and again until they have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from actors.runtime.outbox import Deliver, Pending
from actors.runtime.received import SCHEMA
from actors.runtime.wire import encode_request
from coordinator.simulation.agenda import Agenda
from coordinator.simulation.call import Call, answers_of

if TYPE_CHECKING:
    from coordinator.simulation.process import Process

_PATIENCE_S: Final = 2.0
_PAUSE_S: Final = 0.3

MakeCall = Callable[[str, str, bytes, Callable[[Call, bytes | None], None]], Call]
"""Sends (who, actor, raw, hear) on its way."""


class Carrier:
    """One delivery at a time of each process to each of `receivers`; what has arrived is confirmed to its sender."""

    def __init__(self, agenda: Agenda, receivers: tuple[str, ...], call: MakeCall) -> None:
        self._agenda = agenda
        self._receivers = receivers
        self._call = call
        self._carrying: dict[tuple[int, str], float] = {}

    def carry(self, process: Process) -> None:
        """Send what is committed and waits, where nothing is on its way."""
        outbox = process.mailbox.outbox
        if outbox is None:
            return
        for receiver in [one for one in outbox.receivers if one in self._receivers]:
            pending = outbox.pending(receiver)
            route = (process.number, receiver)
            if pending.notes and self._agenda.now_s >= self._carrying.get(route, 0.0):
                self._carrying[route] = self._agenda.now_s + _PATIENCE_S
                self._agenda.after(_PATIENCE_S, process.nudge)
                self._deliver(process, receiver, pending)

    def _deliver(self, process: Process, receiver: str, pending: Pending) -> None:
        deliver = Deliver(f"{process.host.name}@{process.host.store_id}", *pending)
        raw = encode_request([("", "", 0, 0, (), (SCHEMA.wire_of(deliver),))])

        def hear(_call: Call, reply: bytes | None) -> None:
            self._heard(process, receiver, pending.number, reply)

        self._call(f"{process.host.name}/{process.number}", receiver, raw, hear)

    def _heard(self, process: Process, receiver: str, number: int, reply: bytes | None) -> None:
        if not process.is_alive:
            return
        took = reply is not None and answers_of(reply)[0][0] == "delivered"
        self._carrying[process.number, receiver] = self._agenda.now_s + (0.0 if took else _PAUSE_S)
        if took:
            process.mailbox.confirm_sent(receiver, number)
            process.nudge()
        else:
            self._agenda.after(_PAUSE_S, process.nudge)
