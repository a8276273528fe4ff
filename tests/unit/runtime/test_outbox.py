import pytest

from actors.runtime.decoder import FROM_OUTSIDE, make_decoder
from actors.runtime.errors import InvariantBroken, Misuse
from actors.runtime.outbox import (
    BOUNCE,
    EVENTS,
    MAX_DELIVERY,
    Note,
    NotePut,
    NotesDropped,
    NotesSent,
    Outbox,
    OutboxCount,
    Pending,
)
from actors.runtime.wire import pack, unpack_own


def note(name):
    return Note(BOUNCE, "ada#1", "home", str(name), "py", "map", 10, 100, 0, 5.0)


class Sender:
    """An outbox and its journal."""

    def __init__(self, **limits):
        self.events = []
        self.outbox = Outbox(self.record, **limits)

    def record(self, event):
        self.outbox.evolve(event)
        self.outbox.check_invariants()
        self.events.append(event)


def sender_with(n_notes, receiver="field", **limits):
    sender = Sender(**limits)
    for name in range(1, n_notes + 1):
        sender.outbox.put(receiver, note(name))
    return sender


def paths(pending):
    return [one.path for one in pending.notes]


def test_notes_are_numbered_from_one_for_each_receiver():
    sender = sender_with(3)
    sender.outbox.put("thresholds", note("a"))
    assert sender.outbox.pending("field") == Pending(3, (note(1), note(2), note(3)))
    assert sender.outbox.pending("thresholds") == Pending(1, (note("a"),))
    assert sender.outbox.receivers == ["field", "thresholds"]


def test_nothing_is_pending_for_a_receiver_that_nothing_was_put_for():
    assert Sender().outbox.pending("field") == Pending(0, ())
    assert Sender().outbox.receivers == []


def test_pending_notes_stay_until_they_are_sent():
    sender = sender_with(5)
    assert sender.outbox.pending("field", 2) == sender.outbox.pending("field", 2) == Pending(2, (note(1), note(2)))
    sender.outbox.sent("field", 2)
    assert sender.outbox.pending("field", 2) == Pending(4, (note(3), note(4)))
    sender.outbox.sent("field", 5)
    assert sender.outbox.pending("field") == Pending(5, ())
    sender.outbox.put("field", note(6))
    assert sender.outbox.pending("field") == Pending(6, (note(6),))


def test_one_delivery_holds_200_notes_at_most():
    assert MAX_DELIVERY == 200
    sender = sender_with(201)
    for limit in (200, 201, 1_000):
        pending = sender.outbox.pending("field", limit)
        assert (pending.number, len(pending.notes)) == (200, 200)


def test_long_texts_make_short_deliveries_but_never_empty_ones():
    sender = Sender()
    for _ in range(100):
        sender.outbox.put("field", note("x" * 4_096)._replace(session_id="y" * 4_096, space="z" * 4_096))
    pending = sender.outbox.pending("field")
    assert (pending.number, len(pending.notes)) == (81, 81), "12,302 characters each"
    sender.outbox.put("thresholds", note("x" * 2_000_000))
    assert len(sender.outbox.pending("thresholds").notes) == 1


def test_counts_stay_within_what_crosses_the_wire():
    sender = Sender()
    sender.outbox.put("field", note("a")._replace(n_tokens=2**54, n_total_tokens=-(2**54), n_extra_tokens=2**53))
    (kept,) = sender.outbox.pending("field").notes
    assert (kept.n_tokens, kept.n_total_tokens, kept.n_extra_tokens) == (2**53, -(2**53), 2**53)
    decode = make_decoder(Note, FROM_OUTSIDE)
    assert decode(list(kept)) == kept


def test_an_old_confirmation_changes_nothing():
    sender = sender_with(3)
    sender.outbox.sent("field", 2)
    n_events = len(sender.events)
    for number in (0, 1, 2):
        sender.outbox.sent("field", number)
    assert len(sender.events) == n_events
    assert sender.outbox.pending("field") == Pending(3, (note(3),))


