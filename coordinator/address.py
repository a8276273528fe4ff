"""Which Ray cluster to use. Reads the state folder only, asks nobody, and imports no Ray: that takes seconds."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from actors.runtime.errors import Unavailable
from coordinator.head import recorded_head

if TYPE_CHECKING:
    from coordinator.settings import Settings


def address_of(settings: Settings) -> str | None:
    """The cluster to use: named, or the head that `up` started for this state folder; None if there is none."""
    named = settings.address or os.environ.get("RAY_ADDRESS")
    if named:
        return named
    head = recorded_head(settings.state_dir)
    return None if head is None else head.address


def known_address(settings: Settings) -> str:
    """The same. Raises `Unavailable`, which says what to do, if there is none."""
    address = address_of(settings)
    if address is None:
        raise Unavailable(
            f"no coordinator is known for namespace {settings.namespace!r} "
            f"(no address, no RAY_ADDRESS, no head in {settings.state_dir}): start it with `scentfield up`"
        )
    return address
