"""The stores of a namespace, as the commands that look at them without their actors need them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING

from actors.runtime.actor import ActorConfig
from actors.runtime.errors import Unavailable
from actors.runtime.store import Store
from coordinator.domain import DOMAINS, machine_options
from coordinator.store.place import StorePlace

if TYPE_CHECKING:
    from coordinator.cli.invocation import Invocation
    from coordinator.settings import Settings


@contextmanager
def open_places(settings: Settings, *, url: str | None = None) -> Iterator[list[StorePlace]]:
    """All domains' stores, where the settings say or in one database at `url`; closed on leaving."""
    with ExitStack() as opened:
        places = []
        for name, domain in DOMAINS.items():
            store = Store(settings.store_url_of(name) if url is None else url, settings.store_key_of(name))
            opened.enter_context(closing(store))
            config = ActorConfig(name, domain.machine, store.url, machine_options(name, settings))
            places.append(StorePlace(name, store, config.make_machine))
        yield places


def actors_of(call: Invocation) -> list[str]:
    """The actors of this namespace; none without a cluster, or with one that does not answer."""
    if call.house.address(call.settings) is None:
        return []
    try:
        return call.house.actor_names(call.settings)
    except Unavailable:  # the cluster is gone, and its actors with it
        return []