def test_notes_that_were_never_put_cannot_be_confirmed():
    sender = sender_with(3)
    with pytest.raises(Misuse, match="note 4 for 'field' was never put: the last one is 3"):
        sender.outbox.sent("field", 4)
    with pytest.raises(Misuse, match="note 1 for 'thresholds' was never put: the last one is 0"):
        sender.outbox.sent("thresholds", 1)
    assert len(sender.events) == 3
    assert sender.outbox.receivers == ["field"]


def test_of_too_many_the_oldest_goes_that_cannot_be_on_its_way():
    sender = sender_with(203, max_queue=202)
    assert sender.events[-2:] == [NotePut("field", note(203)), NotesDropped("field", 201, 1)]
    assert paths(sender.outbox.pending("field")) == [str(name) for name in range(1, 201)]
    sender.outbox.sent("field", 200)
    assert sender.outbox.pending("field") == Pending(202, (note(202), note(203)))
    assert sender.outbox.counts() == (OutboxCount("field", 203, 200, 1, 2),)


def test_a_queue_that_overflows_for_long_keeps_what_may_be_on_its_way_and_the_newest():
    sender = sender_with(1_000, max_queue=203)
    sender.outbox.sent("field", 200)
    assert paths(sender.outbox.pending("field")) == ["998", "999", "1000"]
    assert sender.outbox.pending("field").number == 203
    assert sender.outbox.counts() == (OutboxCount("field", 1_000, 200, 797, 3),)


def test_what_was_sent_in_part_is_kept_when_others_are_dropped():
    sender = sender_with(202, max_queue=202)
    sender.outbox.sent("field", 2)
    for name in (203, 204, 205):
        sender.outbox.put("field", note(name))
    assert sender.events[-1] == NotesDropped("field", 203, 1)
    assert sender.outbox.pending("field").notes[-1] == note(202), "202 is the 200th that waits"
    sender.outbox.sent("field", 202)
    assert paths(sender.outbox.pending("field")) == ["204", "205"]


def test_a_full_queue_costs_another_receiver_nothing():
    sender = sender_with(300, max_queue=250)
    sender.outbox.put("thresholds", note("a"))
    assert sender.outbox.counts() == (OutboxCount("field", 300, 0, 50, 250), OutboxCount("thresholds", 1, 0, 0, 1))


def test_a_queue_is_10_000_notes_long_unless_told_otherwise():
    sender = sender_with(0)
    event = NotePut("field", note(1))
    for _ in range(10_000):
        sender.outbox.evolve(event)
    sender.outbox.put("field", note(2))
    assert sender.outbox.counts() == (OutboxCount("field", 10_001, 0, 1, 10_000),)


def test_a_queue_must_be_longer_than_a_delivery():
    with pytest.raises(ValueError, match="max_queue=200 must be over 200, which may be on their way"):
        Sender(max_queue=200)


def test_replay_asks_no_limit():
    sender = sender_with(260, max_queue=201)
    sender.outbox.sent("field", 200)
    sender.outbox.put("field", note("last"))
    twin = Sender(max_queue=5_000)
    for event in sender.events:
        code = EVENTS.codes[type(event)]
        twin.record(EVENTS.make(code, unpack_own(pack(event))))
    assert list(twin.outbox.rows()) == list(sender.outbox.rows())


def test_rows_bring_the_state_back():
    sender = sender_with(250, max_queue=240)
    sender.outbox.sent("field", 3)
    sender.outbox.put("thresholds", note("a"))
    sender.outbox.sent("thresholds", 1)
    twin = Sender(max_queue=240)
    for row in sender.outbox.rows():
        twin.outbox.load(unpack_own(pack(row)))
    twin.outbox.check_invariants()
    assert list(twin.outbox.rows()) == list(sender.outbox.rows())
    assert twin.outbox.counts() == sender.outbox.counts()
    assert twin.outbox.pending("field") == sender.outbox.pending("field")


def test_a_note_that_got_lost_is_found():
    sender = sender_with(1)
    sender.outbox.load(["field", 2, 0, 0])
    with pytest.raises(InvariantBroken, match="do not add up"):
        sender.outbox.check_invariants()


def test_what_goes_through_the_outbox_is_as_durable_as_its_cause():
    assert EVENTS.kinds == {10: NotePut, 11: NotesSent, 12: NotesDropped}
    assert EVENTS.relaxed == {NotePut, NotesSent, NotesDropped}
