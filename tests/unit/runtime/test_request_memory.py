import pytest

from actors.runtime.errors import InvariantBroken, Misuse
from actors.runtime.request_memory import (
    MAX_ABANDONED,
    Abandoned,
    Answered,
    AnsweredIdly,
    Forgotten,
    Parked,
    RequestMemory,
)


def memory_of(*events, max_unacknowledged=256, max_bytes=1_000):
    memory = RequestMemory(max_unacknowledged=max_unacknowledged, max_bytes=max_bytes)
    for event in events:
        memory.evolve(event)
        memory.check_invariants()
    return memory


def test_a_request_is_recalled_with_its_answers():
    memory = memory_of(Answered("ada#1", 1, 0, b"yes"), AnsweredIdly("ada#1", 2, 0, b"no"))
    assert memory.recall("ada#1", 1) == b"yes"
    assert memory.recall("ada#1", 2) == b"no"
    assert memory.recall("ada#1", 3) is None
    assert memory.recall("bo#2", 1) is None
    assert memory.n_bytes == 5


def test_what_was_received_is_dropped_and_never_run_again():
    memory = memory_of(Answered("ada#1", 1, 0, b"yes"), Answered("ada#1", 2, 1, b"no"))
    assert memory.n_bytes == 2
    with pytest.raises(Misuse, match="request 1 of 'ada#1' was answered and received before"):
        memory.recall("ada#1", 1)


def test_the_mark_never_goes_back():
    memory = memory_of(Answered("ada#1", 5, 4, b"x"), Answered("ada#1", 6, 0, b"y"))
    with pytest.raises(Misuse):
        memory.recall("ada#1", 4)
    assert memory.recall("ada#1", 5) == b"x"


def test_an_answer_that_was_acknowledged_before_it_came_is_not_kept():
    memory = memory_of(Parked("ada#1", 1, 0, 9), Answered("ada#1", 2, 1, b"x"), Answered("ada#1", 1, 0, b"late"))
    assert memory.n_bytes == 1


def test_what_was_given_up_is_refused():
    memory = memory_of(Answered("ada#1", 1, 0, b"yes"), Abandoned("ada#1", 1), Abandoned("ada#1", 7))
    assert memory.n_bytes == 0
    for number in (1, 7):
        with pytest.raises(Misuse, match=f"request {number} of 'ada#1' was given up"):
            memory.recall("ada#1", number)


def test_giving_up_is_recorded_once_and_not_below_the_mark():
    memory = memory_of(Answered("ada#1", 5, 4, b"x"), Abandoned("ada#1", 7))
    assert [number for number in range(1, 9) if memory.abandonable("ada#1", number)] == [5, 6, 8]
    assert memory.abandonable("bo#2", 1)


def test_a_mark_forgets_what_was_given_up_below_it():
    memory = memory_of(Abandoned("ada#1", 3), Answered("ada#1", 5, 4, b"x"))
    with pytest.raises(Misuse, match="answered and received before"):
        memory.recall("ada#1", 3)
    assert list(memory.snapshot()) == [["ada#1", 4, [(5, b"x")], []]]


def test_given_up_numbers_are_bounded():
    memory = memory_of(*(Abandoned("ada#1", number) for number in range(1, MAX_ABANDONED + 1)))
    with pytest.raises(Misuse, match="has given up 4096 requests beyond 0, which is the limit"):
        memory.abandonable("ada#1", MAX_ABANDONED + 1)
    assert not memory.abandonable("ada#1", MAX_ABANDONED)


def test_room_is_counted_by_request():
    memory = memory_of(Answered("ada#1", 1, 0, b"x"), Parked("ada#1", 2, 0, 9), max_unacknowledged=2)
    assert not memory.has_room("ada#1", 0)
    assert memory.has_room("bo#2", 0)


def test_room_is_counted_after_what_the_request_acknowledges():
    memory = memory_of(
        *(Answered("ada#1", number, 0, b"x" * 100) for number in (1, 2)), max_unacknowledged=2, max_bytes=200
    )
    assert not memory.has_room("ada#1", 0)
    assert memory.has_room("ada#1", 1)
    assert not memory.has_room("bo#2", 0), "the bytes are everybody's"


def test_a_waiting_request_is_found_by_its_ticket():
    memory = memory_of(Parked("ada#1", 1, 0, 9), Parked("ada#1", 2, 0, 8), Parked("bo#2", 1, 0, 7))
    assert memory.recall("ada#1", 1) == 9
    assert memory.waiting_request(9) == ("ada#1", 1)
    assert memory.tickets_of("ada#1") == [8, 9]
    assert memory.tickets_of("cy#3") == []
    memory.evolve(Answered("ada#1", 1, 0, b"x"))
    assert memory.waiting_request(9) is None
    assert memory.recall("ada#1", 1) == b"x"


def test_a_session_that_ended_leaves_nothing():
    memory = memory_of(
        Answered("ada#1", 1, 0, b"x"), Parked("ada#1", 2, 0, 9), Abandoned("ada#1", 3), Forgotten("ada#1")
    )
    assert "ada#1" not in memory
    assert memory.n_bytes == 0
    assert memory.waiting_request(9) is None
    memory_of(Forgotten("nobody#9"))


def test_a_snapshot_restores_all_of_it():
    memory = memory_of(
        Answered("bo#2", 4, 3, b"x"), Parked("bo#2", 5, 3, 9), Abandoned("bo#2", 9), AnsweredIdly("ada#1", 1, 0, b"yy")
    )
    twin = memory_of()
    for part in memory.snapshot():
        twin.restore_part(part)
    twin.check_invariants()
    assert list(twin.snapshot()) == list(memory.snapshot())
    assert twin.n_bytes == 3
    assert twin.waiting_request(9) == ("bo#2", 5)


def test_a_miscount_is_found():
    memory = memory_of(Answered("ada#1", 1, 0, b"x"))
    memory.n_bytes = 7
    with pytest.raises(InvariantBroken, match="counts 7 bytes, holds 1"):
        memory.check_invariants()
