"""Messages as msgpack bytes, in and out.

A message is a NamedTuple; on the wire it is `[verb, *fields]`. A `Schema` knows a domain's verbs and checks every
field's type and size when it decodes, so that a machine only ever sees well-formed messages. Fields may be `str`,
`int`, `float`, `bool`, `bytes`, another NamedTuple, `X | None` and `tuple[X, ...]`.

The layout of a call, version 1:

    request   [1, [envelope, ...]]
    envelope  [session_id, token, number, received_through, [abandoned, ...], [[verb, *fields], ...]]
    reply     [1, [[[kind, *fields], ...], ...]]      one list of answers for each envelope, in order

`number` counts a session's mutating requests from 1; 0 marks a request that is not remembered: queries and heartbeats.
`received_through` counts in numbered requests, `abandoned` in all; a request of queries needs a token only for that. An
envelope gets one answer for each of its commands; one that is not an envelope gets one `failed`, and so does a whole
request whose frame cannot be read.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgpack

from actors.runtime.decoder import FROM_OUTSIDE, OUR_OWN, Bounds, Decode, make_decoder, shown
from actors.runtime.errors import ScentfieldError, WireError, error_from_code

VERSION: Final = 1
MAX_REQUEST_BYTES: Final = 8 * 1024 * 1024
MAX_REPLY_BYTES: Final = 64 * 1024 * 1024
MAX_ITEMS: Final = FROM_OUTSIDE.max_items
MAX_COMMANDS: Final = 1024


class Failed(NamedTuple):
    """The answer to a command that raised: an error's code and message."""

    code: str
    message: str

    def error(self) -> ScentfieldError:
        """The error as the caller should raise it."""
        return error_from_code(self.code, self.message)


class BusyFor(NamedTuple):
    """A limit was reached and nothing was done; try again after so many seconds."""

    retry_after_s: float
    what: str


class Envelope(NamedTuple):
    """One session's request: its commands are applied together, in order, and answered together."""

    session_id: str
    token: str
    number: int
    received_through: int
    abandoned: tuple[int, ...]
    commands: tuple[Any, ...]


def pack(value: Any) -> bytes:
    """Encode plain values and NamedTuples (as arrays)."""
    return typing.cast(bytes, msgpack.packb(value, use_bin_type=True))


def packed_array(items: Sequence[bytes]) -> bytes:
    """The array of items that are packed already."""
    return _array_header(len(items)) + b"".join(items)


def _array_header(n_items: int) -> bytes:
    if n_items < 16:
        return bytes((0x90 | n_items,))
    return b"\xdd" + n_items.to_bytes(4, "big")


def unpack(raw: bytes, *, max_bytes: int = MAX_REQUEST_BYTES) -> Any:
    """Decode bytes from outside: arrays of plain values, no maps.

    Raises `WireError` for bytes that are too many, cut off, nested too deep, or not msgpack.
    """
    if len(raw) > max_bytes:
        raise WireError(f"a message of {len(raw)} bytes is over the limit of {max_bytes}: send it in parts")
    return _unpacked(raw, max_array_len=MAX_ITEMS, max_map_len=0, max_ext_len=0)


def unpack_own(raw: bytes) -> Any:
    """Decode bytes that a state actor packed itself, of any size. Raises `WireError` if they are not msgpack."""
    return _unpacked(raw)


def _unpacked(raw: bytes, **limits: int) -> Any:
    try:
        return msgpack.unpackb(raw, raw=False, use_list=True, **limits)
    except (ValueError, TypeError, msgpack.exceptions.UnpackException, RecursionError) as error:
        raise WireError(f"the bytes are not a msgpack message ({error}): use a client of this version") from error


class _Decoders(dict[str, Decode]):
    """A decoder for each verb, made when the verb is first met: a program that says one thing pays for one."""

    def __init__(self, kinds: Mapping[str, type], bounds: Bounds) -> None:
        super().__init__()
        self.kinds = kinds
        self._bounds = bounds

    def __missing__(self, verb: str) -> Decode:
        decode = self[verb] = make_decoder(self.kinds[verb], self._bounds)
        return decode


