"""Where one state actor lives: its processes, one after the other or two at once, and its disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import Final

from actors.runtime.compaction import compact
from actors.runtime.errors import Corrupt, ScentfieldError
from actors.runtime.event_table import EventTable
from actors.runtime.kernel import Kernel
from actors.runtime.machine import Machine
from actors.runtime.request_memory import EVENTS as MEMORY_EVENTS
from actors.runtime.settings import MailboxLimits
from coordinator.simulation.agenda import Agenda
from coordinator.simulation.call import Call
from coordinator.simulation.carrier import Carrier
from coordinator.simulation.disk import Killed, SimDisk
from coordinator.simulation.history import Happened, Mended, Record, Stalled, Torn
from coordinator.simulation.network import Network
from coordinator.simulation.process import Process

_RESTART_S: Final = (0.05, 3.0)
_RERUN_SHARE: Final = 0.6
_QUEUE_SHARE: Final = 0.7
_STALE_SHARE: Final = 0.3
_MEND_S: Final = 0.5
_MOST_FOLDING: Final = 2


class KeptTable(EventTable):
    """An event table that keeps what it was joined with: each kernel would compile all decoders anew."""

    def __init__(self, table: EventTable) -> None:
        super().__init__(table.kinds, relaxed=table.relaxed)
        self._joined: dict[int, EventTable] = {}

    def __add__(self, other: EventTable) -> EventTable:
        """Both tables in one."""
        key = id(other)
        if key not in self._joined:
            self._joined[key] = super().__add__(other)
        return self._joined[key]


class Host:
    """One actor. `carrier_to` makes what takes its notes to the others."""

    def __init__(
        self,
        name: str,
        *,
        agenda: Agenda,
        network: Network,
        random: Random,
        disk: SimDisk,
        make_machine: Callable[[], Machine],
        table: KeptTable,
        limits: MailboxLimits,
        wall_s: Callable[[], float],
        record: Callable[[Record], None],
        carrier: Carrier | None = None,
    ) -> None:
        self.name = name
        self.agenda = agenda
        self.network = network
        self.random = random
        self.disk = disk
        self.limits = limits
        self.wall_s = wall_s
        self.record = record
        self.table = table
        self.events = table + MEMORY_EVENTS
        self.store_id: str | None = None
        self.current: Process | None = None
        self._make_machine = make_machine
        self._stale: Process | None = None
        self._carrier = carrier
        self._n_processes = 0
        self._n_compactions = 0
        self._n_folding = 0
        self._is_mending = False
        self._waiting: list[Call] = []
        self._back_at_s = 0.0

    def make_machine(self) -> Machine:
        """An empty machine."""
        machine = self._make_machine()
        machine.events = self.table
        return machine

    # Requests

    def deliver(self, call: Call) -> None:
        """A copy of a request has come to the actor, wherever that is now."""
        stale = self._stale
        if stale is not None and stale.is_alive and self.random.random() < _STALE_SHARE:
            stale.take(call)
        elif self.current is not None:
            self.current.take(call)
        else:
            self._hold(call, _QUEUE_SHARE)

    def _hold(self, call: Call, share: float) -> None:
        """Ray keeps some calls for the actor's next process; others fail."""
        if self.random.random() < share:
            self._waiting.append(call)
        else:
            self.network.carry(call.who, partial(call.hear, call, None))

    # Processes

    def start(self) -> None:
        """Begin a process; one that lives on believes that it is still the writer."""
        if self.current is not None and self.current.is_alive:
            self._stale = self.current
        self._n_processes += 1
        process = self.current = Process(self, self._n_processes)
        process.start()
        waiting, self._waiting = self._waiting, []
        for call in waiting:
            self.deliver(call)

    def start_twin(self) -> None:
        """Begin a second process while the first lives, unless there are two already."""
        if self.current is not None and (self._stale is None or not self._stale.is_alive):
            self.note("a second copy is started")
            self.start()

    def stopped(self, process: Process) -> None:
        """A process is gone: what it has not answered is run again, or fails."""
        unanswered, process.unanswered = process.unanswered, {}
        for call in unanswered.values():
            self._hold(call, _RERUN_SHARE)
        torn_seq, self.disk.torn_seq = self.disk.torn_seq, None
        if torn_seq is not None:
            self.record(Torn(self.agenda.now_s, self.name, torn_seq))
        if process is self.current:
            self.current = None
            self._restart_later(self.random.uniform(*_RESTART_S))

    def _restart_later(self, delay_s: float) -> None:
        self.agenda.at(max(self.agenda.now_s + delay_s, self._back_at_s), self._restart)

    def _restart(self) -> None:
        if self.current is not None:
            return
        if self.agenda.now_s < self._back_at_s:
            self._restart_later(0.0)
        else:
            self.start()

    def kill(self) -> None:
        """Kill the current process between two turns."""
        if self.current is not None:
            self.current.stop("killed")

    def stay_away(self, for_s: float) -> None:
        """Kill it, and let nobody start it again for so long."""
        if self.current is not None:
            self._back_at_s = self.agenda.now_s + for_s
            self.kill()

    def stall(self, for_s: float) -> None:
        """Let the current process stand still, as a stopped one does."""
        process = self.current
        if process is not None and self.agenda.now_s >= process.stalled_until_s:
            process.stalled_until_s = self.agenda.now_s + for_s
            self.record(Stalled(self.agenda.now_s, self.name, process.number, for_s))

    def turned(self, process: Process) -> None:
        """A process has had a turn."""
        if self._carrier is not None:
            self._carrier.carry(process)

    def recover(self) -> None:
        """No more faults: the disk has room, and whoever is away may come back."""
        self.disk.trap, self.disk.unconfirmed, self.disk.full_until_s = "", False, 0.0
        self._back_at_s = 0.0
        self._restart()

    def close(self) -> None:
        """The world is over."""
        for process in (self._stale, self.current):
            if process is not None:
                process.close()

    def note(self, what: str) -> None:
        """A line for readers of the history."""
        self.record(Happened(self.agenda.now_s, self.name, what))

    # The store

    def is_corrupt(self) -> None:
        """A process refuses its store: the operator comes, cuts the torn row and starts it again."""
        if not self._is_mending:
            self._is_mending = True
            self.agenda.after(_MEND_S, self._mend)

    def _mend(self) -> None:
        self._is_mending = False
        self.disk.trap = ""
        processes, self.current = (self._stale, self.current), None
        for process in processes:
            if process is not None:
                process.stop("killed")
        try:
            self._cut_last_row()
        except Corrupt:
            self.note("the store is damaged in a way that cutting its last row does not help")
        self.start()

    def _cut_last_row(self) -> None:
        head = self.disk.store.head()
        if head is not None:
            self.disk.store.cut_after(head.seq - 1)
            self.record(Mended(self.agenda.now_s, self.name, head.seq - 1))

    def compact(self, steps: Mapping[str, int], dies_at: str) -> None:
        """Fold the journal as the child process does: at each stage the world goes on for so many `steps`.

        With `dies_at` the child ends at that stage. A second child may start meanwhile, and no third one.
        """
        if self.current is None or self._is_mending or self._n_folding >= _MOST_FOLDING:
            return
        self._n_compactions += 1
        store, run = self.disk.store, f"run-{self._n_compactions}"
        before, self._n_folding = store.at_stage, self._n_folding + 1
        store.at_stage = lambda stage: self._fold(stage, steps[stage], dies_at)
        try:
            seq = compact(store, Kernel(self.make_machine()), run=run)
        except ScentfieldError as error:
            self.note(f"the journal cannot be folded: {error.code}")
        except Killed:
            self.note(f"who folds the journal dies with the {dies_at} to come")
        else:
            self.note(f"the journal is folded up to row {seq}")
        finally:
            store.at_stage, self._n_folding = before, self._n_folding - 1

    def _fold(self, stage: str, n_steps: int, dies_at: str) -> None:
        """What happens while the child is about to write this."""
        for _ in range(n_steps):
            self.agenda.step()
        if stage == dies_at:
            raise Killed(stage)
        self.disk.check_room()
