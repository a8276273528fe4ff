"""Which MCP sessions are still there; times are literals."""

from __future__ import annotations

from coordinator.gateway.attendance import Attendance


def begun(*sessions: str) -> Attendance:
    attendance = Attendance(silent_s=600.0, gone_s=2.0)
    for session in sessions:
        attendance.began(session, 100.0)
    return attendance


def test_a_session_without_a_stream_may_be_silent_for_a_while() -> None:
    attendance = begun("a")
    assert attendance.absent(699.0) == []
    assert attendance.absent(700.0) == ["a"]


def test_an_open_stream_keeps_a_session_however_long_its_agent_thinks() -> None:
    attendance = begun("a")
    attendance.opened("a", 101.0, is_stream=True)
    assert attendance.absent(10_000.0) == []


def test_a_session_that_lost_its_stream_is_given_up_soon() -> None:
    attendance = begun("a")
    attendance.opened("a", 101.0, is_stream=True)
    attendance.closed("a", 200.0, is_stream=True)
    assert attendance.absent(201.9) == []
    assert attendance.absent(202.0) == ["a"]


def test_a_session_with_another_stream_is_there() -> None:
    attendance = begun("a")
    attendance.opened("a", 101.0, is_stream=True)
    attendance.opened("a", 102.0, is_stream=True)
    attendance.closed("a", 200.0, is_stream=True)
    assert attendance.absent(10_000.0) == []
    attendance.closed("a", 10_000.0, is_stream=True)
    assert attendance.absent(10_002.0) == ["a"]


def test_a_stream_that_is_opened_again_in_time_keeps_the_session() -> None:
    attendance = begun("a")
    attendance.opened("a", 101.0, is_stream=True)
    attendance.closed("a", 200.0, is_stream=True)
    attendance.opened("a", 201.0, is_stream=True)
    assert attendance.absent(10_000.0) == []


def test_a_client_that_goes_on_without_its_stream_is_as_one_that_never_had_any() -> None:
    attendance = begun("a")
    attendance.opened("a", 101.0, is_stream=True)
    attendance.closed("a", 200.0, is_stream=True)
    attendance.opened("a", 201.0, is_stream=False)
    attendance.closed("a", 202.0, is_stream=False)
    assert attendance.absent(801.0) == []
    assert attendance.absent(802.0) == ["a"]


def test_a_call_that_ends_with_the_stream_is_no_sign_of_life() -> None:
    attendance = begun("a")
    attendance.opened("a", 101.0, is_stream=True)
    attendance.opened("a", 102.0, is_stream=False)
    attendance.closed("a", 200.0, is_stream=True)
    attendance.closed("a", 200.1, is_stream=False)
    assert attendance.absent(202.0) == []
    assert attendance.absent(202.1) == ["a"]


def test_a_request_that_takes_long_is_a_sign_of_life() -> None:
    attendance = begun("a")
    attendance.opened("a", 101.0, is_stream=False)
    attendance.opened("a", 102.0, is_stream=False)
    attendance.closed("a", 103.0, is_stream=False)
    assert attendance.absent(10_000.0) == []
    attendance.closed("a", 10_000.0, is_stream=False)
    assert attendance.absent(10_599.0) == []
    assert attendance.absent(10_600.0) == ["a"]


def test_those_that_are_absent_are_told_in_the_order_of_their_beginning() -> None:
    assert begun("b", "a").absent(1_000.0) == ["b", "a"]


def test_a_session_that_has_ended_or_never_began_is_not_kept() -> None:
    attendance = begun("a")
    attendance.ended("a")
    attendance.ended("a")
    attendance.opened("stranger", 101.0, is_stream=True)
    attendance.closed("stranger", 101.0, is_stream=True)
    assert (len(attendance), "a" in attendance, attendance.absent(10_000.0)) == (0, False, [])
