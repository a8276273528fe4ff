"""Short cuts in counting tokens never give another number."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from coordinator.reading.entropy import line_tokens, weigh
from coordinator.reading.token_count import count_below, count_tokens

# What o200k joins with what is before it, and what it does not: white space, slashes, punctuation, letters, marks.
ODD = st.sampled_from(list(" \t\r\n/\\\u00a0\u2028\u0085\u1680\u3000\u200b\u0301'sS.)…\"#_9é漢😀\x00\x1c\ufeff"))
TEXT = st.lists(ODD | st.characters(), max_size=12).map("".join)


@settings(max_examples=600, deadline=None)
@given(head=TEXT, text=TEXT)
@example("…a3f1 map (x): all 9 tokens", "// a comment\n")
@example("expand NAME)", "/usr\n")
@example("expand NAME\u0301", "//\n")
@example("", "'s a\n")
def test_what_stands_below_a_line_is_counted_as_if_together(head: str, text: str) -> None:
    line = head.replace("\n", " ") + "\n"
    assert count_below(line, text, count_tokens(text)) == count_tokens(line + text)


@pytest.mark.parametrize("text", ["x = 1\n", "// a comment\n", "…a3f1 1-9 f\n", ""])
def test_what_begins_no_white_space_is_not_counted_again(text: str) -> None:
    assert count_below("tokens\n", text, 1_000) == count_tokens("tokens\n") + 1_000


@given(TEXT)
def test_a_lines_tokens_are_those_of_its_weight(line: str) -> None:
    assert line_tokens(line) == weigh(line).n_tokens
