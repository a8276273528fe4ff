"""The rows of a store: which tables there are, and what their checksums cover."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from actors.runtime.wire import pack

FORMAT: Final = 1

metadata: Final = sa.MetaData()
_BLOB: Final = sa.LargeBinary
head_table: Final = sa.Table(
    "head",
    metadata,
    sa.Column("domain", sa.String(64), primary_key=True),
    sa.Column("store_id", sa.String(64), nullable=False),
    sa.Column("format", sa.Integer, nullable=False),
    sa.Column("epoch", sa.BigInteger, nullable=False),
    sa.Column("seq", sa.BigInteger, nullable=False),
    sa.Column("field_s", sa.Double, nullable=False),
    sa.Column("utc_s", sa.Double, nullable=False),
    sa.Column("checksum", _BLOB, nullable=False),
)
journal_table: Final = sa.Table(
    "journal",
    metadata,
    sa.Column("domain", sa.String(64), primary_key=True),
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("payload", _BLOB, nullable=False),
    sa.Column("checksum", _BLOB, nullable=False),
)
snapshot_table: Final = sa.Table(
    "snapshot",
    metadata,
    sa.Column("domain", sa.String(64), primary_key=True),
    sa.Column("run", sa.String(64), primary_key=True),
    sa.Column("part", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("seq", sa.BigInteger, nullable=False),
    sa.Column("payload", _BLOB, nullable=False),
    sa.Column("checksum", _BLOB, nullable=False),
)
snapshot_head_table: Final = sa.Table(
    "snapshot_head",
    metadata,
    sa.Column("domain", sa.String(64), primary_key=True),
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("run", sa.String(64), nullable=False),
    sa.Column("n_parts", sa.Integer, nullable=False),
    sa.Column("checksum", _BLOB, nullable=False),
)
owner_table: Final = sa.Table(
    "owner",
    metadata,
    sa.Column("domain", sa.String(64), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
)


@dataclass(frozen=True, slots=True)
class Head:
    """Where a store stands: its identity, the last committed row and the clocks then."""

    store_id: str
    epoch: int
    seq: int
    field_s: float
    utc_s: float

    def checksum(self, domain: str) -> bytes:
        """16 bytes over all of it."""
        return head_checksum(domain, self.store_id, self.epoch, self.seq, self.field_s, self.utc_s)

    def columns(self, domain: str) -> dict[str, Any]:
        """The row of the head's table."""
        return {
            "domain": domain,
            "store_id": self.store_id,
            "format": FORMAT,
            "epoch": self.epoch,
            "seq": self.seq,
            "field_s": self.field_s,
            "utc_s": self.utc_s,
            "checksum": self.checksum(domain),
        }


def checksum(place: str, payload: bytes) -> bytes:
    """16 bytes of BLAKE2b over where a row belongs and what it holds."""
    digest = hashlib.blake2b(place.encode() + b"\0", digest_size=16)
    digest.update(payload)
    return digest.digest()


def head_checksum(domain: str, store_id: str, epoch: int, seq: int, field_s: float, utc_s: float) -> bytes:
    """The checksum of a head."""
    return checksum(domain, pack((FORMAT, store_id, epoch, seq, field_s, utc_s)))


def row_checksum(domain: str, seq: int, payload: bytes) -> bytes:
    """The checksum of a row of the journal."""
    return checksum(f"{domain} {seq}", payload)


def part_checksum(domain: str, seq: int, run: str, part: int, payload: bytes) -> bytes:
    """The checksum of one part of a snapshot."""
    return checksum(f"{domain} {seq} {run} {part}", payload)


def snapshot_checksum(domain: str, seq: int, run: str, part_checksums: list[bytes]) -> bytes:
    """The checksum of a snapshot's head: over all its parts, so that none can be missing."""
    return checksum(f"{domain} {seq} {run}", b"".join(part_checksums))
