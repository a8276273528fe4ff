"""Two agents and one file, in tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from actors.quality_store.source import EXPLICIT
from actors.thresholds.cost import CALL_TOKENS
from coordinator.reading.mode import Mode
from coordinator.reading.render import expand, render
from coordinator.reading.source import decode
from coordinator.replay.change import Change
from coordinator.replay.contention import contend, main, pairs_of
from coordinator.replay.hunk import Hunk


def function(number: int) -> str:
    return f"def f{number}(a, b):\n" + "".join(f"    a_{number}_{n} = b * {n} + {number}\n" for n in range(28)) + "\n"


SHORT = "".join(function(n) for n in range(4))  # shown whole
LONG = "".join(function(n) for n in range(20))  # 600 lines: shown as a map
FIRST, FAR = 10, 50  # lines of f0 and f1


def changed(text: str, line: int) -> str:
    lines = text.splitlines(keepends=True)
    return "".join([*lines[: line - 1], "    changed = 1\n", *lines[line:]])


def pair(text: str, by_other: int, own: int) -> tuple[Change, Change]:
    before, after = text.encode(), changed(text, by_other).encode()
    return Change(0, "a.py", before, (Hunk(by_other, 1),)), Change(1, "a.py", after, (Hunk(own, 1),))


def tokens(text: str, mode: str, previous: str | None = None) -> int:
    old = None if previous is None else decode(previous.encode())
    return render(decode(text.encode()), Mode(mode), path="a.py", why=EXPLICIT, previous=old).tokens


def test_a_diff_costs_less_than_a_short_file_again() -> None:
    told = contend(*pair(SHORT, FIRST, FAR))
    assert (told.n_pairs, told.n_mixed, told.n_compressed) == (1, 0, 0)
    assert told.again_usual == tokens(changed(SHORT, FIRST), "full")
    assert told.again_fresh == tokens(changed(SHORT, FIRST), "diff", SHORT)
    assert (told.once_usual, told.once_hot) == (0, 0)


def test_of_a_long_file_the_part_that_is_needed_is_bought_after_either_view() -> None:
    told, now = contend(*pair(LONG, FIRST, FAR)), changed(LONG, FIRST)
    part = expand(decode(now.encode()), "f1", path="a.py", why=EXPLICIT).tokens + CALL_TOKENS
    assert told.again_usual == tokens(now, "map") + part
    assert told.again_fresh == tokens(now, "diff", LONG) + part
    assert told.once_usual == tokens(LONG, "map") + part
    assert told.once_hot == tokens(LONG, "full")


def test_what_the_other_changed_is_quoted_wrongly_by_whoever_was_shown_it() -> None:
    told, now = contend(*pair(LONG, FIRST, FIRST)), changed(LONG, FIRST)
    part = expand(decode(now.encode()), "f0", path="a.py", why=EXPLICIT).tokens + CALL_TOKENS
    assert told.n_mixed == 1
    assert told.once_usual == tokens(LONG, "map") + part  # the part is bought when it is needed, and is fresh
    assert told.once_hot > tokens(LONG, "full") + tokens(now, "full")


@pytest.mark.parametrize(("own", "is_mixed"), [(FIRST - 2, False), (FIRST - 1, True), (FIRST + 1, True)])
def test_a_line_of_context_is_enough_to_be_in_each_others_way(own: int, is_mixed: bool) -> None:
    assert contend(*pair(LONG, FIRST, own)).n_mixed == is_mixed


def test_what_was_added_or_taken_away_is_in_the_way_too() -> None:
    lines = LONG.splitlines(keepends=True)
    more = "".join([*lines[:9], "    new = 1\n", *lines[9:]])
    for before, after, own in ((LONG, more, Hunk(9, 1)), (more, LONG, Hunk(9, 1)), (LONG, more, Hunk(10, 1))):
        first, second = Change(0, "a.py", before.encode(), ()), Change(1, "a.py", after.encode(), (own,))
        assert contend(first, second).n_mixed == 1
        assert contend(first, second._replace(hunks=(Hunk(FAR, 1),))).n_mixed == 0


def test_pairs_are_of_one_file_and_of_texts_that_differ() -> None:
    first, second = pair(SHORT, FIRST, FAR)
    other = first._replace(path="b.py")
    assert list(pairs_of([first, other, second, second])) == [(first, second)]


def test_a_table_is_made_of_a_history(repo: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for number, text in enumerate((SHORT, changed(SHORT, FIRST), changed(changed(SHORT, FIRST), FAR))):
        repo.commit(f"change {number}", {"a.py": text})
    assert main([f"mine:py={repo.root}"]) == 0
    row = capsys.readouterr().out.splitlines()[-1].split(" | ")
    assert row[:3] == ["| mine, `.py`", "1", "0"]
    assert row[3].endswith(f"% of {tokens(changed(SHORT, FIRST), 'full')}")


def test_what_is_no_repository_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([f"mine:py={tmp_path}"]) == 2
    assert "error:" in capsys.readouterr().err
