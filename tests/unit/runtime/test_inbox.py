import pytest

from actors.runtime.inbox import Inbox
from actors.runtime.settings import MailboxLimits
from actors.runtime.wire import encode_request


def told(session_id, number, received_through):
    return [session_id, "", number, received_through, [], [["noop"]]]


def inbox_after(*turns):
    """An inbox that has given each of these lists of envelopes a turn."""
    inbox = Inbox(MailboxLimits(), frozenset({"heartbeat"}))
    for envelopes in turns:
        deliver(inbox, *envelopes)
        assert len(inbox.take(100)) == len(envelopes)
    return inbox


def deliver(inbox, *envelopes):
    for envelope in envelopes:
        inbox.deliver(encode_request([envelope]), lambda _: None)


def test_whoever_had_the_last_turn_alone_and_waits_for_nothing_else_would_share_the_next_with_nobody():
    inbox = inbox_after([told("ann#1", 1, 0)])
    assert not inbox.is_private
    deliver(inbox, told("ann#1", 2, 1))
    assert inbox.is_private


@pytest.mark.parametrize(
    ("turns", "queued"),
    [
        ([], [told("ann#1", 1, 0)]),
        ([[told("bob#2", 1, 0)]], [told("ann#1", 1, 0)]),
        ([[told("ann#1", 1, 0), told("bob#2", 1, 0)]], [told("ann#1", 2, 1)]),
        ([[told("ann#1", 1, 0)]], [told("ann#1", 2, 1), told("bob#2", 1, 0)]),
        ([[told("ann#1", 1, 0)]], [told("ann#1", 3, 1)]),
        ([[told("ann#1", 3, 1)]], [told("ann#1", 4, 3)]),
        ([[told("", 0, 0)]], [told("", 0, 0)]),
        ([[told("", 1, 0)]], [told("", 2, 1)]),
        ([["odd"]], ["odd"]),
        ([[told("ann#1", 1, 0)]], [told("ann#1", "2", "1")]),
    ],
)
def test_others_might_share_the_turn_of_everybody_else(turns, queued):
    inbox = inbox_after(*turns)
    deliver(inbox, *queued)
    assert not inbox.is_private


def test_a_turn_without_envelopes_leaves_the_last_caller_as_it_was():
    inbox = inbox_after([told("ann#1", 1, 0)], [])
    deliver(inbox, told("ann#1", 2, 1))
    assert inbox.is_private


def beat(session_id, *more):
    return [session_id, "", 0, 0, [], [["heartbeat", 0], *more]]


def names_in(batch):
    return [queued.fields[0] for queued in batch]


def test_signs_of_life_do_not_wait_behind_a_full_batch():
    inbox = inbox_after()
    deliver(inbox, told("ann#1", 1, 0), told("bob#2", 1, 0), told("cy#3", 1, 0), beat("dee#4"), beat("eve#5"))
    assert names_in(inbox.take_with_signs(2)) == ["ann#1", "bob#2", "dee#4", "eve#5"]
    assert names_in(inbox.take_with_signs(2)) == ["cy#3"]
    assert (len(inbox), inbox.n_queued_bytes) == (0, 0)


def test_what_is_not_a_sign_of_life_alone_waits_for_its_turn():
    inbox = inbox_after()
    odd = [
        ["x", "", 0, 0, [], []],
        ["x", "", 0, 0, [], [[]]],
        ["x", "", 0, 0, [], [[["heartbeat"]]]],
        [[["heartbeat"]]],
    ]
    deliver(inbox, told("ann#1", 1, 0), beat("bob#2", ["noop"]), *odd)
    assert names_in(inbox.take_with_signs(1)) == ["ann#1"]
    assert len(inbox) == 1 + len(odd)


def test_whoever_shared_a_turn_with_signs_of_life_did_not_have_it_alone():
    inbox = inbox_after()
    deliver(inbox, told("ann#1", 1, 0), beat("bob#2"))
    assert len(inbox.take_with_signs(1)) == 2
    deliver(inbox, told("ann#1", 2, 1))
    assert not inbox.is_private
