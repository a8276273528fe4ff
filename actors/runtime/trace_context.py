"""Where in a trace a request belongs: W3C trace contexts that travel behind its envelopes.

A request is `[version, envelopes]`, or `[version, envelopes, contexts]` with a `traceparent` for each envelope, empty
for one that is not traced. Whoever does not trace passes the third over. Pure; nothing here knows a tracing library.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from actors.runtime.wire import pack, unpack

_PLAIN: Final = 0x92
_TRACED: Final = 0x93
_PARENT: Final = re.compile(r"00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
MAX_VERBS: Final = 8


@dataclass(frozen=True, slots=True)
class TraceConfig:
    """Where spans go (an OTLP/HTTP address for traces), and which share of the traces that begin here is kept."""

    endpoint: str
    sample: float = 1.0


@dataclass(frozen=True, slots=True)
class Traced:
    """One envelope that is traced: its context, whose it is, its number, and what it asks."""

    parent: str
    session_id: str
    number: int
    verbs: tuple[str, ...]


def with_contexts(raw: bytes, parents: Sequence[str]) -> bytes:
    """A request with the contexts of its envelopes, in their order; as it was if none is traced."""
    if not any(parents) or raw[:1] != bytes((_PLAIN,)):
        return raw
    return bytes((_TRACED,)) + raw[1:] + pack(list(parents))


def contexts_in(raw: bytes) -> list[str]:
    """The contexts of a request's envelopes; none for one without, and for bytes that are no request."""
    return [one.parent if one is not None else "" for one in traced_envelopes(raw)] if is_traced(raw) else []


def is_traced(raw: bytes) -> bool:
    """Whether a request carries contexts."""
    return raw[:1] == bytes((_TRACED,))


def traced_envelopes(raw: bytes) -> list[Traced | None]:
    """What is known of each envelope of a traced request; None for one that is not traced. Raises `WireError`."""
    frame = unpack(raw)
    if type(frame) is not list or len(frame) != 3 or type(frame[1]) is not list or type(frame[2]) is not list:
        return []
    envelopes, parents = frame[1], frame[2]
    padded = [*parents[: len(envelopes)], *[""] * (len(envelopes) - len(parents))]
    return [_traced(envelope, parent) for envelope, parent in zip(envelopes, padded, strict=True)]


def _traced(envelope: Any, parent: Any) -> Traced | None:
    if type(parent) is not str or _PARENT.fullmatch(parent) is None:
        return None
    if type(envelope) is not list or len(envelope) != 6 or type(envelope[5]) is not list:
        return None
    session_id, number = envelope[0], envelope[2]
    verbs = [command[0] for command in envelope[5] if type(command) is list and command and type(command[0]) is str]
    return Traced(
        parent,
        session_id[:128] if type(session_id) is str else "",
        number if type(number) is int else 0,
        tuple(verb[:40] for verb in dict.fromkeys(verbs))[:MAX_VERBS],
    )


def verbs_of(raw: bytes) -> tuple[str, ...]:
    """What a request of our own asks, each verb once."""
    envelopes = unpack(raw)[1]
    verbs = dict.fromkeys(command[0] for envelope in envelopes for command in envelope[5])
    return tuple(verbs)[:MAX_VERBS]
