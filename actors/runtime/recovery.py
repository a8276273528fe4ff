"""From a store to a state: the latest snapshot, then the journal after it."""

from __future__ import annotations

from typing import Any, NamedTuple

from actors.runtime.errors import Corrupt
from actors.runtime.kernel import Kernel
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

    Raises `Corrupt` for a damaged or missing row, and for what this version cannot apply: the kernel is not to be used
    then. Raises `CommitFailed` if the store does not answer.
    """
    with store.view() as view:
        head = view.head()
        if head is None:
            raise Corrupt(f"the store {store.where} is empty: there is nothing to recover")
        snapshot_seq = _restore(kernel, store, view)
        n_events = 0
        for seq, payload in view.rows(snapshot_seq, head.seq):
            n_events += _replay(kernel, store, seq, view.unpacked(payload, f"row {seq}"))
    return Recovered(head, snapshot_seq, n_events)


def _restore(kernel: Kernel, store: Store, view: View) -> int:
    seq, parts = view.snapshot_parts()
    try:
        kernel.restore(parts)
    except Corrupt:
        raise
    except Exception as error:  # whatever a machine makes of a part that it does not know
        raise _not_ours(store, f"the snapshot at row {seq}", error) from error
    return seq


def _replay(kernel: Kernel, store: Store, seq: int, row: Any) -> int:
    code = None
    try:
        _field_s, _utc_s, events = row
        for code, fields in events:
            kernel.evolve(code, fields)
    except Exception as error:  # whatever a machine makes of a fact that it does not know
        raise _not_ours(store, f"row {seq}", error, f" (event {code})") from error
    return len(events)


def _not_ours(store: Store, what: str, error: Exception, event: str = "") -> Corrupt:
    return Corrupt(
        f"{what} of the store {store.where}{event} cannot be applied by this version ({error!r}). Nothing was changed: "
        "use the version that wrote it, or look with `scentfield doctor --store`"
    )
