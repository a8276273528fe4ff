"""Where things stand in a wakeup, and that its cap holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.memory.fact import Fact
from coordinator.reading.token_count import count_tokens
from coordinator.waking.layout import Room, lay_out


def fact(number, category="api", value="reads the tokens of a file", key=""):
    return Fact(number, "home", category, key or f"key{number}", value, 1.0, "ann#1", 0.0, "", 0.0)


def by_words(text):
    return len(text.split())


def room(max_tokens, share=0.7, count=count_tokens):
    return Room("default", max_tokens, share, count)


def distinct(n):
    """Facts that do not go together, of four words each with the line of their topic."""
    return [fact(number, f"c{number}", f"v{number} w{number}") for number in range(n)]


def lines(*numbers):
    return [line for n in numbers for line in (f"[c{n}]", f"key{n}: v{n} w{n}")]


def test_the_most_salient_stand_first_the_next_at_the_end_and_the_task_last():
    made = lay_out(distinct(10), "fix the login", room(28, 0.5, by_words))
    assert made.begin.splitlines() == lines(0, 1, 2)  # 12 of the 24 that the task leaves
    assert made.end.splitlines() == lines(3, 4, 5)
    assert made.task == "Task: fix the login\n"
    assert made.text == made.begin + made.end + made.task == str(made)
    assert [(one.fact.fact_id, one.position) for one in made.placed[2:4]] == [(2, "begin"), (3, "end")]
    assert (made.n_left_out, made.n_tokens) == (4, 28)


@pytest.mark.parametrize(("share", "n_begin"), [(0.35, 3), (0.7, 7), (0.85, 8)])
def test_the_beginning_gets_its_share(share, n_begin):
    made = lay_out(distinct(10), "", room(40, share, by_words))
    assert made.begin.splitlines() == lines(*range(n_begin))
    assert made.end.splitlines() == lines(*range(n_begin, 10))


def test_what_has_no_room_at_the_beginning_may_find_some_at_the_end():
    facts = [fact(0, "a", "x y"), fact(1, "b", "w " * 8 + "w"), fact(2, "c", "x z")]
    made = lay_out(facts, "", room(19, 0.5, by_words))
    assert [(one.fact.fact_id, one.position) for one in made.placed] == [(0, "begin"), (1, "end"), (2, "end")]
    assert made.n_tokens == 19


def test_a_task_that_is_too_long_is_cut_and_says_so():
    made = lay_out(distinct(3), "fix " * 500, room(50))
    assert made.text.startswith("Task: fix fix")
    assert made.text.endswith("…\n")
    assert made.n_tokens <= 50


def test_a_task_of_several_lines_is_one():
    assert lay_out([], "fix\nthe  login", room(50)).text == "Task: fix the login\n"


def test_nothing_makes_nothing():
    made = lay_out([], "", room(50))
    assert (made.text, made.n_tokens, made.placed) == ("", 0, ())


texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=60)


@given(
    st.lists(st.tuples(st.sampled_from(["api", "db"]), texts, texts), max_size=20),
    st.text(max_size=300),
    st.integers(0, 200),
    st.sampled_from([0.0, 0.35, 0.7, 0.85, 1.0]),
    st.sets(st.integers(0, 19)),
)
def test_no_input_takes_a_wakeup_over_its_cap(rows, task, max_tokens, share, contradicted):
    facts = [fact(number, category, value, key) for number, (category, key, value) in enumerate(rows)]
    made = lay_out(facts, task, room(max_tokens, share), contradicted=contradicted)
    assert made.n_tokens == count_tokens(made.text) <= max_tokens
    assert len(made.placed) + made.n_left_out == len(facts)
    assert len({one.fact.fact_id for one in made.placed}) == len(made.placed)
    assert made == lay_out(facts, task, room(max_tokens, share), contradicted=contradicted)
    for one in made.placed:
        assert one.fact.value in (made.begin if one.position == "begin" else made.end)
