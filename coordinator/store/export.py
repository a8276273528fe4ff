"""A store's whole state as JSON lines that can be read without Scentfield.

The state is what a replay gives, so the same state gives the same bytes, whether or not its journal is folded into a
snapshot. Each line is an object: the first says which store and where it stands, the others are one fact each, `kind`
and `fields` in the order of the domain's snapshot. Bytes, such as the SHA-256 of a session's token, are in hexadecimal;
the tokens themselves are in no store.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isfinite
from typing import Any, Final

from actors.runtime.kernel import Kernel
from actors.runtime.recovery import recover_into
from actors.runtime.table import FORMAT
from actors.runtime.wire import pack, unpack_own
from coordinator.store.place import StorePlace

EXPORT_FORMAT: Final = 1
_MEMORY: Final = "memory"


def export_lines(place: StorePlace) -> Iterator[str]:
    """The lines of one store, without ends of lines. Raises `Corrupt` before the first for one that cannot be used."""
    kernel = Kernel(place.make_machine())
    head = recover_into(kernel, place.store).head
    about = {
        "export": EXPORT_FORMAT,
        "domain": place.domain,
        "key": place.store.domain,
        "store_id": head.store_id,
        "store_format": FORMAT,
        "seq": head.seq,
        "field_s": head.field_s,
        "utc_s": head.utc_s,
    }
    yield _line(about)
    for part in kernel.snapshot():
        kind, *fields = unpack_own(pack(part))
        yield _line({"domain": place.domain, "kind": kind, "fields": _answers(fields) if kind == _MEMORY else fields})


def _answers(fields: list[Any]) -> list[Any]:
    """A session's remembered requests, whose answers are kept packed."""
    session_id, received_through, answers, abandoned = fields
    told = [[number, unpack_own(kept) if isinstance(kept, bytes) else kept] for number, kept in answers]
    return [session_id, received_through, told, abandoned]


def _line(document: dict[str, Any]) -> str:
    return json.dumps(_plain(document), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _plain(value: Any) -> Any:
    """What JSON can hold: bytes in hexadecimal, infinities by name, maps with keys that are text."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return str(value) if isinstance(value, float) and not isfinite(value) else value
