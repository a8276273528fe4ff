import pytest

from actors.quality_store.path import check_path, extension_of, label_of
from actors.runtime.errors import BadTarget


@pytest.mark.parametrize(
    ("path", "extension"),
    [
        ("src/a.rs", "rs"),
        ("src/A.RS", "rs"),
        ("a.tar.gz", "gz"),
        ("src.d/Makefile", ""),
        ("Makefile", ""),
        (".bashrc", ""),
        ("home/.config.toml", "toml"),
        ("a.", ""),
        ("a.b/c", ""),
        ("x.c++", "c++"),
    ],
)
def test_the_extension_is_the_lower_case_suffix_of_the_name(path, extension):
    assert extension_of(path) == extension


@pytest.mark.parametrize("extension", ["rs", "c++", "x_1-y", "a" * 16])
def test_an_ordinary_extension_is_its_own_label(extension):
    assert label_of(extension) == extension


@pytest.mark.parametrize("extension", ["", "a" * 17, "höhe", "a b", "rs\n", 'a"b', "RS"])
def test_what_could_carry_free_text_is_labelled_other(extension):
    assert label_of(extension) == "other"


@pytest.mark.parametrize("path", ["", "/a", "a/", "a//b", ".", "./a", "a/../b", "..", "a\0b"])
def test_a_path_that_is_not_canonical_is_refused_with_the_path_in_the_message(path):
    with pytest.raises(BadTarget) as refusal:
        check_path("home", path)
    assert repr(path) in refusal.value.message


@pytest.mark.parametrize("path", ["a", "a/b.py", "...", ".github/a", "a b/ü.md", "a\\b"])
def test_a_canonical_path_passes(path):
    check_path("home", path)


@pytest.mark.parametrize("space", ["", "a\0"])
def test_a_space_without_a_name_is_refused(space):
    with pytest.raises(BadTarget, match="claim space"):
        check_path(space, "a.py")


def test_a_huge_path_is_cut_in_the_message():
    with pytest.raises(BadTarget) as refusal:
        check_path("home", "/" + "x" * 10_000_000)
    assert len(refusal.value.message) < 300
