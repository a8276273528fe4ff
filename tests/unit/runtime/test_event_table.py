from typing import NamedTuple

import pytest

from actors.runtime.errors import WireError
from actors.runtime.event_table import EventTable
from actors.runtime.wire import pack, unpack_own


class Painted(NamedTuple):
    walls: tuple[str, ...]
    at_s: float


class Noticed(NamedTuple):
    what: str


TABLE = EventTable({1: Painted, 2: Noticed}, relaxed=[Noticed])


def test_an_event_comes_back_from_its_row():
    events = [Painted(("north",), 3.0), Noticed("x")]
    rows = unpack_own(pack(TABLE.pack_form(events)))
    assert rows == [[1, [["north"], 3.0]], [2, ["x"]]]
    assert [TABLE.make(code, fields) for code, fields in rows] == events


def test_an_event_of_any_size_comes_back():
    event = Painted(tuple("w" * 5_000 for _ in range(5_000)), 1.0)
    ((code, fields),) = unpack_own(pack(TABLE.pack_form([event])))
    assert TABLE.make(code, fields) == event


def test_an_unknown_code_and_wrong_fields_are_refused():
    with pytest.raises(KeyError):
        TABLE.make(3, [])
    with pytest.raises(WireError, match="walls: expects an array"):
        TABLE.make(1, ["north", 3.0])


def test_only_relaxed_events_may_wait():
    assert TABLE.any_durable([Noticed("x"), Painted((), 1.0)])
    assert not TABLE.any_durable([Noticed("x")])
    assert not TABLE.any_durable([])


def test_two_tables_may_not_share_a_code():
    assert Noticed("x") in TABLE
    assert Noticed("x") not in EventTable({1: Painted})
    with pytest.raises(ValueError, match=r"journal codes \[2\] are taken twice"):
        TABLE + EventTable({2: Painted})
