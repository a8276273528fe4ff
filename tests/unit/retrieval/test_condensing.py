"""Passages in fewer tokens."""

from hypothesis import given
from hypothesis import strategies as st

from coordinator.reading.token_count import count_tokens
from coordinator.retrieval.condensing import MARK, condensed

PROSE = """\
Copying
-------

Nobody needs this paragraph about the weather of today.

Use shutil to copy a file, and copytree for a folder.

Nor that one, which is about the history of the village.
"""
CODE = "def copy(path):\n" + "".join(f"    step_{number}(path)\n" for number in range(10)) + "    return target\n"


def test_level_0_is_the_text() -> None:
    assert condensed(PROSE, "copy", 0.0, by_paragraph=True) == PROSE


def test_prose_keeps_its_heading_and_the_paragraph_that_speaks_of_the_query() -> None:
    assert condensed(PROSE, "how do I copy a file", 1.0, by_paragraph=True) == (
        f"Copying\n-------\n\n{MARK}Use shutil to copy a file, and copytree for a folder.\n\n{MARK}"
    )


def test_code_keeps_lines() -> None:
    short = condensed(CODE, "target", 0.8, by_paragraph=False)
    assert short.startswith("def copy(path):\n")
    assert short.endswith("    return target\n")
    assert MARK in short


def test_a_higher_level_costs_no_more() -> None:
    sizes = [count_tokens(condensed(CODE, "target", level / 10, by_paragraph=False)) for level in range(11)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 0.5 * sizes[0]


@given(
    st.text(alphabet="ab \n\r.é", max_size=200),
    st.floats(0.0, 1.0),
    st.booleans(),
)
def test_what_stays_are_lines_of_the_text_in_their_order(text: str, level: float, by_paragraph: bool) -> None:
    kept = condensed(text, "a", level, by_paragraph=by_paragraph).replace(MARK, "").splitlines(keepends=True)
    rest = iter(text.splitlines(keepends=True))
    assert all(any(line == other for other in rest) for line in kept)
