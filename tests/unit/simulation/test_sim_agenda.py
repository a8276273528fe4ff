"""Virtual time."""

import pytest

from coordinator.simulation.agenda import Agenda


def test_things_happen_in_the_order_of_their_times_and_ties_in_the_order_of_entry() -> None:
    agenda, done = Agenda(), []
    for name, at_s in (("c", 2.0), ("a", 1.0), ("d", 2.0), ("b", 1.5)):
        agenda.at(at_s, lambda name=name: done.append((name, agenda.now_s)))
    for _ in range(4):
        agenda.step()
    assert done == [("a", 1.0), ("b", 1.5), ("c", 2.0), ("d", 2.0)]


def test_what_is_past_happens_now_and_never_back_in_time() -> None:
    agenda, done = Agenda(), []
    agenda.at(5.0, lambda: agenda.at(1.0, lambda: done.append(agenda.now_s)))
    agenda.run_until(9.0)
    assert done == [5.0]
    assert agenda.now_s == 9.0


def test_run_until_leaves_what_is_later() -> None:
    agenda, done = Agenda(), []
    agenda.after(1.0, lambda: done.append("soon"))
    agenda.after(3.0, lambda: done.append("later"))
    agenda.run_until(2.0)
    assert done == ["soon"]
    agenda.step()
    assert done == ["soon", "later"]
    with pytest.raises(IndexError):
        agenda.step()
