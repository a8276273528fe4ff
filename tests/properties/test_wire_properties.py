"""Whatever bytes arrive: an answer, no exception, and nothing changed by what was refused."""

from __future__ import annotations

import types
import typing
from contextlib import suppress

import msgpack
from hypothesis import given
from hypothesis import strategies as st

from actors.coordination.machine import Coordination
from actors.coordination.messages import SCHEMA as COORDINATION
from actors.coordination.messages import Heartbeat
from actors.quality_store.messages import SCHEMA as QUALITY
from actors.runtime.errors import WireError
from actors.runtime.inbox import Inbox
from actors.runtime.kernel import Kernel
from actors.runtime.machine import Now
from actors.runtime.settings import MailboxLimits
from actors.runtime.wire import Failed, decode_reply, encode_request, pack, unpack, unpack_own
from actors.scent_field.messages import Claim, Progress, Release, Sync
from actors.sessions.messages import Register

SCALARS = {
    str: st.text(max_size=20),
    int: st.integers(-(2**53), 2**53),
    float: st.floats(-(2.0**53), 2.0**53),
    bool: st.booleans(),
    bytes: st.binary(max_size=20),
}


def values_of(hint):
    if hint in SCALARS:
        return SCALARS[hint]
    if hasattr(hint, "_fields"):
        return messages_of(hint)
    inner = values_of(typing.get_args(hint)[0])
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return st.none() | inner
    return st.lists(inner, max_size=3).map(tuple)


def messages_of(kind):
    hints = typing.get_type_hints(kind)
    return st.builds(kind, *(values_of(hints[name]) for name in kind._fields))


def any_of(schema, part):
    return st.one_of(*(messages_of(kind) for kind in getattr(schema, part).values()))


commands = st.one_of(*(st.tuples(st.just(schema), any_of(schema, "commands")) for schema in (COORDINATION, QUALITY)))
answers = st.one_of(*(st.tuples(st.just(schema), any_of(schema, "answers")) for schema in (COORDINATION, QUALITY)))


@given(commands)
def test_every_command_crosses(given_command):
    schema, command = given_command
    decoded = schema.command(unpack(pack(schema.wire_of(command))))
    assert decoded == command
    assert type(decoded) is type(command)


@given(answers)
def test_every_answer_crosses(given_answer):
    schema, answer = given_answer
    decoded = schema.answer(unpack_own(pack(schema.wire_of(answer))))
    assert decoded == answer
    assert type(decoded) is type(answer)


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=8)
    | st.binary(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=12,
)


@given(commands, st.data())
def test_a_field_of_another_type_is_a_wire_error_or_the_same_type(given_command, data):
    schema, command = given_command
    fields = unpack(pack(schema.wire_of(command)))
    place = data.draw(st.integers(0, len(fields) - 1))
    fields[place] = data.draw(plain)
    with suppress(WireError):
        assert unpack(pack(schema.wire_of(schema.command(fields)))) == fields


# Into a kernel with claims, waiters and an abandoned request


def field_with_claims():
    kernel = Kernel(Coordination())
    claim = Claim("home", ("a.py",), "exclusive", 0.0, "")
    register = [Register(name, name * 16, "", "heartbeat", 30.0) for name in ("ada", "bo")]
    for slot, (session, number, command) in enumerate(
        [
            ("", 0, register[0]),
            ("", 0, register[1]),
            ("ada#1", 1, claim),
            ("bo#2", 1, claim._replace(wait_s=60.0)),
            ("bo#2", 2, Progress("home", "a.py", 0.3, 0.0)),
        ]
    ):
        token = session.partition("#")[0] * 16
        raw = [session, token, number, 0, [], [COORDINATION.wire_of(command)]]
        kernel.turn([(slot, unpack(pack(raw)))], Now(1.0, 1.0))
    return kernel


VALID = [
    encode_request([("ada#1", "ada" * 16, 2, 1, [], [COORDINATION.wire_of(Release("home", ("a.py",), 0, True))])]),
    encode_request(
        [("bo#2", "bo" * 16, 3, 0, [1], [COORDINATION.wire_of(Claim("home", ("src/",), "shared", 0.0, "x"))])]
    ),
    encode_request([("", "", 0, 0, [], [COORDINATION.wire_of(Sync("home", 5))])] * 2),
    encode_request([("ada#1", "ada" * 16, 0, 0, [], [COORDINATION.wire_of(Heartbeat(0))])]),
    encode_request(
        [("ada#1", "ada" * 16, 1, 0, [], [COORDINATION.wire_of(Claim("home", ("a.py",), "exclusive", 0.0, ""))])]
    ),
]


@st.composite
def mutated(draw):
    raw = bytearray(draw(st.sampled_from(VALID)))
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(raw) - 1))
        match draw(st.sampled_from(["flip", "cut", "insert", "repeat"])):
            case "flip":
                raw[place] = draw(st.integers(0, 255))
            case "cut":
                del raw[place + 1 :]
            case "insert":
                raw[place:place] = draw(st.binary(max_size=6))
            case "repeat":
                raw[place:place] = raw[max(0, place - 9) : place]
    return bytes(raw)


hostile = st.one_of(
    st.binary(max_size=60),
    plain.map(msgpack.packb),
    st.lists(plain, max_size=3).map(lambda envelopes: msgpack.packb([1, envelopes])),
    st.lists(plain, min_size=6, max_size=6).map(lambda envelope: msgpack.packb([1, [envelope]])),
    mutated(),
)


@given(hostile)
def test_any_bytes_are_answered_and_what_is_refused_changes_nothing(raw):
    kernel = field_with_claims()
    inbox = Inbox(MailboxLimits())
    before = list(kernel.snapshot())
    replies = []
    inbox.deliver(raw, replies.append)
    turn = kernel.turn([(queued.slot, queued.fields) for queued in inbox.take(100)], Now(1.0, 1.0))
    inbox.answer(turn.answers)
    kernel.check_invariants()
    if inbox.n_unanswered:
        assert kernel.take_slots(), "only what waits inside has no answer yet"
        return
    (reply,) = replies
    answered = [answer for envelope in decode_reply(reply, COORDINATION) for answer in envelope]
    if all(type(answer) is Failed and answer.code in ("wire", "unknown_agent") for answer in answered):
        assert list(kernel.snapshot()) == before
        assert turn.events == []
