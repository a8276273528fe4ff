"""How much a line says, on lines whose tokens can be counted by hand."""

import pytest

from coordinator.reading import entropy
from coordinator.reading.entropy import entropy_bits, least_bits, weigh


def test_equally_frequent_tokens_have_the_logarithm_of_their_number() -> None:
    assert entropy_bits([]) == 0.0
    assert entropy_bits([7]) == 0.0
    assert entropy_bits([7, 7, 7]) == 0.0
    assert entropy_bits([1, 2]) == 1.0
    assert entropy_bits([1, 2, 3, 4]) == 2.0
    assert entropy_bits([1, 1, 2, 2]) == 1.0


def test_a_token_that_comes_twice_of_three_gives_less() -> None:
    assert entropy_bits([1, 2, 1]) == pytest.approx(0.9183, abs=1e-4)  # 2/3 log2(3/2) + 1/3 log2(3)
    assert entropy_bits([1, 1, 2]) == entropy_bits([1, 2, 1])


@pytest.mark.parametrize(("line", "bits"), [(")", 0.0), ("pass", 0.0), ("else:", 1.0), ("x = 1", 2.0), ("0,0", 0.9183)])
def test_known_lines_have_their_known_bits(line: str, bits: float) -> None:
    assert weigh(line).bits == pytest.approx(bits, abs=1e-4)


def test_indentation_and_ending_say_nothing_but_cost_tokens() -> None:
    assert weigh("            return self.x\r\n").bits == weigh("return self.x").bits
    assert weigh("            return self.x\r\n").distinct == weigh("return self.x").distinct
    assert weigh("            return self.x\r\n").n_tokens > weigh("return self.x").n_tokens


def test_a_blank_line_says_nothing_and_costs_nothing() -> None:
    for line in ("", "\n", "    \r\n", "\t\x0c\n"):
        assert (weigh(line).n_tokens, weigh(line).bits, weigh(line).distinct) == (0, 0.0, frozenset())


def test_the_table_is_by_extension_and_one_for_all_others() -> None:
    assert [entropy.BASE[extension] for extension in ("py", "rs", "json", "md", "h")] == [1.2, 0.85, 0.6, 1.3, 0.75]
    assert entropy.OTHER_BASE == 1.0
    assert len(entropy.BASE) == 26


def test_a_unit_of_the_table_and_of_a_delta_is_three_bits() -> None:
    assert entropy.BITS_A_UNIT == 3.0
    assert [least_bits(extension) for extension in ("py", "rs", "toml", "md")] == [3.6, 2.55, 2.1, 3.9]
    assert least_bits("") == least_bits("zig") == 3.0
    assert [least_bits("py", delta) for delta in (-0.15, 0.02, 0.15)] == [3.15, 3.66, 4.05]


def test_the_cache_is_bounded_and_holds_no_long_lines() -> None:
    entropy._weighed.cache_clear()
    for number in range(entropy.MAX_CACHED_LINES + 10):
        weigh(str(number))
    weigh("x" * (entropy.MAX_CACHED_CHARACTERS + 1))
    found = entropy._weighed.cache_info()
    assert found.currsize == found.maxsize == entropy.MAX_CACHED_LINES
    assert found.misses == entropy.MAX_CACHED_LINES + 10


def test_a_line_of_a_million_characters_is_weighed() -> None:
    weight = weigh("ab " * 333_334 + "\n")
    assert weight.n_tokens > 100_000
    assert weight.bits < 1.0
