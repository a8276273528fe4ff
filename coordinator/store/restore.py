"""Restoring backups: everything is checked before anything is written, and what is replaced is kept.

A restored store has the identity that it had and an epoch above all others, so that a writer of before cannot go on. It
has no owner: the next `up` becomes that. On a server all stores change in one transaction; of files each is exchanged
in one step, and a restore that is broken off is repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from actors.runtime.errors import Corrupt, Misuse, ScentfieldError
from actors.runtime.store import CommitFailed, Store, sqlite_url
from actors.runtime.table import (
    Head,
    head_table,
    journal_table,
    metadata,
    owner_table,
    snapshot_head_table,
    snapshot_table,
)
from coordinator.folder import private_folder
from coordinator.store.backup import sync
from coordinator.store.backup_file import Backup
from coordinator.store.copying import copy_store
from coordinator.store.manifest import Content
from coordinator.store.place import StorePlace

_BATCH_ROWS: Final = 500
_BESIDE: Final = ("-wal", "-shm", "-journal")
_ROW_TABLES: Final = (journal_table, snapshot_table, snapshot_head_table, head_table)


@dataclass(frozen=True, slots=True)
class Restored:
    """What was done: the identity of each domain's store now (None: it has none), and where the replaced ones are."""

    store_ids: dict[str, str | None]
    kept: Path | None


@dataclass(frozen=True, slots=True)
class Found:
    """What is at a place before: nothing, a store with its head, or something that cannot be read."""

    is_empty: bool
    epoch: int
    is_sound: bool


def look_at(place: StorePlace) -> Found:
    """What is there. Raises `CommitFailed` if that cannot be known."""
    try:
        head = place.store.head()
    except Corrupt:
        return Found(is_empty=False, epoch=_epoch_of(place.store), is_sound=False)
    return Found(is_empty=head is None, epoch=0 if head is None else head.epoch, is_sound=True)


def _epoch_of(store: Store) -> int:
    """The epoch of a store that is damaged, as far as it can be told."""
    with suppress(ScentfieldError), store.view() as view:
        head = view.head_as_found()
        return 0 if head is None else head.epoch
    return 0


@dataclass(frozen=True, slots=True)
class _Job:
    """What goes where: a backup's contents and what was found, both by domain, and where the replaced ones go."""

    backup: Backup
    places: Sequence[StorePlace]
    contents: dict[str, Content]
    found: dict[str, Found]
    kept: Path | None

    def epoch_above(self, place: StorePlace) -> int:
        """Above what any writer of this place, or of the backup's, can have."""
        content = self.contents.get(place.domain)
        return max(self.found[place.domain].epoch, 0 if content is None else content.epoch) + 1


def restore(backup: Backup, places: Sequence[StorePlace], *, aside: Path, may_replace: bool) -> Restored:
    """Put a backup's stores at `places`, which are all domains'; those that the backup does not have are emptied.

    Nobody may be using them. What is replaced goes to `aside`, a folder that is not there yet. Raises `Corrupt` for a
    backup that cannot be used and `Misuse` for places that are not empty, unless they may be replaced; then nothing
    was changed.
    """
    backup.check({place.domain: place.make_machine for place in places})
    found = {place.domain: look_at(place) for place in places}
    taken = [place for place in places if not found[place.domain].is_empty]
    if taken and not may_replace:
        named = ", ".join(place.store.where for place in taken)
        raise Misuse(f"there are stores already ({named}): --replace puts them aside, or name another data folder")
    contents = {one.domain: one for one in backup.manifest.stores}
    job = _Job(backup, places, contents, found, private_folder(aside) if taken else None)
    (_restore_on_server if places[0].store.file is None else _restore_files)(job)
    ids = {place.domain: contents[place.domain].store_id if place.domain in contents else None for place in places}
    return Restored(ids, job.kept)


def _copy(job: _Job, place: StorePlace, into: Connection) -> None:
    content = job.contents[place.domain]
    with closing(job.backup.store(content.store_key)) as store, store.view() as view:
        source = view.head()
        if source is None:
            raise view.damage("its head is missing")
        copy_store(view, into, place.store.domain, source=source, head=replace(source, epoch=job.epoch_above(place)))


