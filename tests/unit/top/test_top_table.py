"""Sights as rows of text: bounded, and harmless whatever agents wrote."""

import pytest
from top_example import sight

from actors.scent_field.messages import FieldRow, FieldView
from coordinator.top.rate import Rates
from coordinator.top.sight import Sight
from coordinator.top.table import (
    MAX_CELL,
    actors_table,
    agents_table,
    bars,
    cell,
    claims_table,
    rates_table,
    signals_table,
    strength,
)


def test_claims_say_who_holds_what_and_how_many_more_there_are():
    table = claims_table(sight(1, view=FieldView(sight(1).view.rows, 0, 250, 0, "warn", 1)))
    assert table.rows[1][1] == ("src/billing/tax.py", "ann#1", "4 min", "70 s", "12", "round half to even")
    assert table.n_more == 244


def test_agents_have_the_number_of_their_claims():
    rows = dict(agents_table(sight(1)).rows)
    assert rows["ann#1"] == ("ann#1", "2", "heartbeat", "5 min", "27 s")
    assert {key: cells[1] for key, cells in rows.items()} == {
        "ann#1": "2",
        "ann#1/helper#4": "1",
        "bob#2": "2",
        "cyd#3": "1",
    }


def test_keys_are_unique_so_that_a_cursor_can_stay():
    for table in (claims_table(sight(1)), signals_table(sight(1)), agents_table(sight(1)), actors_table(sight(1))):
        keys = [key for key, _ in table.rows]
        assert len(set(keys)) == len(keys) > 0


@pytest.mark.parametrize("text", ["a\x1b[31mred", "two\nlines", "\x9b2J", "\u202eright to left"])
def test_what_agents_wrote_cannot_reach_the_terminal(text):
    assert cell(text).isprintable()


def test_cells_are_bounded():
    assert len(cell("x" * 10_000)) == MAX_CELL


def test_an_actor_that_was_not_seen_is_said():
    seen = sight(1)
    accounts = {name: account for name, account in seen.accounts.items() if name != "memory"}
    table = actors_table(
        sight(1, accounts=accounts, problems={"memory": "memory gave no answer", "thresholds": "refuses"})
    )
    states = {key: cells[1] for key, cells in table.rows}
    assert states == {
        "scent_field": "serving",
        "quality_store": "serving",
        "thresholds": "refuses",
        "memory": "memory gave no answer",
    }


def test_nothing_seen_is_nothing_shown():
    blind = Sight(0.0)
    assert (claims_table(blind).rows, signals_table(blind).rows, agents_table(blind).rows) == ((), (), ())
    assert blind.is_blind
    assert rates_table(Rates()).rows[0][1] == ("granted", "", "", "")


def test_bars_and_strengths():
    assert bars([]) == ""
    assert bars([0.0, 0.0]) == "▁▁"
    assert bars([0.0, 4.0, 8.0]) == "▁▅█"
    assert strength(3.0) == "████ 3.00"
    assert strength(9.0) == "████ 9.00"
    assert strength(0.06) == "     0.06"


def test_signals_are_told_from_claims():
    rows = (
        FieldRow("CLAIMED", "a", 2.0, ("x#1",), 1.0, 1, 0.0, ""),
        FieldRow("HOT", "a", 2.0, ("x#1",), 1.0, 0, 0.0, ""),
    )
    seen = sight(1, view=FieldView(rows, 3, 1, 0, "warn", 1))
    assert ([row.kind for row in seen.claims], [row.kind for row in seen.signals]) == (["CLAIMED"], ["HOT"])
    assert signals_table(seen).n_more == 3
