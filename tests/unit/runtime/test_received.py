import pytest

from actors.runtime.errors import InvariantBroken, Misuse, WireError
from actors.runtime.outbox import BOUNCE, Deliver, Delivered, Note
from actors.runtime.received import EVENTS, MAX_SOURCES, NotesApplied, Received, SourceForgotten
from actors.runtime.wire import Schema, pack, unpack_own

SOURCE = "quality_store@s1"


def note(name):
    return Note(BOUNCE, "ada#1", "home", str(name), "py", "map", 10, 100, 0, 5.0)


def deliver(first, last, source=SOURCE):
    return Deliver(source, last, tuple(note(number) for number in range(first, last + 1)))


class Receiver:
    """What was received and its journal."""

    def __init__(self):
        self.events = []
        self.received = Received(self.record)

    def record(self, event):
        self.received.evolve(event)
        self.received.check_invariants()
        self.events.append(event)

    def take(self, delivery):
        return [int(one.path) for one in self.received.new_notes(delivery)]


def test_each_note_is_new_once():
    receiver = Receiver()
    assert receiver.take(deliver(1, 3)) == [1, 2, 3]
    assert receiver.take(deliver(1, 3)) == []
    assert receiver.take(deliver(2, 5)) == [4, 5]
    assert receiver.take(deliver(6, 6)) == [6]
    assert receiver.events == [NotesApplied(SOURCE, 3), NotesApplied(SOURCE, 5), NotesApplied(SOURCE, 6)]


def test_the_answer_says_how_far_the_source_is_applied():
    receiver = Receiver()
    receiver.take(deliver(1, 3))
    receiver.take(deliver(1, 2))
    assert receiver.received.answer(deliver(1, 2)) == Delivered(3)
    assert receiver.received.answer(deliver(1, 1, "quality_store@other")) == Delivered(0)


def test_sources_are_counted_apart():
    receiver = Receiver()
    assert receiver.take(deliver(1, 2)) == [1, 2]
    assert receiver.take(deliver(1, 1, "quality_store@s2")) == [1]
    assert (receiver.received.applied(SOURCE), receiver.received.applied("quality_store@s2")) == (2, 1)


def test_a_gap_is_refused_and_changes_nothing():
    receiver = Receiver()
    receiver.take(deliver(1, 3))
    with pytest.raises(Misuse, match="notes from 5 of 'quality_store@s1' do not follow 3, the last one applied"):
        receiver.take(deliver(5, 6))
    with pytest.raises(Misuse, match="deliver 1 first, or, if it is gone, an empty delivery of number 50"):
        receiver.take(deliver(51, 52, "quality_store@s2"))
    assert receiver.events == [NotesApplied(SOURCE, 3)]


def test_an_empty_delivery_says_where_the_notes_go_on():
    receiver = Receiver()
    receiver.take(deliver(1, 3))
    assert receiver.take(Deliver(SOURCE, 50, ())) == []
    assert receiver.events[-1] == NotesApplied(SOURCE, 50)
    assert receiver.take(deliver(49, 52)) == [51, 52]


def test_an_empty_delivery_of_what_is_applied_says_nothing():
    receiver = Receiver()
    assert receiver.take(Deliver(SOURCE, 0, ())) == []
    receiver.take(deliver(1, 3))
    assert receiver.take(Deliver(SOURCE, 2, ())) == []
    assert receiver.take(deliver(4, 4)) == [4]
    assert len(receiver.events) == 2


@pytest.mark.parametrize(
    "source", ["", "quality_store", "@s1", "quality_store@", "a b@s", "x" * 65 + "@s", "Q@s", "q@s\n"]
)
def test_a_source_is_a_domain_at_a_store(source):
    receiver = Receiver()
    with pytest.raises(Misuse, match=r"is not domain@store_id"):
        receiver.take(deliver(1, 1, source))
    assert receiver.events == []


@pytest.mark.parametrize("number", [2, 0, -1])
def test_numbers_start_at_one(number):
    receiver = Receiver()
    with pytest.raises(Misuse, match=f"cannot be number {number}: notes are numbered from 1"):
        receiver.take(Deliver(SOURCE, number, (note(1), note(2), note(3))))
    assert receiver.events == []


def test_a_negative_mark_is_refused():
    with pytest.raises(Misuse, match="cannot be number -1"):
        Receiver().take(Deliver(SOURCE, -1, ()))


def test_a_delivery_is_200_notes_at_most():
    receiver = Receiver()
    with pytest.raises(Misuse, match="201 notes at once are over the limit of 200"):
        receiver.take(deliver(1, 201))
    assert len(receiver.take(deliver(1, 200))) == 200


def test_the_source_that_was_not_heard_of_for_longest_is_forgotten():
    receiver = Receiver()
    assert MAX_SOURCES == 16
    for n in range(16):
        receiver.take(deliver(1, 2, f"quality_store@s{n}"))
    receiver.take(deliver(3, 3, "quality_store@s0"))
    receiver.take(deliver(1, 1, "quality_store@new"))
    assert receiver.events[-2:] == [NotesApplied("quality_store@new", 1), SourceForgotten("quality_store@s1")]
    assert receiver.received.applied("quality_store@s0") == 3
    assert receiver.received.applied("quality_store@s1") == 0
    assert len(list(receiver.received.rows())) == 16


def test_replay_and_rows_bring_the_state_back():
    receiver = Receiver()
    for n in range(20):
        receiver.take(deliver(1, n + 1, f"quality_store@s{n}"))
    replayed, loaded = Receiver(), Receiver()
    for event in receiver.events:
        replayed.record(EVENTS.make(EVENTS.codes[type(event)], unpack_own(pack(event))))
    for row in receiver.received.rows():
        loaded.received.load(unpack_own(pack(row)))
    expected = [[f"quality_store@s{n}", n + 1] for n in range(4, 20)]
    for twin in (receiver, replayed, loaded):
        assert list(twin.received.rows()) == expected


def test_a_number_that_cannot_be_is_found():
    receiver = Receiver()
    receiver.received.load([SOURCE, 0])
    with pytest.raises(InvariantBroken, match="is said to be applied up to 0"):
        receiver.received.check_invariants()


def test_what_is_applied_is_durable():
    assert EVENTS.kinds == {13: NotesApplied, 14: SourceForgotten}
    assert not EVENTS.relaxed


def test_a_delivery_crosses_the_wire():
    schema = Schema(commands={"deliver": Deliver}, answers={"delivered": Delivered}, anonymous=["deliver"])
    sent = deliver(1, 200)
    assert schema.command(unpack_own(pack(schema.wire_of(sent)))) == sent
    assert schema.answer(unpack_own(pack(schema.wire_of(Delivered(200))))) == Delivered(200)
    with pytest.raises(WireError, match="deliver"):
        schema.command(["deliver", SOURCE, 1, [["bounce"]]])
