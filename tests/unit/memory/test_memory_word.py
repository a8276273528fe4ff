import pytest

from actors.memory.word import jaccard, terms, words


def test_words_keep_paths_whole_and_drop_signs_around_them():
    assert words("Edit `coordinator/a.py`: Asker.query, twice.") == {"edit", "coordinator/a.py", "asker.query", "twice"}


def test_two_files_of_one_folder_are_not_alike():
    one, other = "tests/unit/memory/test_a.py was edited", "tests/unit/memory/test_b.py was edited"
    assert jaccard(words(one), words(other)) == 0.5


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [("a b c", "a b c", 1.0), ("a b", "c d", 0.0), ("a b c d", "a b c e", 0.6), ("", "", 0.0), ("a", "", 0.0)],
)
def test_jaccard_is_the_share_of_common_words(one, other, share):
    assert jaccard(words(one), words(other)) == pytest.approx(share)


def test_terms_take_names_apart():
    found = terms(["claimEach in coordinator/asking.py", "HTTPServer2 snake_case"])
    assert {
        "claim",
        "each",
        "claimeach",
        "coordinator",
        "asking",
        "py",
        "http",
        "server",
        "2",
        "snake",
        "case",
    } <= found
    assert "coordinator/asking.py" not in found
