"""Looks into a store without its actor, and cuts it where it is damaged if it is told to.

Looking changes nothing. A cut drops the first damaged row and everything after it: what was acknowledged since is lost,
so only a person decides it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import psutil

from actors.runtime.errors import Corrupt, ScentfieldError
from actors.runtime.kernel import Kernel
from actors.runtime.machine import Machine
from actors.runtime.recovery import recover_into
from actors.runtime.store import Store
from actors.runtime.table import Head
from actors.runtime.view import View

MAX_LISTED: Final = 20
MakeMachine = Callable[[], Machine]


@dataclass(frozen=True, slots=True)
class StoreReport:
    """What was found in the store of one domain.

    `state` is `sound`, `empty` (nobody has written to it yet), `damaged` or `unavailable`. `cut_at` is the last row
    that can be kept where cutting helps, and `lost` says what would be lost, row by row.
    """

    domain: str
    where: str
    state: str
    what: str
    n_rows: int = 0
    snapshot_seq: int = 0
    last_seq: int = 0
    n_events: int = 0
    cut_at: int | None = None
    lost: tuple[str, ...] = ()

    @property
    def n_lost(self) -> int:
        """How many rows a cut would drop."""
        return 0 if self.cut_at is None else self.last_seq - self.cut_at


def inspect_store(domain: str, store: Store, make_machine: MakeMachine) -> StoreReport:
    """Read all of a store, apply it to an empty machine, and re-derive every index. Never raises for it."""
    try:
        head = store.head()
        if head is None:
            return StoreReport(domain, store.where, "empty", "nobody has written to it yet")
        return _recovered(domain, store, make_machine, head)
    except Corrupt as error:
        return StoreReport(domain, store.where, "damaged", error.message)
    except ScentfieldError as error:
        return StoreReport(domain, store.where, "unavailable", error.message)


def _recovered(domain: str, store: Store, make_machine: MakeMachine, head: Head) -> StoreReport:
    kernel = Kernel(make_machine())
    try:
        recovered = recover_into(kernel, store)
        kernel.check_invariants()
    except ScentfieldError as error:
        return _damaged(domain, store, make_machine, head, error)
    last, snapshot_seq = recovered.head.seq, recovered.snapshot_seq
    return StoreReport(
        domain,
        store.where,
        "sound",
        "every row and every index is as it should be",
        n_rows=last - snapshot_seq,
        snapshot_seq=snapshot_seq,
        last_seq=last,
        n_events=recovered.n_events,
    )


def _damaged(domain: str, store: Store, make_machine: MakeMachine, head: Head, error: ScentfieldError) -> StoreReport:
    """Find where it can be cut: after the last good row before the damage, if the rest can be applied."""
    with store.view() as view:
        snapshot_seq = view.snapshot_seq()
        good = _last_good(view, snapshot_seq, head.seq)
        can_cut = good < head.seq and _applies(make_machine, view, good)
        lost = tuple(_told_rows(view, make_machine, good, head.seq)) if can_cut else ()
    return StoreReport(
        domain,
        store.where,
        "damaged",
        error.message,
        n_rows=head.seq - snapshot_seq,
        snapshot_seq=snapshot_seq,
        last_seq=head.seq,
        cut_at=good if can_cut else None,
        lost=lost,
    )


def _last_good(view: View, snapshot_seq: int, last: int) -> int:
    """The last row whose own and all earlier checksums are right."""
    good = snapshot_seq
    try:
        for seq, payload in view.rows(snapshot_seq, last):
            view.unpacked(payload, f"row {seq}")
            good = seq
    except ScentfieldError:
        return good
    return good


def _applies(make_machine: MakeMachine, view: View, through: int) -> bool:
    """Whether the snapshot and the rows up to there make a sound state."""
    kernel = Kernel(make_machine())
    try:
        snapshot_seq, parts = view.snapshot_parts()
        kernel.restore(parts)
        for seq, payload in view.rows(snapshot_seq, through):
            for code, fields in view.unpacked(payload, f"row {seq}")[2]:
                kernel.evolve(code, fields)
        kernel.check_invariants()
    except Exception:  # whatever a machine makes of what it does not know
        return False
    return True


def _told_rows(view: View, make_machine: MakeMachine, after: int, last: int) -> Iterator[str]:
    """What the rows after the cut say, as far as they can be read; the first `MAX_LISTED`."""
    events = Kernel(make_machine()).events
    for seq in islice(range(after + 1, last + 1), MAX_LISTED):
        try:
            ((_, payload),) = view.rows(seq - 1, seq)
            named = [events.make(code, fields) for code, fields in view.unpacked(payload, f"row {seq}")[2]]
        except Exception:  # it is being listed because something is wrong with it
            yield f"row {seq}: cannot be read"
        else:
            yield f"row {seq}: {', '.join(_told(event) for event in named)}"
    if last - after > MAX_LISTED:
        yield f"and {last - after - MAX_LISTED} more rows"


def _told(event: Any) -> str:
    """An event by its name and its first fields; hashes of tokens are no text and stay out."""
    fields = [str(value) for value in event if isinstance(value, (str, tuple))][:3]
    return f"{type(event).__name__}({', '.join(field for field in fields if field)[:120]})"


def processes_using(file: Path | None) -> list[int]:
    """The user's processes that have the file open, by id; none for a server."""
    if file is None:
        return []
    wanted = str(file.resolve())
    return sorted(process.pid for process in psutil.process_iter() if wanted in _open_files(process))


def _open_files(process: psutil.Process) -> list[str]:
    try:
        return [one.path for one in process.open_files()]
    except (psutil.Error, OSError):  # it has ended, or is somebody else's
        return []
