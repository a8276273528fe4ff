"""Whose store this is: decided by whoever creates the actor, once, and never by an actor that restarts.

A restart raises the epoch of its own store and fences its earlier self. Without a word on who may do so, two
coordinators over one store would fence each other for ever. So the creator writes down an owner; an actor that finds
another one there stands back.
"""

from __future__ import annotations

import sqlalchemy as sa

from actors.runtime.errors import Corrupt
from actors.runtime.journal import create_store, wrong_store
from actors.runtime.store import CommitFailed, Store
from actors.runtime.table import owner_table


class NotTheOwner(CommitFailed):
    """Another coordinator has taken the store over; this one serves nothing until that is undone."""


def adopt(store: Store, *, owner: str, new_store_id: str, recorded_store_id: str | None) -> str:
    """Make `owner` the only one who may write; returns the store's identity.

    Creates a store that was never there. Raises `Corrupt`, and changes nothing, for a store that is another than the
    cluster has on record, or that is gone.
    """
    head = store.head()
    if recorded_store_id is not None and (head is None or head.store_id != recorded_store_id):
        raise wrong_store(store, recorded_store_id, head)
    if head is None:
        create_store(store, new_store_id)
    with store.writing(alone=True) as connection:
        connection.execute(sa.delete(owner_table).where(owner_table.c.domain == store.domain))
        connection.execute(sa.insert(owner_table).values(domain=store.domain, owner=owner))
    found = store.head()
    if found is None:
        raise Corrupt(f"the store {store.where} lost its head while it was opened: try `scentfield doctor --store`")
    return found.store_id


def check_owner(store: Store, owner: str | None) -> None:
    """Raise `NotTheOwner` unless `owner` may write; None asks nothing, for stores that nobody has adopted."""
    if owner is None:
        return
    with store.translated(), store.engine.connect() as connection:
        found = connection.execute(
            sa.select(owner_table.c.owner).where(owner_table.c.domain == store.domain)
        ).scalar_one_or_none()
    if found != owner:
        raise NotTheOwner(
            f"the store {store.where} was taken over by another coordinator: this one serves nothing. Stop one of them "
            "with `scentfield down`, or give them different namespaces or data folders"
        )
