"""What speaks for a piece."""

import numpy as np
import pytest

from actors.thresholds.ranking import SIGNALS
from coordinator.reading.cut_file import cut_file
from coordinator.reading.line_history import LineHistory, Patch, line_history
from coordinator.reading.query import Query
from coordinator.reading.source import decode
from coordinator.reading.unit_signal import Evidence, signals_of

TEXT = """\
import os


def parse_header(line):
    return line


def send_retry(request):
    return request


def close(self):
    return None
"""
IMPORTS, PARSE, SEND, CLOSE = range(4)


def column(name: str, **evidence: object) -> list[float]:
    source = decode(TEXT.encode())
    rows = signals_of(cut_file(source, "a.py"), Evidence(**evidence))  # type: ignore[arg-type]
    return [row[SIGNALS.index(name)] for row in rows]


def history(*patches: Patch) -> LineHistory:
    return line_history(patches, len(TEXT.splitlines()))


def test_without_a_query_a_history_or_a_model_only_kind_place_and_size_say_something() -> None:
    for name in SIGNALS:
        assert any(column(name)) == (name in {"imports", "end", "size"}), name


def test_words_of_the_query_are_found_inside_names() -> None:
    words = column("words", query=Query("retry policy"))
    assert words[SEND] == 1.0
    assert words[PARSE] == words[CLOSE] == 0.0


def test_the_first_line_of_a_query_counts_by_itself() -> None:
    asked = Query("Retry once\n\nparse_header and close are not concerned: parse_header(line)")
    assert column("first_line", query=asked)[SEND] == 1.0
    assert column("first_line", query=asked)[PARSE] == 0.0
    assert column("words", query=asked)[PARSE] == 1.0


def test_a_name_that_is_mentioned_counts_more_than_one_of_its_words() -> None:
    assert column("name", query=Query("fix parse_header"))[PARSE] == 1.0
    assert column("name", query=Query("fix the header"))[PARSE] == 0.5
    assert column("name", query=Query("fix the header"))[CLOSE] == 0.0


def test_the_commonest_words_of_english_are_not_looked_for() -> None:
    assert column("words", query=Query("return this to the self")) == column("words", query=Query("return self"))


def test_meaning_is_how_much_nearer_a_piece_is_than_the_others() -> None:
    vectors = np.array([[1, 0], [0, 1], [1, 0], [0, 1], [0, 1]], np.float32)
    meaning = column("meaning", query=Query("x"), vectors=vectors)
    assert meaning.index(max(meaning)) == PARSE
    assert sum(meaning) == pytest.approx(0.0, abs=1e-6)


def test_a_neighbour_of_what_is_looked_for_is_near() -> None:
    near = column("near", query=Query("send retry"))
    assert near[PARSE] == near[CLOSE] > 0
    assert near[SEND] == near[IMPORTS] == 0.0


def test_newer_changes_and_smaller_ones_are_warmer() -> None:
    recency = column("recency", history=history(Patch("a", ((5, 1, 5, 1),)), Patch("b", ((9, 1, 9, 1),))))
    assert recency[PARSE] > recency[SEND] > 0.0 == recency[CLOSE]
    sweep = column("recency", history=history(Patch("a", ((1, 1, 1, 1), (5, 1, 5, 1), (9, 1, 9, 1)))))
    assert 0 < sweep[PARSE] < recency[PARSE]


def test_what_changed_for_a_reason_like_the_query_is_similar() -> None:
    past = history(Patch("Count retries", ((5, 1, 5, 1),)), Patch("Close the socket", ((9, 1, 9, 1),)))
    assert column("similar", query=Query("the socket leaks"), history=past)[SEND] == 1.0
    assert column("similar", query=Query("the socket leaks"), history=past)[PARSE] == 0.0