class Schema:
    """The verbs of one domain: `commands` come in, `answers` go out.

    `queries` change nothing and may be asked without a token. `liveness` verbs are applied before anything expires.
    `waiting` names for a verb the field that says how long it may wait, in seconds; a command that waits travels alone
    in its envelope. `anonymous` verbs change state without a session (register). `committed` verbs tell only what is in
    the store: relaxed facts are committed before they are answered.
    """

    def __init__(
        self,
        *,
        commands: Mapping[str, type],
        answers: Mapping[str, type],
        queries: Sequence[str] = (),
        liveness: Sequence[str] = (),
        waiting: Mapping[str, str] | None = None,
        anonymous: Sequence[str] = (),
        committed: Sequence[str] = (),
    ) -> None:
        self.commands = dict(commands)
        self.answers = {**answers, "failed": Failed, "busy": BusyFor}
        self.queries = self._classes(queries)
        self.liveness = self._classes(liveness)
        self.waiting = {self.commands[verb]: span for verb, span in (waiting or {}).items()}
        self.anonymous = self._classes(anonymous)
        self.committed = self._classes(committed)
        self._decode_command = _Decoders(self.commands, FROM_OUTSIDE)
        self._decode_answer = _Decoders(self.answers, OUR_OWN)
        self._verb_of = {kind: verb for verb, kind in (*self.commands.items(), *self.answers.items())}

    def _classes(self, verbs: Sequence[str]) -> frozenset[type]:
        return frozenset(self.commands[verb] for verb in verbs)

    @property
    def liveness_verbs(self) -> frozenset[str]:
        """The verbs that are applied before anything expires."""
        return frozenset(self._verb_of[kind] for kind in self.liveness)

    def __add__(self, other: Schema) -> Schema:
        """Both schemas' verbs in one. Raises `ValueError` if they share one."""
        shared = [verb for verb in self.commands if verb in other.commands]
        shared += [verb for verb, kind in self.answers.items() if other.answers.get(verb, kind) is not kind]
        if shared:
            raise ValueError(f"the verbs {', '.join(shared)} are taken twice")

        def verbs(part: str) -> list[str]:
            kinds = (*getattr(self, part), *getattr(other, part))
            return [both[kind] for kind in kinds]

        both = {**self._verb_of, **other._verb_of}
        return Schema(
            commands={**self.commands, **other.commands},
            answers={**self.answers, **other.answers},
            queries=verbs("queries"),
            liveness=verbs("liveness"),
            waiting={both[kind]: span for kind, span in (self.waiting | other.waiting).items()},
            anonymous=verbs("anonymous"),
            committed=verbs("committed"),
        )

    def may_wait(self, command: Any) -> bool:
        """Whether the answer to this command may come later."""
        span = self.waiting.get(type(command))
        return span is not None and getattr(command, span) > 0.0

    def wire_of(self, message: Any) -> tuple[Any, ...]:
        """A message as it is packed: `(verb, *fields)`."""
        return (self._verb_of[type(message)], *message)

    def command(self, fields: Any) -> Any:
        """Decode one command. Raises `WireError` for an unknown verb or a field of the wrong type or size."""
        return _decoded(fields, self._decode_command, "command")

    def answer(self, fields: Any) -> Any:
        """Decode one answer; raises as `command` does."""
        return _decoded(fields, self._decode_answer, "answer")


def _decoded(fields: Any, decoders: _Decoders, what: str) -> Any:
    if type(fields) is not list or not fields or type(fields[0]) is not str:
        raise WireError(f"a {what} must be an array that starts with its verb, not {shown(fields)}")
    if fields[0] not in decoders.kinds:
        known = ", ".join(sorted(decoders.kinds))
        raise WireError(f"unknown {what} {shown(fields[0])}: known are {known}")
    try:
        return decoders[fields[0]](fields[1:])
    except WireError as error:
        raise WireError(f"{fields[0]}: {error.message}") from None


