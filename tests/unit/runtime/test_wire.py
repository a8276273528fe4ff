import math

import msgpack
import pytest

from actors.coordination.messages import SCHEMA, Heartbeat
from actors.quality_store.messages import SCHEMA as QUALITY_SCHEMA
from actors.runtime.errors import WireError
from actors.runtime.wire import (
    MAX_COMMANDS,
    MAX_ITEMS,
    MAX_REPLY_BYTES,
    MAX_REQUEST_BYTES,
    Envelope,
    Failed,
    Schema,
    decode_envelope,
    decode_reply,
    decode_request,
    encode_reply,
    encode_request,
    n_answers,
    pack,
    packed_array,
    unpack,
    unpack_own,
)
from actors.scent_field.messages import Claim, Granted, Held, Watch

CLAIM = Claim("home", ("a.py",), "exclusive", 0.0, "fix it")
FIELDS = ["claim", "home", ["a.py"], "exclusive", 0.0, "fix it"]


def envelope(*, session="ada#1", token="t" * 16, number=1, received=0, abandoned=(), commands=(FIELDS,)):
    return [session, token, number, received, list(abandoned), list(commands)]


def with_field(position, value):
    return [*FIELDS[:position], value, *FIELDS[position + 1 :]]


def test_a_command_crosses_as_an_array_that_starts_with_its_verb():
    raw = pack(SCHEMA.wire_of(CLAIM))
    assert unpack(raw) == FIELDS
    assert SCHEMA.command(unpack(raw)) == CLAIM


def test_a_message_without_fields_crosses():
    assert SCHEMA.command(["goodbye"]) == ()
    assert type(SCHEMA.command(["goodbye"])) is SCHEMA.commands["goodbye"]
    with pytest.raises(WireError, match="goodbye: expects no fields"):
        SCHEMA.command(["goodbye", 1])


def test_whole_numbers_are_taken_where_a_float_is_expected():
    assert SCHEMA.command(with_field(4, 5)).wait_s == 5.0
    assert type(SCHEMA.command(with_field(4, 5)).wait_s) is float


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        (with_field(1, 7), r"claim: space: expects text .* not 7"),
        (with_field(1, None), "claim: space: expects text"),
        (with_field(1, b"home"), "claim: space: expects text"),
        (with_field(1, "x" * 4097), r"claim: space: expects text of at most 4096 characters, .*\(4097 long\)"),
        (with_field(2, "a.py"), "claim: targets: expects an array"),
        (with_field(2, ["a"] * (MAX_ITEMS + 1)), "claim: targets: expects an array of at most 4096 items"),
        (with_field(2, ["a", 3]), "claim: targets: expects text"),
        (with_field(4, True), "claim: wait_s: expects a finite number, not True"),
        (with_field(4, math.nan), "claim: wait_s: expects a finite number, not nan"),
        (with_field(4, math.inf), "claim: wait_s: expects a finite number, not inf"),
        (with_field(4, -math.inf), "claim: wait_s: expects a finite number"),
        (with_field(4, 2.0**53 * 2), "claim: wait_s: expects a finite number"),
        (with_field(4, "5"), "claim: wait_s: expects a finite number"),
        (FIELDS[:-1], "claim: expects the 5 fields space, targets, mode, wait_s, intent, not list of 4"),
        ([*FIELDS, 1], "claim: expects the 5 fields"),
        (["heartbeat", True], "heartbeat: losses_through: expects a whole number, not True"),
        (["heartbeat", 1.0], "heartbeat: losses_through: expects a whole number"),
        (["heartbeat", 2**60], "heartbeat: losses_through: expects a whole number"),
        (["release", "home", [], 0, 1], "release: done: expects true or false, not 1"),
        (["nonsense"], r"unknown command 'nonsense' .*known are .*claim"),
        (["x" * 10_000], "unknown command"),
        ([], "must be an array that starts with its verb"),
        ("claim", "must be an array that starts with its verb"),
        ([["claim"]], "must be an array that starts with its verb"),
        ({}, "must be an array that starts with its verb"),
    ],
)
def test_a_malformed_command_is_refused_by_name(fields, named):
    with pytest.raises(WireError, match=named) as refused:
        SCHEMA.command(fields)
    assert len(str(refused.value)) < 1_000


def test_our_own_answers_may_be_longer_than_a_command():
    answer = SCHEMA.answer(["failed", "misuse", "x" * 5_000])
    assert answer == Failed("misuse", "x" * 5_000)
    with pytest.raises(WireError, match="failed: code: expects text"):
        SCHEMA.answer(["failed", 1, "x"])


def test_an_answer_with_messages_inside_crosses():
    fields = ["held", "claimed", [["a", "a", "bo#2", 7, "exclusive", False, 1, 2, 3, "x"]], 0, "Wait.", []]
    held = SCHEMA.answer(fields)
    assert type(held) is Held
    assert held.conflicts[0].holder == "bo#2"
    assert unpack(pack(SCHEMA.wire_of(held))) == fields


