"""Whether the closed days of a ledger are all there, in order, unchanged, and signed.

Each record holds the SHA-256 of the one before it (a hash chain, Haber & Stornetta 1991), so that nothing can be
changed, left out or moved without a trace; an Ed25519 signature (RFC 8032) says whose it is. The first record may be
any: older ones have been pruned, and it names the digest of the last of them. Needs neither a coordinator nor Ray.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from actors.quality_store.day import day_name
from actors.quality_store.ledger_record import LedgerRecord, RecordFields, digest_of, fields_of

CHANGED: Final = "changed"
MISSING: Final = "missing"
REORDERED: Final = "reordered"
WRONG_SIGNATURE: Final = "wrong_signature"
UNSIGNED: Final = "unsigned"


class Fault(NamedTuple):
    """What is wrong with the record of one day, `2023-11-14`; `kind` is one of the five above."""

    day: str
    kind: str
    message: str


class _Link(NamedTuple):
    record: LedgerRecord
    fields: RecordFields


def verify_chain(
    records: Sequence[LedgerRecord], public_key: bytes, *, last_digest: bytes | None = None
) -> tuple[Fault, ...]:
    """All that is wrong with the records, in their order; nothing if they can be trusted.

    `public_key` are the 32 raw bytes of the key that they should be signed with; raises `ValueError` for other ones.
    Records cut off at the end leave no trace in the others: `last_digest`, where it is known, is that of the newest.
    """
    key = Ed25519PublicKey.from_public_bytes(public_key)
    faults: list[Fault] = []
    links: list[_Link] = []
    for record in records:
        faults += _seal_faults(record, key)
        try:
            links.append(_Link(record, fields_of(record.content)))
        except ValueError as error:
            faults.append(Fault(day_name(record.day), CHANGED, f"this is no record: {error}"))
    faults += _open_faults(links)
    faults += _order_faults(links)
    faults += _chain_faults(links)
    if last_digest is not None and last_digest != (records[-1].digest if records else b""):
        last = day_name(records[-1].day) if records else "the first day"
        faults.append(
            Fault(last, MISSING, "this is not the last record that there is to be: the end of the ledger is missing")
        )
    first_of_a_kind: dict[tuple[str, str], Fault] = {}
    for fault in faults:
        first_of_a_kind.setdefault((fault.day, fault.kind), fault)
    return tuple(first_of_a_kind.values())


def n_before(records: Sequence[LedgerRecord]) -> int:
    """How many days were closed before the first of these records: pruned, or cut off; 0 where it does not say so."""
    try:
        return max(0, fields_of(records[0].content).number - 1) if records else 0
    except ValueError:
        return 0


def is_open(records: Sequence[LedgerRecord]) -> bool:
    """Whether the last of these records is that of a day which was not over."""
    try:
        return bool(records) and fields_of(records[-1].content).is_open
    except ValueError:
        return False


def _seal_faults(record: LedgerRecord, key: Ed25519PublicKey) -> Iterator[Fault]:
    """What the record alone says against itself."""
    day = day_name(record.day)
    if digest_of(record.content) != record.digest:
        yield Fault(day, CHANGED, "the record is not the one that its digest was made of: a row was changed")
    if not record.signature:
        yield Fault(day, UNSIGNED, "the record has no signature: it was closed without a key, and proves nothing")
        return
    try:
        key.verify(record.signature, record.content)
    except InvalidSignature:
        yield Fault(day, WRONG_SIGNATURE, "the signature does not fit the record and this public key")


def _open_faults(links: Sequence[_Link]) -> Iterator[Fault]:
    """A day that was not over is the last, or what follows it is not what was chained to it."""
    for link in links[:-1]:
        if link.fields.is_open:
            yield Fault(link.fields.day_name, CHANGED, "the record is that of an open day, and others follow it")


def _order_faults(links: Sequence[_Link]) -> Iterator[Fault]:
    """Numbers must grow by one, and days must grow."""
    here = {link.fields.number for link in links}
    for before, link in pairwise(links):
        n_between = sum(before.fields.number < number < link.fields.number for number in here)
        n_absent = link.fields.number - before.fields.number - 1 - n_between
        days = f"{before.fields.day_name} and {link.fields.day_name}"
        if link.fields.number <= before.fields.number or link.fields.day_name <= before.fields.day_name:
            yield Fault(link.fields.day_name, REORDERED, f"the record stands after that of {before.fields.day_name}")
        elif n_absent:
            yield Fault(
                link.fields.day_name, MISSING, f"between {days} the records of {n_absent} closed days are missing"
            )


def _chain_faults(links: Sequence[_Link]) -> Iterator[Fault]:
    """A record must be the one that the next was chained to, and of the day that it is filed under."""
    by_number = {link.fields.number: link for link in links}
    for link in links:
        if link.fields.day_name != day_name(link.record.day):
            yield Fault(link.fields.day_name, CHANGED, f"the record is filed under {day_name(link.record.day)}")
        before = by_number.get(link.fields.number - 1)
        if before is not None and digest_of(before.record.content) != link.fields.previous:
            message = f"the record of {link.fields.day_name} was chained to another one than this"
            yield Fault(before.fields.day_name, CHANGED, message)
