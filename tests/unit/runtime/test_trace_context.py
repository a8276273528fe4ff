"""Contexts travel behind a request's envelopes, and whatever stands there harms nobody."""

import pytest

from actors.runtime.trace_context import contexts_in, is_traced, traced_envelopes, verbs_of, with_contexts
from actors.runtime.wire import decode_request, encode_request, pack

PARENT = "00-" + "ab" * 16 + "-" + "cd" * 8 + "-01"
ENVELOPE = ["ann#1", "token", 3, 2, [], [["claim", "home"], ["sync", "home", 1], ["claim", "home"]]]
RAW = encode_request([tuple(ENVELOPE)])


def test_a_request_is_the_same_with_contexts_and_without():
    traced = with_contexts(RAW, [PARENT])
    assert is_traced(traced)
    assert not is_traced(RAW)
    assert decode_request(traced) == decode_request(RAW) == [ENVELOPE]
    assert contexts_in(traced) == [PARENT]
    (one,) = traced_envelopes(traced)
    assert (one.session_id, one.number, one.verbs) == ("ann#1", 3, ("claim", "sync"))
    assert verbs_of(RAW) == ("claim", "sync")


def test_where_nothing_is_traced_nothing_is_added():
    assert with_contexts(RAW, [""]) == RAW
    assert with_contexts(RAW, []) == RAW
    assert contexts_in(RAW) == []
    assert with_contexts(b"", [PARENT]) == b""
    assert with_contexts(with_contexts(RAW, [PARENT]), [PARENT]) == with_contexts(RAW, [PARENT])


def test_some_envelopes_may_be_traced_and_others_not():
    raw = with_contexts(encode_request([tuple(ENVELOPE)] * 3), ["", PARENT])
    assert contexts_in(raw) == ["", PARENT, ""]


@pytest.mark.parametrize(
    "contexts",
    [[None], [1], ["x"], [PARENT.upper()], [PARENT + "\n"], ["00-" + "0" * 10_000], [[PARENT]], []],
)
def test_what_is_no_context_is_none(contexts):
    raw = pack([1, [ENVELOPE], contexts])
    assert decode_request(raw) == [ENVELOPE]
    assert not any(contexts_in(raw))


@pytest.mark.parametrize("envelope", [None, 5, [], ["a"], ["a", "b", 1, 0, [], 7], [1, 2, "x", 3, 4, [[], [5], 6]]])
def test_envelopes_that_are_none_are_passed_over_or_told_without_harm(envelope):
    for one in traced_envelopes(pack([1, [envelope], [PARENT]])):
        assert one is None or (one.session_id, one.number, one.verbs) == ("", 0, ())


def test_more_contexts_than_envelopes_are_passed_over():
    assert contexts_in(pack([1, [ENVELOPE], [PARENT] * 1_000])) == [PARENT]
