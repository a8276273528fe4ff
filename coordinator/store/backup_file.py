"""Reading backups: what is in one, and whether all of it can be used."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa

from actors.runtime.errors import Corrupt, Misuse, ScentfieldError
from actors.runtime.kernel import Kernel
from actors.runtime.recovery import recover_into
from actors.runtime.store import Store, sqlite_url
from actors.runtime.view import damage
from coordinator.store.manifest import BACKUP_ADVICE, Content, Manifest, read_manifest
from coordinator.store.place import MakeMachine

_SQLITE: bytes = b"SQLite format 3\0"


class Backup:
    """A backup's file and its manifest; nothing is changed by looking.

    Raises `Misuse` for a file that is not there or is no backup, `Corrupt` for one whose manifest is not what was
    written, `NewerFormat` for one of a newer version.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.manifest = self._read()

    def _read(self) -> Manifest:
        if not self.file.is_file():
            raise Misuse(f"there is no file {self.file}: name one that `scentfield backup` wrote")
        with self.file.open("rb") as opened:
            is_database = opened.read(len(_SQLITE)) == _SQLITE
        manifest = self._read_manifest() if is_database else None
        if manifest is None:
            raise Misuse(f"{self.file} is no backup: name a file that `scentfield backup` wrote")
        return manifest

    def _read_manifest(self) -> Manifest | None:
        with closing(self.store("backup")) as store, store.translated(), store.engine.connect() as connection:
            _check_pages(connection, str(self.file))
            return read_manifest(connection, str(self.file))

    def store(self, key: str) -> Store:
        """The rows under one key of it, for reading."""
        store = Store(sqlite_url(self.file), key)
        store.advice = BACKUP_ADVICE
        return store

    def check(self, machines: Mapping[str, MakeMachine]) -> None:
        """Read every row of every store and replay it into an empty machine of its domain, by domain in `machines`.

        Raises `Corrupt` for what is not as it was written or cannot be applied, and `Misuse` for a domain that this
        version does not have.
        """
        for content in self.manifest.stores:
            if content.domain not in machines:
                raise Misuse(
                    f"{self.file} has the store of {content.domain!r}, which this version does not know: use version "
                    f"{self.manifest.version}, which wrote it"
                )
            self._check_one(content, Kernel(machines[content.domain]()))

    def _check_one(self, content: Content, kernel: Kernel) -> None:
        with closing(self.store(content.store_key)) as store:
            try:
                head = recover_into(kernel, store).head
                kernel.check_invariants()
            except Corrupt:
                raise
            except ScentfieldError as error:  # an index that does not follow from the state
                raise damage(store.where, error.message, BACKUP_ADVICE) from error
            if (head.store_id, head.epoch, head.seq) != (content.store_id, content.epoch, content.seq):
                raise damage(store.where, "its head is not the one in the manifest", BACKUP_ADVICE)


def _check_pages(connection: sa.Connection, where: str) -> None:
    found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
    if found != "ok":
        raise damage(where, str(found), BACKUP_ADVICE)
