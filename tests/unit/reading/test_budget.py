"""What a budget means."""

import pytest

from actors.runtime.errors import Misuse
from coordinator.reading.budget import MIN_DEFAULT_TOKENS, budget_tokens, check_budget, default_tokens, parse_budget


@pytest.mark.parametrize(
    ("text", "budget"), [("800", 800), ("1", 1), ("0.25", 0.25), (".5", 0.5), ("1.0", 1.0), ("1.", 1.0)]
)
def test_a_number_with_a_point_is_a_share_and_one_without_is_tokens(text: str, budget: float) -> None:
    assert parse_budget(text) == budget
    assert type(parse_budget(text)) is type(budget)


@pytest.mark.parametrize("text", ["", "0", "0.0", "1.5", "-1", "25%", "1e3", "nan", "1_000", "٣", "9" * 10, ".", "8\n"])
def test_what_is_no_budget_is_misuse_that_says_how_to_write_one(text: str) -> None:
    with pytest.raises(Misuse, match=r"0\.25"):
        parse_budget(text)


@pytest.mark.parametrize("budget", [True, "800", float("nan"), float("inf"), -0.5, 0])
def test_a_program_cannot_give_one_either(budget: object) -> None:
    with pytest.raises(Misuse):
        check_budget(budget)  # type: ignore[arg-type]  # that is the case


def test_a_share_is_taken_of_the_file_and_is_never_nothing() -> None:
    assert budget_tokens(0.25, 4_000) == 1_000
    assert budget_tokens(0.25, 3) == 1
    assert budget_tokens(800, 4_000) == 800
    assert budget_tokens(None, 4_000) is None


def test_by_default_it_is_a_quarter_and_more_of_a_small_file() -> None:
    assert default_tokens(8_000) == 2_000
    assert default_tokens(1_000) == MIN_DEFAULT_TOKENS == 600
