"""Looks into a store without its actor, and says where it can be cut if it is damaged.

Looking changes nothing. A cut drops the first damaged row and everything after it: what was acknowledged since is lost,
so only a person decides it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from actors.runtime.errors import Corrupt, ScentfieldError
from actors.runtime.kernel import Kernel
from actors.runtime.machine import Machine
from actors.runtime.newer_format import NewerFormat
from actors.runtime.recovery import recover_into, replay_into, replay_row, restore_snapshot
from actors.runtime.state_format import state_format_of
from actors.runtime.store import Store
from actors.runtime.table import Head
from actors.runtime.view import View
from actors.runtime.wire import pack

MAX_LISTED: Final = 20
MakeMachine = Callable[[], Machine]


@dataclass(frozen=True, slots=True)
class StoreReport:
    """What was found in the store of one domain.

    `state` is `sound`, `empty` (nobody has written to it yet), `damaged`, `newer` (a newer version wrote it) or
    `unavailable`. `state_sha256` is over all that a replay gives: two stores that say the same have the same. `cut_at`
    is the last row that can be kept where cutting helps, and `lost` says what would be lost, row by row;
    `needs_head` is set where the head is made anew with it.
    """

    domain: str
    where: str
    state: str
    what: str
    n_rows: int = 0
    snapshot_seq: int = 0
    last_seq: int = 0
    n_events: int = 0
    state_sha256: str = ""
    cut_at: int | None = None
    lost: tuple[str, ...] = ()
    needs_head: bool = False

    @property
    def n_lost(self) -> int:
        """How many rows a cut would drop."""
        return 0 if self.cut_at is None else self.last_seq - self.cut_at


def inspect_store(domain: str, store: Store, make_machine: MakeMachine) -> StoreReport:
    """Read all of a store, apply it to an empty machine, and re-derive every index. Never raises for it."""
    try:
        return _inspected(domain, store, make_machine)
    except NewerFormat as error:
        return StoreReport(domain, store.where, "newer", error.message)
    except Corrupt as error:
        return StoreReport(domain, store.where, "damaged", error.message)
    except ScentfieldError as error:
        return StoreReport(domain, store.where, "unavailable", error.message)


def _inspected(domain: str, store: Store, make_machine: MakeMachine) -> StoreReport:
    try:
        if store.head() is None:
            return StoreReport(domain, store.where, "empty", "nobody has written to it yet")
        _check_pages(store)
        return _recovered(domain, store, make_machine)
    except NewerFormat:
        raise
    except ScentfieldError as error:
        if error.code == "unavailable":
            raise
        return _damaged(domain, store, make_machine, error)


def _check_pages(store: Store) -> None:
    """Let SQLite look at its own structures, which no checksum of ours covers."""
    if store.file is not None:
        with store.translated(), store.engine.connect() as connection:
            fault = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
        if fault != "ok":
            raise store.damage(str(fault))


def _recovered(domain: str, store: Store, make_machine: MakeMachine) -> StoreReport:
    kernel = Kernel(make_machine())
    recovered = recover_into(kernel, store)
    kernel.check_invariants()
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
        state_sha256=state_sha256(kernel),
    )


def state_sha256(kernel: Kernel) -> str:
    """The SHA-256 over a state, in hexadecimal."""
    digest = hashlib.sha256()
    for part in kernel.snapshot():
        digest.update(pack(part))
    return digest.hexdigest()


def compared(report: StoreReport, account: Mapping[str, Any], head: Head | None) -> StoreReport:
    """The report, or a damaged one if the live actor, by its account of itself, stands elsewhere than its store.

    `head` was read after the account was given: the actor may have committed since, and never less than it says.
    """
    if report.state != "sound" or head is None:
        return report
    for what, mine in (("store_id", head.store_id), ("epoch", head.epoch)):
        said = account.get(what, mine)
        if said != mine:
            return _differs(report, f"its actor has {what} {said!r}, the store {mine!r}")
    if (account.get("seq") or 0) > head.seq:
        return _differs(report, f"its actor has committed row {account['seq']}, the store ends at {head.seq}")
    return report


def _differs(report: StoreReport, what: str) -> StoreReport:
    advice = "the actor writes somewhere else. Stop it with `scentfield down`, and look which store is the right one"
    return replace(report, state="damaged", what=f"{report.where}: {what}: {advice}")


# Where to cut


def _damaged(domain: str, store: Store, make_machine: MakeMachine, error: ScentfieldError) -> StoreReport:
    """Find where it can be cut: after the last good row before the damage, if the rest can be applied."""
    report = StoreReport(domain, store.where, "damaged", error.message)
    try:
        with store.view() as view:
            return _cuttable(report, view, make_machine)
    except ScentfieldError:  # too little of it can be read
        return report


def _cuttable(report: StoreReport, view: View, make_machine: MakeMachine) -> StoreReport:
    head = _sound_head(view)
    snapshot_seq, last_row = view.snapshot_seq(), view.last_row()
    last = max(last_row, snapshot_seq) if head is None else max(head.seq, last_row)
    report = replace(report, n_rows=last - snapshot_seq, snapshot_seq=snapshot_seq, last_seq=last)
    good = _last_good(view, make_machine, report.where, last)
    if good is None or (head is not None and good == head.seq == last) or (good == 0 and not view.has_row(1)):
        return report  # nothing to mend, or the state that the first rows went into is gone
    lost = tuple(_told_rows(view, make_machine, good, last))
    return replace(report, cut_at=good, lost=lost, needs_head=head is None)


def _sound_head(view: View) -> Head | None:
    try:
        return view.head()
    except Corrupt:
        return None


def _last_good(view: View, make_machine: MakeMachine, where: str, last: int) -> int | None:
    """The last row up to which everything can be applied, and makes a sound state; None if there is none."""
    kernel = Kernel(make_machine())
    try:
        good = restore_snapshot(kernel, view, where, state_format_of(kernel.machine))
    except ScentfieldError:
        return None
    try:
        for seq, payload in view.rows(good, last):
            row = view.unpacked(payload, f"row {seq}")
            replay_row(kernel, state_format_of(kernel.machine), f"row {seq}", row)
            good = seq
    except ScentfieldError:
        pass
    return good if _applies(make_machine, view, where, good) else None


def _applies(make_machine: MakeMachine, view: View, where: str, through: int) -> bool:
    """Whether the snapshot and the rows up to there make a sound state."""
    kernel = Kernel(make_machine())
    try:
        replay_into(kernel, view, where, through=through)
        kernel.check_invariants()
    except ScentfieldError:
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
