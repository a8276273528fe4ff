import pytest

from actors.runtime.errors import InvariantBroken
from actors.scent_field.overlap import OverlapIndex
from actors.scent_field.target import parse_target


def index_of(*texts: str) -> OverlapIndex[str]:
    index: OverlapIndex[str] = OverlapIndex()
    for key, text in enumerate(texts):
        index.add(parse_target(text), key, f"{key} {text}")
    return index


def found(index: OverlapIndex[str], text: str) -> list[str]:
    return index.overlapping(parse_target(text))


HELD = index_of("src/a.py", "src/", "docs/*.md", "**/a.py", "src/api/b.py", "./", "task:x", "src", "src/api/**/t_*.py")


@pytest.mark.parametrize(
    ("asked", "keys"),
    [
        ("src/a.py", "0135"),
        ("src/api/b.py", "145"),
        ("src/api/x/t_1.py", "158"),
        ("src", "157"),
        ("src/", "0134578"),
        ("src/api/", "13458"),
        ("src/api/t_a", "15"),
        ("docs/x.md", "25"),
        ("docs/", "235"),
        ("*/*.py", "0135"),
        ("*", "1357"),
        ("**/b.py", "145"),
        ("**/*_b.py", "158"),
        ("src/api/**", "13458"),
        ("**", "01234578"),
        ("./", "01234578"),
        ("lib/x", "5"),
        ("task:x", "6"),
        ("task:y", ""),
    ],
)
def test_a_query_finds_all_that_overlaps_in_order_of_keys(asked: str, keys: str) -> None:
    assert "".join(entry.split()[0] for entry in found(HELD, asked)) == keys


def test_several_keys_stand_on_one_target_and_come_in_their_order() -> None:
    for text in ("a/b", "a/", "a/*", "task:a"):
        index: OverlapIndex[str] = OverlapIndex()
        for key in (5, 9, 1, 7):
            index.add(parse_target(text), key, f"k{key}")
        assert found(index, text) == ["k1", "k5", "k7", "k9"]
        index.remove(parse_target(text), 5)
        assert found(index, text) == ["k1", "k7", "k9"]
        assert len(index) == 3


def test_one_key_on_several_targets_comes_once_for_each_in_order_of_the_texts() -> None:
    index: OverlapIndex[str] = OverlapIndex()
    for text in ("src/b.py", "src/*.py", "src/a.py", "src/"):
        index.add(parse_target(text), 3, text)
    assert found(index, "src/") == ["src/", "src/*.py", "src/a.py", "src/b.py"]


def test_removal_leaves_no_folders_behind() -> None:
    texts = ["a/b/c/d.py", "a/b/", "a/b/c/*.py", "a/b", "x/**/y", "task:a"]
    index = index_of(*texts)
    assert index.n_folders == 4
    index.remove(parse_target("a/b/c/d.py"), 0)
    assert index.n_folders == 4
    for key, text in list(enumerate(texts))[1:]:
        index.remove(parse_target(text), key)
    assert (len(index), index.n_folders) == (0, 0)
    assert found(index, "./") == []


def test_removal_keeps_what_stands_above_below_and_beside() -> None:
    index = index_of("a", "a/b", "a/b/c", "a/x", "a/b/*")
    index.remove(parse_target("a/b"), 1)
    assert found(index, "./") == ["0 a", "2 a/b/c", "3 a/x", "4 a/b/*"]


@pytest.mark.parametrize("text", ["a/b", "a/", "a/*", "./", "task:a"])
def test_the_same_key_twice_on_one_target_is_our_bug_and_changes_nothing(text: str) -> None:
    index = index_of(text)
    with pytest.raises(InvariantBroken, match="stands on"):
        index.add(parse_target(text), 0, "again")
    assert found(index, text) == [f"0 {text}"]
    assert len(index) == 1


@pytest.mark.parametrize("text", ["a/b", "a/", "a/*", "a/b/c", "z", "z/*", "./", "task:a"])
def test_removing_what_is_not_there_is_our_bug_and_changes_nothing(text: str) -> None:
    index = index_of("a/b/c", "a/b/", "task:b")
    with pytest.raises(InvariantBroken, match="no entry 7 stands on"):
        index.remove(parse_target(text), 7)
    assert (len(index), index.n_folders) == (3, 2)
    assert found(index, "./") == ["0 a/b/c", "1 a/b/"]
