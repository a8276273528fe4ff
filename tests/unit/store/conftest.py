"""Stores with something in them, written by the real machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from actors.coordination.factory import make_coordination
from actors.coordination.messages import SCHEMA
from actors.quality_store.factory import make_quality_store
from actors.runtime.compaction import compact
from actors.runtime.journal import Journal
from actors.runtime.kernel import Kernel
from actors.runtime.machine import Now
from actors.runtime.recovery import recover_into
from actors.runtime.store import Store, sqlite_url
from actors.runtime.wire import pack, unpack
from actors.scent_field.messages import Claim
from actors.sessions.messages import Register
from coordinator.store.place import StorePlace

FIELD, QUALITY = "scent_field", "quality_store"
TOKEN = "a-token-that-nobody-may-see"
FILLED: dict[Any, bytes] = {}  # each commit is synced, which takes long; a file is made once
MACHINES: dict[str, Callable[[], Any]] = {FIELD: make_coordination, QUALITY: make_quality_store}


def claim(path: str, number: int) -> tuple[str, Any, int]:
    return "ada#1", Claim("home", (path,), "exclusive", 0.0, "é"), number


class Desk:
    """One data folder of a namespace, or one database: `places()` are its stores."""

    def __init__(self, folder: Path, namespace: str = "ns", url: str | None = None) -> None:
        self.folder, self.namespace, self.url = folder, namespace, url
        self.opened: list[Any] = []

    def store(self, domain: str = FIELD) -> Store:
        url = self.url or sqlite_url(self.folder / f"{domain}.sqlite3")
        self.opened.append(Store(url, f"{self.namespace}.{domain}"))
        store: Store = self.opened[-1]
        return store

    def places(self) -> list[StorePlace]:
        return [StorePlace(domain, self.store(domain), MACHINES[domain]) for domain in MACHINES]

    def journal(self, domain: str = FIELD, store_id: str = "") -> Journal:
        self.opened.append(Journal.open(self.store(domain), new_store_id=store_id or f"id-{domain}"))
        journal: Journal = self.opened[-1]
        return journal

    def fill(self, *paths: str, fold_at: int = 0) -> Desk:
        """A field in which ada has claimed these paths, one row each, folded after the first `fold_at` rows."""
        file, made = self.folder / f"{FIELD}.sqlite3", (self.namespace, paths, fold_at)
        if made not in FILLED:
            self._fill(paths, fold_at)
            FILLED[made] = file.read_bytes()
        file.touch(mode=0o600)
        file.write_bytes(FILLED[made])
        return self

    def _fill(self, paths: tuple[str, ...], fold_at: int) -> None:
        kernel = Kernel(make_coordination())
        with closing(self.journal()) as journal:
            register = ("", Register("ada", TOKEN, "", "heartbeat", 30.0), 0)
            for session_id, command, number in [register, *(claim(path, n + 1) for n, path in enumerate(paths))]:
                wire = pack([session_id, TOKEN, number, max(0, number - 1), [], [SCHEMA.wire_of(command)]])
                turn = kernel.turn([(number, unpack(wire))], Now(1.0 + number, 100.0 + number))
                events = kernel.events.pack_form(turn.events)
                journal.append(pack([1.0 + number, 100.0 + number, events]), Now(1.0 + number, 100.0 + number))
                if journal.seq == fold_at:
                    compact(journal.store, Kernel(make_coordination()), run="fold")

    def fill_quality(self) -> Desk:
        with closing(self.journal(QUALITY)) as journal:
            journal.append(pack([1.0, 100.0, []]), Now(1.0, 100.0))
        return self

    def state(self, domain: str = FIELD) -> list[Any]:
        """What a replay gives."""
        kernel = Kernel(MACHINES[domain]())
        recover_into(kernel, self.store(domain))
        kernel.check_invariants()
        return list(kernel.snapshot())

    def close(self) -> None:
        while self.opened:
            self.opened.pop().close()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    """`desk("a")` is a data folder of that name, nothing in it yet; `url=` a database instead."""
    made: list[Desk] = []

    def make(name: str, **rest: Any) -> Desk:
        (tmp_path / name).mkdir(mode=0o700)
        made.append(Desk(tmp_path / name, **rest))
        return made[-1]

    yield make
    for one in made:
        one.close()
