"""Several processes speak for one session, one after another and at once."""

import pytest

from actors.coordination.messages import SCHEMA
from actors.runtime.errors import Busy
from actors.runtime.wire import decode_envelope, unpack_own
from actors.scent_field.messages import ListAudit, Release
from coordinator.conversation import MAX_UNCERTAIN, Conversation, Numbers

COMMAND = Release("test", ("a.py",), 0, False)


def conversation(numbers: Numbers) -> Conversation:
    made = Conversation(SCHEMA, "ann#1", "0" * 32)
    made.resume(numbers)
    return made


def envelope_of(raw: bytes) -> tuple[int, int, tuple[int, ...]]:
    (fields,) = unpack_own(raw)[1]
    envelope = decode_envelope(fields, SCHEMA)
    return envelope.number, envelope.received_through, envelope.abandoned


def test_it_goes_on_at_its_first_number_and_all_before_is_received() -> None:
    talk = conversation(Numbers(first=257, last=512, open_from=513))
    assert envelope_of(talk.unnumbered([ListAudit("test")])) == (0, 256, ())
    number, raw = talk.numbered([COMMAND])
    assert (number, envelope_of(raw)) == (257, (257, 256, ()))
    talk.received(number)
    assert envelope_of(talk.numbered([COMMAND])[1]) == (258, 257, ())


def test_nothing_is_called_received_from_where_another_process_still_waits() -> None:
    talk = conversation(Numbers(first=513, last=768, open_from=257))
    number, _ = talk.numbered([COMMAND])
    talk.received(number)
    assert envelope_of(talk.numbered([COMMAND])[1]) == (514, 256, ())


def test_what_earlier_processes_gave_up_is_told_and_then_received() -> None:
    talk = conversation(Numbers(first=257, last=512, open_from=513, given_up=frozenset({3, 4})))
    told = talk.told()
    number, raw = talk.numbered([COMMAND])
    assert envelope_of(raw) == (257, 2, (3, 4))
    talk.received(number, told)
    assert envelope_of(talk.numbered([COMMAND])[1]) == (258, 257, ())


def test_a_process_that_has_used_up_its_numbers_is_busy() -> None:
    talk = conversation(Numbers(first=1, last=2, open_from=3))
    talk.numbered([COMMAND])
    talk.numbered([COMMAND])
    with pytest.raises(Busy, match="used up the request numbers"):
        talk.numbered([COMMAND])


def test_what_was_turned_away_is_given_up_and_of_a_long_outage_the_first_of_it() -> None:
    talk = Conversation(SCHEMA, "ann#1", "0" * 32)
    for _ in range(MAX_UNCERTAIN + 10):
        number, _ = talk.numbered([COMMAND])
        talk.turned_away(number)
    assert talk.told() == frozenset(range(1, MAX_UNCERTAIN + 1))
    number, raw = talk.numbered([COMMAND])
    assert envelope_of(raw)[:2] == (MAX_UNCERTAIN + 11, 0)
    talk.received(number, talk.told())
    assert envelope_of(talk.numbered([COMMAND])[1]) == (MAX_UNCERTAIN + 12, MAX_UNCERTAIN + 11, ())


def test_what_is_sent_again_is_the_same_request_and_tells_what_was_given_up_since() -> None:
    talk = Conversation(SCHEMA, "ann#1", "0" * 32)
    first, _ = talk.numbered([COMMAND])
    second, raw = talk.numbered([COMMAND])
    assert envelope_of(raw) == (2, 0, ())
    talk.give_up(first)
    assert envelope_of(talk.again(second, [COMMAND])) == (2, 0, (1,))
