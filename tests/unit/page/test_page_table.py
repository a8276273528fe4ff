"""What one moment of the page differs in from the one before."""

import json

from coordinator.page.table import DRIFT_S, Tables, event


def test_only_what_differs_is_told():
    tables = Tables()
    first = tables.take({"claims": {"1": {"holder": "ann"}, "2": {"holder": "bob"}}})
    assert first.document() == {"put": {"claims": {"1": {"holder": "ann"}, "2": {"holder": "bob"}}}, "drop": {}}
    second = tables.take({"claims": {"2": {"holder": "cat"}}})
    assert second.document() == {"put": {"claims": {"2": {"holder": "cat"}}}, "drop": {"claims": ["1"]}}
    assert not tables.take({"claims": {"2": {"holder": "cat"}}})


def test_a_table_that_is_not_told_of_stays():
    tables = Tables()
    tables.take({"claims": {"1": {}}, "waiters": {"7": {}}})
    assert not tables.take({"waiters": {"7": {}}})
    assert tables.whole() == {"claims": {"1": {}}, "waiters": {"7": {}}}


def test_a_point_in_time_that_drifts_is_the_same_and_the_first_one_is_kept():
    tables = Tables()
    tables.take({"claims": {"1": {"since_at": 100.0}}})
    assert not tables.take({"claims": {"1": {"since_at": 100.0 + DRIFT_S - 0.01}}})
    assert tables.take({"claims": {"1": {"since_at": 100.0 + DRIFT_S}}}), "drift does not add up unseen"
    assert tables.take({"claims": {"1": {"since_at": None}}})
    assert not tables.take({"claims": {"1": {"since_at": None}}})


def test_a_row_with_another_field_is_another():
    tables = Tables()
    tables.take({"actors": {"memory": {"trouble": "gone"}}})
    assert tables.take({"actors": {"memory": {"trouble": "gone", "pid": 7}}})


def test_what_is_handed_out_is_no_part_of_what_is_kept():
    tables = Tables()
    tables.take({"claims": {"1": {}}})
    tables.whole()["claims"].clear()
    assert tables.whole() == {"claims": {"1": {}}}


def test_an_event_is_one_line_of_data_whatever_stands_in_it():
    raw = event("change", {"target": "a\nb\r\u2028é\n\nevent: x"}, "e.7")
    lines = raw.decode("ascii").split("\n")
    assert lines[:2] == ["id: e.7", "event: change"]
    assert lines[3:] == ["", ""]
    assert json.loads(lines[2].removeprefix("data: ")) == {"target": "a\nb\r\u2028é\n\nevent: x"}
