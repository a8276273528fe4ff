"""Who has a store open: whoever would change it from outside has to wait until they are gone."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import psutil

from actors.runtime.errors import Misuse, Unavailable
from actors.runtime.store import Store


def refuse_if_in_use(store: Store, domain: str, actors: list[str]) -> None:
    """Raise `Misuse` while somebody may write the store: they would be fenced off, and those they answered not know.

    `actors` are the state actors that the cluster has.
    """
    users = occupants(store)
    if users:
        raise Misuse(f"{store.where} is in use by {', '.join(users)}: stop it first, with `scentfield down`")
    if domain in actors:
        raise Misuse(f"the actor {domain} that owns {store.where} is alive: stop it first, with `scentfield down`")


def occupants(store: Store) -> list[str]:
    """The user's processes that have the file open, or the writers that a server knows; none if it does not answer."""
    if store.file is not None:
        return [f"process {pid}" for pid in processes_using(store.file)]
    with suppress(Unavailable):
        return store.writers()
    return []


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
