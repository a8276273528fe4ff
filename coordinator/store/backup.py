"""Writing backups: all stores of a namespace in one file that can be restored on its own, here or elsewhere.

A backup is taken without the actors and while they work. Each store is copied as of one moment; those who receive notes
from others are copied first, so that no store knows less than another believes. The file is read back, replayed into
empty machines and synced before it gets its name, so what has the name is whole.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy.engine import Connection

from actors.runtime.errors import Misuse
from actors.runtime.machine import outbox_of
from actors.runtime.store import CommitFailed, Store, sqlite_url
from actors.runtime.table import metadata
from coordinator.store.backup_file import Backup
from coordinator.store.copying import copy_store
from coordinator.store.manifest import Content, Manifest, write_manifest
from coordinator.store.place import StorePlace

_CHUNK_BYTES: Final = 2**20


@dataclass(frozen=True, slots=True)
class BackupReport:
    """What was written: the file, its size and SHA-256, and which domains had no store yet."""

    file: Path
    n_bytes: int
    sha256: str
    manifest: Manifest
    empty: tuple[str, ...]


def write_backup(
    path: Path, places: Sequence[StorePlace], *, namespace: str, version: str, now_utc_s: float, replace: bool = False
) -> BackupReport:
    """Back the stores up into `path`, readable by this user only.

    Raises `Misuse` if there is such a file and it is not to be replaced, or if there is no store at all; `Corrupt` for
    a store that is damaged, `CommitFailed` for one that does not answer or a file that cannot be written. Whatever it
    raises, `path` is as it was.
    """
    with _unnamed(path, replace=replace) as temporary:
        contents = _copy_all(temporary, places)
        manifest = Manifest(namespace, version, now_utc_s, tuple(sorted(contents, key=lambda one: one.domain)))
        with closing(Store(sqlite_url(temporary), "backup")) as store, store.writing() as connection:
            write_manifest(connection, manifest)
        Backup(temporary).check({one.domain: one.make_machine for one in places})
        digest, n_bytes = sha256_of(temporary), temporary.stat().st_size
        _give_name(temporary, path, replace=replace)
    there = {one.domain for one in contents}
    return BackupReport(path, n_bytes, digest, manifest, tuple(one.domain for one in places if one.domain not in there))


@contextmanager
def _unnamed(path: Path, *, replace: bool) -> Iterator[Path]:
    """A new file beside `path`, gone afterwards if it was not given its name."""
    if path.exists() and not replace:
        raise _is_there(path)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        yield temporary
    except OSError as error:
        raise CommitFailed(f"the backup {path} cannot be written ({error}): nothing was done") from error
    finally:
        for one in (temporary, temporary.with_name(f"{temporary.name}-journal")):
            one.unlink(missing_ok=True)


def _copy_all(file: Path, places: Sequence[StorePlace]) -> list[Content]:
    """All stores that are there, those without an outbox first: what they have received, nobody may forget to send."""
    contents = []
    with closing(Store(sqlite_url(file), "backup")) as into, into.writing() as connection:
        metadata.create_all(connection)
        for place in sorted(places, key=lambda one: outbox_of(one.make_machine()) is not None):
            if place.store.head() is not None:
                contents.append(_copy_one(place, connection))
    if not contents:
        raise Misuse(f"there is nothing to back up: nobody has written to {', '.join(p.store.where for p in places)}")
    return contents


def _copy_one(place: StorePlace, into: Connection) -> Content:
    key = place.store.domain
    with place.store.view() as view:
        head = view.head()
        if head is None:
            raise CommitFailed(f"the store {place.store.where} went away while it was copied: nothing was done")
        copied = copy_store(view, into, key, source=head, head=head)
    return Content(place.domain, key, head.store_id, head.epoch, head.seq, copied.n_parts, copied.n_rows)


def _give_name(temporary: Path, path: Path, *, replace: bool) -> None:
    """On the disk before and after; of two at once under one name the second is refused."""
    sync(temporary)
    if replace:
        temporary.replace(path)
    else:
        _name_anew(temporary, path)
    sync(path.parent)


def _name_anew(temporary: Path, path: Path) -> None:
    try:
        path.hardlink_to(temporary)
    except FileExistsError as error:
        raise _is_there(path) from error
    except OSError:  # a file system without links, such as a memory stick's
        if path.exists():
            raise _is_there(path) from None
        temporary.rename(path)


def _is_there(path: Path) -> Misuse:
    return Misuse(f"{path} is there already: give another name, or --replace")


def sync(path: Path) -> None:
    """Have a file's content, or a folder's names, survive a loss of power."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()