def decode_request(raw: bytes) -> list[Any]:
    """The raw envelopes of a request; what stands behind them is for `trace_context`.

    Raises `WireError` if the frame is not one of this version.
    """
    frame = unpack(raw)
    if type(frame) is not list or len(frame) not in (2, 3) or any(type(part) is not list for part in frame[1:]):
        raise WireError("a request must be [version, envelopes]: use a client of this version")
    if type(frame[0]) is not int or frame[0] != VERSION:
        raise WireError(
            f"this coordinator speaks wire version {VERSION}, the request {shown(frame[0])}: update one of them"
        )
    envelopes: list[Any] = frame[1]
    return envelopes


_text, _whole = make_decoder(str), make_decoder(int)
_numbers = make_decoder(tuple[int, ...])


def decode_envelope(fields: Any, schema: Schema) -> Envelope:
    """One envelope with its commands. Raises `WireError`."""
    if type(fields) is not list or len(fields) != 6:
        raise WireError("an envelope must be [session, token, number, received_through, abandoned, commands]")
    session_id, token, number, received_through, abandoned, commands = fields
    if type(commands) is not list or not 0 < len(commands) <= MAX_COMMANDS:
        raise WireError(f"an envelope must hold 1 to {MAX_COMMANDS} commands, not {shown(commands)}")
    envelope = Envelope(
        _text(session_id),
        _text(token),
        _whole(number),
        _whole(received_through),
        _numbers(abandoned),
        tuple([schema.command(command) for command in commands]),
    )
    _check_numbers(envelope)
    return envelope


def _check_numbers(envelope: Envelope) -> None:
    number, received_through, abandoned = envelope.number, envelope.received_through, envelope.abandoned
    if number < 0 or received_through < 0 or (number and received_through >= number):
        raise WireError(f"request {number} cannot come after an answer to {received_through}: number requests from 1")
    if abandoned and (min(abandoned) < 1 or number in abandoned):
        raise WireError(f"request {number} gives up {abandoned[:8]}: name other requests, by their numbers from 1")


def n_answers(fields: Any) -> int:
    """How many answers a raw envelope gets: one for each command, one if it is not an envelope."""
    if type(fields) is list and len(fields) == 6 and type(fields[5]) is list and len(fields[5]) <= MAX_COMMANDS:
        return max(1, len(fields[5]))
    return 1


_REPLY_HEAD: Final = b"\x92" + pack(VERSION)


def encode_request(envelopes: Sequence[tuple[Any, ...]]) -> bytes:
    """A request from envelopes whose commands are `schema.wire_of` tuples. Raises `WireError` for what has no form."""
    try:
        return pack((VERSION, envelopes))
    except (OverflowError, TypeError, ValueError) as error:
        raise WireError(
            f"a command holds what cannot be sent ({error}): whole numbers have 64 bits, text is valid Unicode"
        ) from error


def encode_reply(answers: Sequence[bytes]) -> bytes:
    """A reply from the packed answer lists of its envelopes."""
    return _REPLY_HEAD + packed_array(answers)


def decode_reply(raw: bytes, schema: Schema) -> list[list[Any]]:
    """The answers of each envelope. Raises `WireError` for bytes that are not a reply."""
    if len(raw) > MAX_REPLY_BYTES:
        raise WireError(f"a reply of {len(raw)} bytes is over the limit of {MAX_REPLY_BYTES}: ask for less at once")
    frame = unpack_own(raw)
    if type(frame) is not list or len(frame) != 2 or frame[0] != VERSION or type(frame[1]) is not list:
        raise WireError(f"this is not a reply of wire version {VERSION}: the coordinator runs another version")
    if not all(type(answers) is list for answers in frame[1]):
        raise WireError("this is not a reply: an envelope's answers must be an array")
    return [[schema.answer(fields) for fields in answers] for answers in frame[1]]
