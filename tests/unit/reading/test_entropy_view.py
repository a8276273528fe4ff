"""What the mode `entropy` shows, on files small enough to check by hand."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from coordinator.reading.mode import Mode
from coordinator.reading.query import Query
from coordinator.reading.render import render
from coordinator.reading.sieve import LineFilter
from coordinator.reading.source import decode
from coordinator.reading.view import View

Vectors = npt.NDArray[np.float32]

PAIRS = "0,0\n" * 40  # 0.92 bits a line: under every base
STEPS = "a = b + 1\n" * 40  # 2.58 bits a line: over the base of .rs, 2.55, and under that of .py, 3.6
TWELVE = "one two three four five six seven eight nine ten eleven twelve"
FIRST = f"first {TWELVE}\n"  # 3.70 bits, as LAST: thirteen different tokens, over every base but that of .md
LAST = f"last {TWELVE}\n"
TEXT = f"{FIRST}{STEPS}\n{LAST}"


def shown(text: str, path: str = "a.rs", mode: str = "entropy", **asked: object) -> View:
    line_filter = LineFilter(**asked)  # type: ignore[arg-type]  # named in each test
    return render(decode(text.encode()), Mode.parse(mode), path=path, why="explicit", line_filter=line_filter)


def neutral(view: View) -> str:
    return view.body.replace(f"…{view.tag}", "…TAG")


def test_a_run_of_lines_that_say_little_becomes_one_marker() -> None:
    view = shown(TEXT, "a.py")
    assert neutral(view) == f"{FIRST}…TAG 2-42\n{LAST}"
    assert view.mode == "entropy"
    assert view.shown.ranges == ((1, 1), (43, 43))
    assert view.header == (
        f"…{view.tag} entropy (explicit): {view.tokens} of {view.total_tokens} tokens; lines of 3.600 bits or more; "
        f'"…{view.tag} N-M NAME" = omitted: get lines:N-M or expand NAME\n'
    )


def test_the_learned_delta_decides_over_lines_near_the_base() -> None:
    assert shown(TEXT, "a.rs").mode == "full"
    more = shown(TEXT, "a.rs", delta=0.10)
    assert neutral(more) == f"{FIRST}…TAG 2-42\n{LAST}"
    assert "lines of 2.850 bits or more" in more.header


def test_the_extension_is_taken_in_lower_case() -> None:
    assert shown(TEXT, "A.PY").body == shown(TEXT, "a.py").body
    assert shown(TEXT, "A.RS").mode == "full"


def test_without_a_line_filter_base_and_nothing_else_decide() -> None:
    plain = render(decode(TEXT.encode()), Mode("entropy"), path="a.py", why="explicit")
    assert plain == shown(TEXT, "a.py")


def test_a_gap_that_costs_less_than_a_marker_is_shown() -> None:
    text = f"{FIRST}}}\n\n{LAST}{STEPS}"
    assert neutral(shown(text, "a.py")) == f"{FIRST}}}\n\n{LAST}…TAG 5-44\n"


def test_a_marker_names_the_definition_where_that_is_not_dearer_than_the_gap() -> None:
    body = "    0,0\n" * 40
    low = -0.8  # 1.2 bits, so that the line with the name is kept
    named = shown(f"def weigh(sample):\n{body}", "a.py", delta=low)
    assert neutral(named) == "def weigh(sample):\n…TAG 2-41 weigh\n"
    name = "weigh_" * 60
    long = shown(f"def {name}(sample):\n{body}", "a.py", delta=low)
    assert neutral(long).endswith(f"):\n…TAG 2-41 {name}\n")
    short = shown(f"def {name}(sample):\n{body[: len(body) // 2]}", "a.py", delta=low)
    assert neutral(short).endswith("):\n…TAG 2-21\n")


def test_what_does_not_pay_comes_whole_and_says_so() -> None:
    view = shown("let x = 1;\n", "a.rs")
    assert (view.mode, view.body, view.fallback) == ("full", "let x = 1;\n", "entropy would cost as much")
    assert view.header.endswith("tokens; entropy would cost as much\n")


def test_a_budget_counts_all_that_is_printed_and_is_filled_with_what_says_most() -> None:
    text = "".join(f"call_{number}(alpha, beta, gamma_{number}, delta)\nx = {number}\n" for number in range(40))
    view = shown(text, "a.py", budget=400)
    assert 360 < view.tokens <= 400
    assert view.tokens < view.total_tokens
    assert "; budget 400; " in view.header
    assert "call_0(alpha" in view.body
    assert shown(text, "a.py", budget=300).shown.n_lines < view.shown.n_lines


def test_what_fits_the_budget_comes_whole() -> None:
    view = shown(TEXT, "a.py", budget=1_000)
    assert (view.mode, view.body) == ("full", TEXT)
    assert view.fallback == "all of it fits the budget of 1000 tokens"
    assert view.fallback in view.header


def test_a_budget_below_a_view_without_lines_is_said_to_be_broken() -> None:
    view = shown(TEXT, "a.rs", budget=10)
    assert neutral(view) == "…TAG 1-43\n"
    assert view.fallback == "over the budget of 10 tokens"
    assert view.fallback in view.header
    tiny = shown("let x = 1;\n", "a.rs", budget=1)
    assert tiny.body == "let x = 1;\n"
    assert tiny.fallback == "entropy would cost as much; over the budget of 1 tokens"


def test_a_file_that_comes_whole_for_want_of_anything_cheaper_says_that_it_is_over_the_budget() -> None:
    text = "0\U00011b00\n0:0\n0\U00011b00\n\n" * 3
    whole = shown(text, "a.py", budget=10_000)
    for budget in range(40, whole.tokens + 10):
        view = shown(text, "a.py", budget=budget)
        assert (view.tokens <= budget) == ("over the budget" not in view.header), budget


def test_a_query_brings_its_lines_into_the_budget() -> None:
    text = "".join(f"call_{number}(alpha, beta, gamma_{number}, delta)\n" for number in range(40)) + "retry(policy)\n"
    assert "retry(policy)" not in shown(text, "a.py", budget=200).body
    view = shown(text, "a.py", budget=200, query=Query("RetryPolicy", "task"))
    assert "retry(policy)" in view.body
    assert '; query (task) "RetryPolicy"; budget 200; ' in view.header
    assert view.tokens <= 200


def test_a_query_that_is_nowhere_is_said_to_be() -> None:
    view = shown(TEXT, "a.py", query=Query("elsewhere"))
    assert 'query (given) "elsewhere", which no line holds a word of; ' in view.header
    assert view.body == shown(TEXT, "a.py").body


def equal_texts_are_equal(texts: Sequence[str]) -> Vectors:
    """Each different text has an axis of its own."""
    axes = {text: axis for axis, text in enumerate(dict.fromkeys(texts))}
    return np.eye(len(axes), dtype=np.float32)[[axes[text] for text in texts]]


REPEATED = "let first = start(1);\n" + "log.write(alpha, beta)\n" * 20 + "let last = stop(2);\n"


def test_near_duplicates_are_dropped_and_counted() -> None:
    assert shown(REPEATED).mode == "full"
    view = shown(REPEATED, vectors_of=equal_texts_are_equal)
    assert neutral(view) == "let first = start(1);\nlog.write(alpha, beta)\n…TAG 3-21\nlet last = stop(2);\n"
    assert "; 19 near-duplicates dropped; " in view.header


def test_without_vectors_the_view_is_the_lexical_one() -> None:
    for text in (TEXT, REPEATED):
        assert shown(text, "a.py", vectors_of=lambda _: None) == shown(text, "a.py")


def test_duplicates_that_would_cost_more_to_leave_out_stay() -> None:
    text = f"let a = b(1);\nlet a = b(1);\nlet c = d(2);\n{PAIRS}"
    view = shown(text, "a.rs", vectors_of=equal_texts_are_equal)
    assert view == shown(text, "a.rs")
    assert view.body.startswith("let a = b(1);\nlet a = b(1);\n")


def test_the_model_is_asked_once_whatever_the_budget() -> None:
    asked: list[int] = []

    def vectors_of(texts: Sequence[str]) -> Vectors:
        asked.append(len(texts))
        return equal_texts_are_equal(texts)

    text = "".join(f"call_{number}(alpha, beta, gamma_{number}, delta)\n" for number in range(40))
    assert shown(text, "a.py", budget=200, vectors_of=vectors_of).tokens <= 200
    assert len(asked) == 1


@pytest.mark.parametrize(
    "text", ["", "\n\n\n", "é" * 9 + "\n", "a = b + c;\r\n" * 40, " ".join(map(str, range(9_000)))]
)
def test_files_that_say_enough_or_next_to_nothing_come_as_they_are(text: str) -> None:
    assert shown(text, "a.json").body == text


@pytest.mark.parametrize(
    ("text", "marker"),
    [("x" * 200_000, "1-1"), ("0,0\r\n" * 40, "1-40"), ("0,0\r" * 40, "1-40"), ("0,0\n" * 39 + "0,0", "1-40")],
)
def test_a_file_that_says_nothing_is_one_marker(text: str, marker: str) -> None:
    assert neutral(shown(text, "a.py")) == f"…TAG {marker}\n"


def test_other_modes_do_not_look_at_the_filter() -> None:
    assert shown(TEXT, mode="full", budget=5) == shown(TEXT, mode="full")
