"""Which lines an edit has to quote."""

import pytest

from coordinator.reading.line_diff import diff_lines
from coordinator.replay.hunk import Hunk, hunks_between


@pytest.mark.parametrize(
    ("hunk", "needed"),
    [
        (Hunk(5, 2), (4, 7)),
        (Hunk(1, 1), (1, 2)),
        (Hunk(10, 1), (9, 10)),
        (Hunk(4, 0), (4, 5)),  # between lines 4 and 5
        (Hunk(0, 0), (1, 1)),  # before the first
        (Hunk(10, 0), (10, 10)),  # after the last
    ],
)
def test_an_edit_quotes_the_old_lines_and_one_beside_them(hunk: Hunk, needed: tuple[int, int]) -> None:
    assert hunk.needed(10) == needed


@pytest.mark.parametrize(
    ("old", "new", "hunks"),
    [
        ("abcd", "abcd", []),
        ("abcd", "aXcd", [Hunk(2, 1)]),
        ("abcd", "abXcd", [Hunk(2, 0)]),
        ("abcd", "Xabcd", [Hunk(0, 0)]),
        ("abcd", "abcdX", [Hunk(4, 0)]),
        ("abcd", "bXd", [Hunk(1, 1), Hunk(3, 1)]),
        ("abcd", "", [Hunk(1, 4)]),
    ],
)
def test_hunks_lie_between_what_two_versions_share(old: str, new: str, hunks: list[Hunk]) -> None:
    before, after = [f"{line}\n" for line in old], [f"{line}\n" for line in new]
    assert list(hunks_between(diff_lines(before, after).kept, len(before), len(after))) == hunks
