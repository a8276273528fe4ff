import pytest

from actors.runtime.inbox import Inbox
from actors.runtime.settings import MailboxLimits
from actors.runtime.wire import encode_request


def told(session_id, number, received_through):
    return [session_id, "", number, received_through, [], [["noop"]]]


def inbox_after(*turns):
    """An inbox that has given each of these lists of envelopes a turn."""
    inbox = Inbox(MailboxLimits())
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