# Files


def _restore_files(job: _Job) -> None:
    files = {place.domain: place.store.file for place in job.places if place.store.file is not None}
    folder = private_folder(next(iter(files.values())).parent)
    try:
        with TemporaryDirectory(prefix=".restore-", dir=folder) as temporary:
            made = {name: Path(temporary) / files[name].name for name in job.contents}
            for place in job.places:
                if place.domain in made:
                    _make_file(job, place, made[place.domain])
            for place in job.places:
                _put_aside(job, place)
            for name, file in made.items():
                file.replace(files[name])
            sync(folder)
    except OSError as error:
        raise CommitFailed(f"{job.backup.file} is not restored ({error}): repeat it when that is mended") from error


def _make_file(job: _Job, place: StorePlace, file: Path) -> None:
    """The whole store, in another place."""
    file.touch(mode=0o600)
    with closing(Store(sqlite_url(file), place.store.domain)) as store:
        with store.writing() as connection:
            metadata.create_all(connection)
            _copy(job, place, connection)
        with store.translated(), store.engine.connect() as connection:
            connection.connection.cursor().execute("PRAGMA journal_mode=WAL")
    sync(file)


def _put_aside(job: _Job, place: StorePlace) -> None:
    """Keep what is there under another name too; it stays in its place until the new one takes that."""
    file, found = place.store.file, job.found[place.domain]
    if job.kept is None or file is None or found.is_empty:
        return
    if found.is_sound:
        _fence(place.store, job.epoch_above(place))
    place.store.close()
    job.kept.joinpath(file.name).hardlink_to(file)
    for beside in (file.with_name(file.name + end) for end in _BESIDE):
        if beside.exists():  # of a file that could not be opened; a new store must not meet the log of another
            beside.rename(job.kept / beside.name)
    if place.domain not in job.contents:
        file.unlink()
    sync(job.kept)


def _fence(store: Store, epoch: int) -> None:
    """Let no writer of before go on in a file that has lost its name; empties its log, too."""
    with store.writing() as connection:
        head = connection.execute(sa.select(head_table).where(head_table.c.domain == store.domain)).one()
        fenced = Head(head.store_id, epoch, head.seq, head.field_s, head.utc_s)
        connection.execute(
            sa.update(head_table).where(head_table.c.domain == store.domain).values(**fenced.columns(store.domain))
        )


# A server


def _restore_on_server(job: _Job) -> None:
    store = job.places[0].store
    with store.writing(alone=True) as connection:
        metadata.create_all(connection)
        keys = [place.store.domain for place in job.places]
        connection.execute(sa.select(head_table.c.seq).where(head_table.c.domain.in_(keys)).with_for_update()).all()
        if {place.domain: look_at(place) for place in job.places} != job.found:
            raise CommitFailed(f"{store.where} has been opened since: nothing was done, stop who uses it")
        _keep_rows(job, connection)
        for place in job.places:
            for table in (*_ROW_TABLES, owner_table):
                connection.execute(sa.delete(table).where(table.c.domain == place.store.domain))
            if place.domain in job.contents:
                _copy(job, place, connection)


def _keep_rows(job: _Job, connection: Connection) -> None:
    """What is replaced, as SQLite files that a data folder could have; damaged rows as they are."""
    for place in job.places:
        if job.kept is None or job.found[place.domain].is_empty:
            continue
        file = job.kept / f"{place.domain}.sqlite3"
        file.touch(mode=0o600)
        with closing(Store(sqlite_url(file), place.store.domain)) as store, store.writing() as kept:
            metadata.create_all(kept)
            for table in _ROW_TABLES:
                rows = connection.execute(sa.select(table).where(table.c.domain == place.store.domain))
                for batch in rows.mappings().partitions(_BATCH_ROWS):
                    kept.execute(sa.insert(table), [dict(row) for row in batch])
        sync(file)