def test_an_optional_message_crosses_both_ways():
    plain = ["resolved", "full", "", None, False, False]
    assert list(QUALITY_SCHEMA.wire_of(QUALITY_SCHEMA.answer(plain))) == plain
    consumed = QUALITY_SCHEMA.answer(["resolved", "full", "x", ["home", "a.rs", 1000.0], True, False]).consumed
    assert consumed == ("home", "a.rs", 1000.0)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        pack([1, [envelope()]])[:-1],
        pack([1, []]) + b"\x00",
        b"\x91" * 5_000,
        b"\xdd\xff\xff\xff\xff" * 500,
        b"\xdf\xff\xff\xff\xff",
        b"\xc1",
        b"\x81\x91\x01\x02",
        b"\xd6\xff\x00\x00\x00\x00",
        b"\xc7\x05\x01hello",
        b"\xa2\xff\xff",
        msgpack.packb({"version": 1}),
        msgpack.packb([0] * (MAX_ITEMS + 1)),
        b"\x90" * 100_000,
        b"\x00" * (MAX_REQUEST_BYTES + 1),
    ],
)
def test_hostile_bytes_are_a_wire_error(raw):
    with pytest.raises(WireError):
        unpack(raw)


def test_ten_megabytes_are_refused_before_they_are_decoded():
    with pytest.raises(WireError, match="over the limit of 8388608: send it in parts"):
        decode_request(encode_request([tuple(envelope(commands=[with_field(1, "x" * 10_000_000)]))]))


@pytest.mark.parametrize(
    "frame", [[], [1], [2, []], [True, []], [1.5, []], ["1", []], [1, {}], [1, 3], [1, [], 3], 7, None]
)
def test_a_request_of_another_version_is_refused(frame):
    with pytest.raises(WireError, match="version"):
        decode_request(msgpack.packb(frame))


def test_an_envelope_is_decoded():
    decoded = decode_envelope(envelope(number=5, received=3, abandoned=[4]), SCHEMA)
    assert decoded == Envelope("ada#1", "t" * 16, 5, 3, (4,), (CLAIM,))


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        (envelope(number=-1), "request -1"),
        (envelope(received=-1), "cannot come after an answer to -1"),
        (envelope(number=3, received=3), "request 3 cannot come after an answer to 3"),
        (envelope(number=3, abandoned=[3]), "request 3 gives up"),
        (envelope(number=3, abandoned=[0]), "request 3 gives up"),
        (envelope(abandoned=["1"]), "expects a whole number"),
        (envelope(session=None), "expects text"),
        (envelope(token=3), "expects text"),
        (envelope(number=1.0), "expects a whole number"),
        (envelope(commands=[]), "must hold 1 to 1024 commands"),
        (envelope(commands=[["goodbye"]] * (MAX_COMMANDS + 1)), "must hold 1 to 1024 commands"),
        (envelope(commands=[FIELDS, ["claim"]]), "claim: expects the 5 fields"),
        (envelope()[:5], "an envelope must be"),
        ({}, "an envelope must be"),
        (3, "an envelope must be"),
    ],
)
def test_a_malformed_envelope_is_refused(fields, named):
    with pytest.raises(WireError, match=named):
        decode_envelope(fields, SCHEMA)


def test_an_envelope_gets_one_answer_for_each_command():
    assert n_answers(envelope(commands=[FIELDS] * 3)) == 3
    assert n_answers(envelope(commands=[])) == 1
    assert n_answers(envelope(commands=[FIELDS] * 2_000)) == 1
    assert n_answers([1, 2, 3]) == 1
    assert n_answers(None) == 1


def test_a_reply_crosses():
    granted = Granted(1, ("a.py",), 30.0, "heartbeat", False, (), ())
    lists = [pack([SCHEMA.wire_of(granted)])] * 20
    assert decode_reply(encode_reply(lists), SCHEMA) == [[granted]] * 20
    assert decode_reply(encode_reply([]), SCHEMA) == []


@pytest.mark.parametrize("frame", [[], [2, []], [1, [3]], [1, [["granted"]]], [1, [[["granted"]]]], 3])
def test_what_is_not_a_reply_is_refused(frame):
    with pytest.raises(WireError):
        decode_reply(msgpack.packb(frame), SCHEMA)


def test_a_reply_that_is_too_large_is_refused():
    with pytest.raises(WireError, match="ask for less at once"):
        decode_reply(b"\x00" * (MAX_REPLY_BYTES + 1), SCHEMA)


@pytest.mark.parametrize("n_items", [0, 1, 15, 16, 70_000])
def test_an_array_is_put_together_from_packed_items(n_items):
    assert unpack_own(packed_array([b"\x07"] * n_items)) == [7] * n_items


def test_a_waiting_command_is_known_by_its_span():
    assert SCHEMA.may_wait(CLAIM._replace(wait_s=0.5))
    assert not SCHEMA.may_wait(CLAIM)
    assert SCHEMA.may_wait(Watch("home", 0, 1.0))
    assert not SCHEMA.may_wait(Heartbeat(0))


def test_two_schemas_may_not_share_a_verb():
    with pytest.raises(ValueError, match="the verbs claim are taken twice"):
        SCHEMA + Schema(commands={"claim": Heartbeat}, answers={})


def test_a_sum_of_schemas_keeps_what_is_special_about_a_verb():
    one = Schema(commands={"a": Claim}, answers={}, waiting={"a": "wait_s"}, anonymous=["a"])
    two = Schema(commands={"b": Watch}, answers={}, queries=["b"], committed=["b"], liveness=["b"])
    both = one + two
    assert both.may_wait(CLAIM._replace(wait_s=1.0))
    assert (both.anonymous, both.queries, both.committed, both.liveness) == ({Claim}, {Watch}, {Watch}, {Watch})
