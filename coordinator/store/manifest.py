"""What stands in a backup: which stores of which namespace, written when and by which version.

A backup is one SQLite file: the tables of a store, with the rows of all its stores, and this one. Checksums cover every
row, the manifest's too, and that none of them is missing.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from actors.runtime.newer_format import newer_format
from actors.runtime.table import checksum
from actors.runtime.view import damage
from actors.runtime.wire import pack

BACKUP_FORMAT: Final = 1
BACKUP_ADVICE: Final = "Take another backup: this one cannot be used"

metadata: Final = sa.MetaData()
backup_table: Final = sa.Table(
    "backup",
    metadata,
    sa.Column("format", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("namespace", sa.String(64), nullable=False),
    sa.Column("version", sa.String(64), nullable=False),
    sa.Column("written_utc_s", sa.Double, nullable=False),
    sa.Column("checksum", sa.LargeBinary, nullable=False),
)
content_table: Final = sa.Table(
    "backup_content",
    metadata,
    sa.Column("domain", sa.String(64), primary_key=True),
    sa.Column("store_key", sa.String(64), nullable=False),
    sa.Column("store_id", sa.String(64), nullable=False),
    sa.Column("epoch", sa.BigInteger, nullable=False),
    sa.Column("seq", sa.BigInteger, nullable=False),
    sa.Column("n_parts", sa.Integer, nullable=False),
    sa.Column("n_rows", sa.BigInteger, nullable=False),
)


@dataclass(frozen=True, slots=True)
class Content:
    """One store in a backup: under which key its rows stand, and up to which of them it goes."""

    domain: str
    store_key: str
    store_id: str
    epoch: int
    seq: int
    n_parts: int
    n_rows: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """All that a backup says of itself; `written_utc_s` in seconds since 1970."""

    namespace: str
    version: str
    written_utc_s: float
    stores: tuple[Content, ...]

    @property
    def checksum(self) -> bytes:
        """16 bytes over all of it."""
        rows = [list(astuple(one)) for one in self.stores]
        return checksum("backup", pack([BACKUP_FORMAT, self.namespace, self.version, self.written_utc_s, rows]))


def write_manifest(connection: Connection, manifest: Manifest) -> None:
    """Into a new file, after all else."""
    metadata.create_all(connection)
    head = {"namespace": manifest.namespace, "version": manifest.version, "written_utc_s": manifest.written_utc_s}
    connection.execute(sa.insert(backup_table).values(format=BACKUP_FORMAT, **head, checksum=manifest.checksum))
    for one in manifest.stores:
        connection.execute(sa.insert(content_table).values(**_columns(one)))


def _columns(content: Content) -> dict[str, object]:
    return dict(zip(content_table.columns.keys(), astuple(content), strict=True))


def read_manifest(connection: Connection, where: str) -> Manifest | None:
    """What the file says of itself; None for a database that is no backup.

    Raises `Corrupt` if it is not what was written, and `NewerFormat` for a backup of a newer version.
    """
    if not sa.inspect(connection).has_table(backup_table.name):
        return None
    row = connection.execute(sa.select(backup_table)).one_or_none()
    if row is None:
        raise damage(where, "its manifest is missing", BACKUP_ADVICE)
    if row.format != BACKUP_FORMAT:
        raise newer_format(f"the backup {where}", row.format, BACKUP_FORMAT)
    manifest = Manifest(row.namespace, row.version, row.written_utc_s, _stores(connection))
    if manifest.checksum != row.checksum:
        raise damage(where, "its manifest is damaged", BACKUP_ADVICE)
    return manifest


def _stores(connection: Connection) -> tuple[Content, ...]:
    rows = connection.execute(sa.select(content_table).order_by(content_table.c.domain)).all()
    return tuple(Content(*row) for row in rows)
