"""Modes are spelled exactly; anything else is refused with the names of those that are known."""

import pytest

from actors.runtime.errors import Misuse
from coordinator.reading.mode import KNOWN_MODES, Mode


@pytest.mark.parametrize("text", ["full", "signatures", "map", "entropy", "diff", "auto"])
def test_a_plain_mode_is_itself(text: str) -> None:
    assert Mode.parse(text) == Mode(text)
    assert str(Mode.parse(text)) == text


def test_a_line_range_is_one_based_and_inclusive() -> None:
    mode = Mode.parse("lines:10-42")
    assert mode == Mode("lines", 10, 42)
    assert str(mode) == "lines:10-42"


def test_one_line_is_a_range() -> None:
    assert Mode.parse("lines:7-7") == Mode("lines", 7, 7)


@pytest.mark.parametrize("text", ["", "Full", "full ", "entire", "summary", "auto:1", "map\n"])
def test_an_unknown_mode_is_misuse_that_names_the_known_ones(text: str) -> None:
    with pytest.raises(Misuse) as caught:
        Mode.parse(text)
    assert repr(text) in caught.value.message
    assert all(known in caught.value.message for known in KNOWN_MODES)


@pytest.mark.parametrize(
    "text",
    ["lines", "lines:", "lines:5", "lines:5-", "lines:-5", "lines:1-2-3", "lines:a-b", "lines:1 - 2", "lines:٣-٤",
     "lines:1-2\n", "lines:+1-2", "lines:1-" + "9" * 5000],
)  # fmt: skip
def test_a_malformed_range_is_misuse_that_says_how_to_write_it(text: str) -> None:
    with pytest.raises(Misuse, match="lines:N-M"):
        Mode.parse(text)


def test_a_range_from_zero_is_misuse() -> None:
    with pytest.raises(Misuse, match="counted from 1"):
        Mode.parse("lines:0-3")


def test_a_range_that_runs_backwards_is_misuse() -> None:
    with pytest.raises(Misuse, match="lines:3-9"):
        Mode.parse("lines:9-3")
