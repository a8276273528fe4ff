"""Before anything was learned, `auto` goes by size."""

from coordinator.reading.policy import choose_base_mode


def test_a_file_of_400_lines_comes_whole() -> None:
    assert choose_base_mode(400) == ("full", "small_file")
    assert choose_base_mode(0) == ("full", "small_file")


def test_a_file_of_401_lines_comes_as_a_map() -> None:
    assert choose_base_mode(401) == ("map", "map_over_400_lines")
