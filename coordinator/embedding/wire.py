"""Calls of the embedding actor and its answers as bytes, for whoever reaches it over HTTP.

A call is `[method, *arguments]`, an answer `[kind, *fields]`, both msgpack; vectors travel as little-endian float32.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from actors.embedding.messages import DuplicateTexts, NotReady, SimilarTexts, Vectors
from actors.embedding.nearness import Duplicate, Similar
from actors.embedding.status import State, Status
from actors.runtime.errors import InvariantBroken, WireError
from actors.runtime.wire import BusyFor, Failed, pack, unpack, unpack_own

METHODS: Final[Mapping[str, tuple[type | tuple[type, ...], ...]]] = {
    "embed": (list, (int, float)),
    "similar": (str, list, int, (int, float)),
    "near_duplicates": (list, (int, float), int, (int, float)),
    "status": (),
    "warm": (bool,),
}
"""What each method takes, in order."""
_FLOAT: Final = "<f4"


def pack_call(method: str, arguments: tuple[Any, ...]) -> bytes:
    """A call as bytes."""
    return pack((method, *arguments))


def unpack_call(raw: bytes, max_bytes: int) -> tuple[str, tuple[Any, ...]]:
    """The method and its arguments. Raises `WireError` for what is no call, and says why."""
    frame = unpack(raw, max_bytes=max_bytes)
    if not isinstance(frame, list) or not frame or not isinstance(frame[0], str):
        raise WireError("a call is [method, *arguments] in msgpack: use the Python client")
    method, *arguments = frame
    kinds = METHODS.get(method)
    if kinds is None:
        raise WireError(f"there is no method {method[:40]!r}: there are {', '.join(METHODS)}")
    if len(arguments) != len(kinds) or not all(map(_is_a, arguments, kinds)):
        raise WireError(f"{method} was called with wrong arguments: use a client of this version")
    return method, tuple(arguments)


def _is_a(value: Any, kind: type | tuple[type, ...]) -> bool:
    if kind is list:
        return isinstance(value, list) and all(isinstance(text, str) for text in value)
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def pack_answer(answer: Any) -> bytes:
    """An answer as bytes. Raises `InvariantBroken` for what the actor never answers."""
    match answer:
        case Vectors(model_id, rows):
            plain = np.ascontiguousarray(rows, _FLOAT)
            return pack(("vectors", model_id, plain.shape[0], plain.shape[1], plain.tobytes()))
        case SimilarTexts(model_id, nearest):
            return pack(("similar", model_id, [tuple(one) for one in nearest]))
        case DuplicateTexts(model_id, dropped):
            return pack(("duplicates", model_id, [tuple(one) for one in dropped]))
        case NotReady(status):
            return pack(("not_ready", *_plain(status)))
        case Status():
            return pack(("status", *_plain(answer)))
        case BusyFor(retry_after_s, what):
            return pack(("busy", retry_after_s, what))
        case Failed(code, message):
            return pack(("failed", code, message))
    raise InvariantBroken(f"the embedding actor answered {type(answer).__name__}")


def unpack_answer(raw: bytes) -> Any:
    """What the actor answered. Raises `WireError` for what is no answer."""
    frame = unpack_own(raw)
    try:
        kind, *fields = frame
        return _READ[kind](*fields)
    except (KeyError, TypeError, ValueError) as error:
        raise WireError("this is no answer of an embedding actor: the gateway runs another version") from error


def _plain(status: Status) -> tuple[Any, ...]:
    return (str(status.state), *status[1:])


def _status(state: str, *rest: Any) -> Status:
    return Status(State(state), *rest)


def _vectors(model_id: str, n_rows: int, n_dims: int, raw: bytes) -> Vectors:
    return Vectors(model_id, np.frombuffer(raw, _FLOAT).reshape(n_rows, n_dims).astype(np.float32, copy=False))


_READ: Final[dict[str, Callable[..., Any]]] = {
    "vectors": _vectors,
    "similar": lambda model_id, nearest: SimilarTexts(model_id, tuple(Similar(*one) for one in nearest)),
    "duplicates": lambda model_id, dropped: DuplicateTexts(model_id, tuple(Duplicate(*one) for one in dropped)),
    "not_ready": lambda *status: NotReady(_status(*status)),
    "status": _status,
    "busy": BusyFor,
    "failed": Failed,
}
