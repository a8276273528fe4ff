"""Which query a read goes by."""

import pytest

from actors.runtime.errors import Misuse
from coordinator.reading.focus import MAX_CHARACTERS, SEARCH_HOLDS_S, Focus
from coordinator.reading.query import Query


def test_what_is_given_comes_first_then_the_task_then_the_last_search() -> None:
    focus = Focus()
    assert focus.query("", 1_000.0) is None
    focus.searched("RetryPolicy", 1_000.0)
    assert focus.query("", 1_000.0) == Query("RetryPolicy", "search")
    focus.work_on("Retry once after a timeout")
    assert focus.query("", 1_000.0) == Query("Retry once after a timeout", "task")
    assert focus.query("parse", 1_000.0) == Query("parse", "given")
    focus.work_on("")
    assert focus.query(" \n", 1_000.0) == Query("RetryPolicy", "search")


def test_a_search_holds_for_half_an_hour_and_not_before_it_was_made() -> None:
    focus = Focus()
    focus.searched("RetryPolicy", 1_000.0)
    assert focus.query("", 1_000.0 + SEARCH_HOLDS_S) is not None
    assert focus.query("", 1_000.1 + SEARCH_HOLDS_S) is None
    assert focus.query("", 999.0) is None


def test_a_text_that_is_too_long_is_refused_and_changes_nothing() -> None:
    focus = Focus("task", "search", 5.0)
    with pytest.raises(Misuse, match="limit is 8000"):
        focus.work_on("x" * (MAX_CHARACTERS + 1))
    with pytest.raises(Misuse, match="limit is 8000"):
        focus.searched("x" * (MAX_CHARACTERS + 1), 9.0)
    with pytest.raises(Misuse, match="text"):
        focus.work_on(7)  # type: ignore[arg-type]  # that is the case
    assert focus == Focus("task", "search", 5.0)


def test_it_comes_back_from_a_file() -> None:
    focus = Focus("task", "search", 5.0)
    assert Focus.from_plain(focus.to_plain()) == focus
