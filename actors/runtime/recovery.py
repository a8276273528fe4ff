"""From a store to a state: the latest snapshot, then the journal after it; what older versions wrote is read, too."""

from __future__ import annotations

from typing import Any, NamedTuple

from actors.runtime.errors import Corrupt
from actors.runtime.kernel import Kernel
from actors.runtime.newer_format import NewerFormat
from actors.runtime.state_format import StateFormat, state_format_of
from actors.runtime.store import Store
from actors.runtime.table import Head
from actors.runtime.view import View


class Recovered(NamedTuple):
    """How far a recovery went: the head it read up to, the snapshot's row, and the events replayed after it."""

    head: Head
    snapshot_seq: int
    n_events: int


def recover_into(kernel: Kernel, store: Store) -> Recovered:
    """Fill an empty kernel with all that a store holds, as of one moment.

    Raises `Corrupt` for a damaged or missing row, and for what this version cannot apply (`NewerFormat` where a newer
    one has written it): the kernel is not to be used then. Raises `CommitFailed` if the store does not answer.
    """
    with store.view() as view:
        head = view.head()
        if head is None:
            raise Corrupt(f"the store {store.where} is empty: there is nothing to recover")
        snapshot_seq, n_events = replay_into(kernel, view, store.where, through=head.seq)
    return Recovered(head, snapshot_seq, n_events)


def replay_into(kernel: Kernel, view: View, where: str, *, through: int) -> tuple[int, int]:
    """Fill an empty kernel from the snapshot and the rows up to one; returns (the snapshot's row, events after it).

    Raises as `recover_into` does.
    """
    form = state_format_of(kernel.machine)
    snapshot_seq = restore_snapshot(kernel, view, where, form)
    n_events = 0
    for seq, payload in view.rows(snapshot_seq, through):
        n_events += replay_row(kernel, form, f"row {seq} of the store {where}", view.unpacked(payload, f"row {seq}"))
    return snapshot_seq, n_events


def restore_snapshot(kernel: Kernel, view: View, where: str, form: StateFormat) -> int:
    """Fill an empty kernel from the snapshot; returns the row that it reaches to. Raises as `recover_into` does."""
    seq, parts = view.snapshot_parts()
    what = f"the snapshot at row {seq} of the store {where}"
    try:
        kernel.restore(form.upgraded(parts, what))
    except Corrupt:
        raise
    except Exception as error:  # whatever a machine makes of a part that it does not know
        raise _not_ours(what, error) from error
    return seq


def replay_row(kernel: Kernel, form: StateFormat, what: str, row: Any) -> int:
    """Apply one row's events; returns how many. Raises as `recover_into` does, and may have applied some then."""
    code = None
    try:
        _field_s, _utc_s, events = row
        for found, found_fields in events:
            code, fields = form.present(found, found_fields)
            kernel.evolve(code, fields)
    except Exception as error:  # whatever a machine makes of a fact that it does not know
        if isinstance(code, int) and code not in kernel.events.kinds:
            raise NewerFormat(
                f"{what} holds an event {code}, which this version does not know: use the version that wrote it. "
                "Nothing was changed"
            ) from error
        raise _not_ours(what, error, f" (event {code})") from error
    return len(events)


def _not_ours(what: str, error: Exception, event: str = "") -> Corrupt:
    return Corrupt(
        f"{what}{event} cannot be applied by this version ({error!r}). Nothing was changed: "
        "use the version that wrote it, or look with `scentfield doctor --store`"
    )
