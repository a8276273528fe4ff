"""Paths of git as targets of claims."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.scent_field.target import covers, overlaps, parse_target
from coordinator.guard.changed_target import Map


def target(top: Path, path: bytes) -> str:
    (place,) = Map(top, lambda _: "s").places(path)
    return place.target


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (b"src/a.py", "src/a.py"),
        (b"-rf", "-rf"),
        (b" a'\"$`", " a'\"$`"),
        (b"caf\xc3\xa9", "café"),
        (b"cafe\xcc\x81", "café"),
        (b"app/[id]/*", "app/[[]id]/[*]"),
        (b"task:login", "task[:]login"),
        (b"d/a\nb", "d/a*b"),
        (b"d/\xff\xfe", "d/*"),
        (b"\n", "*"),
        (b"d/[x]\t{y}", "d/[[]x]*[{]y}"),
        (b"d/" + b"\n.".join([b"a"] * 40), "d/"),
        (b"d/e/" + b"x" * 300, "d/e/"),
        (b"/".join([b"d"] * 70), "/".join(["d"] * 64) + "/"),
    ],
)
def test_every_path_has_a_target_that_covers_it(path: bytes, expected: str, tmp_path: Path) -> None:
    found = target(tmp_path, path)
    assert found == expected
    parse_target(found)


def test_what_no_target_can_spell_meets_the_claims_around_it(tmp_path: Path) -> None:
    asked = parse_target(target(tmp_path, b"src/a\nb.py"))
    for claimed, meets in (("src/", True), ("src/*.py", True), ("src/c.py", False), ("other/", False)):
        assert overlaps(parse_target(claimed), asked) == meets
    assert covers(asked, ("src", "a\nb.py"))


def test_a_link_is_the_change_and_not_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/elsewhere")
    assert target(tmp_path, b"link") == "link"


def test_a_folder_with_settings_is_a_root_of_its_own_too(tmp_path: Path) -> None:
    for folder in ("part", "part/deep"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "scentfield.toml").touch()
    found = Map(tmp_path, lambda root: root.name if root != tmp_path else None)
    top, part, deep = found.places(b"part/deep/er/a.py")
    assert (top.prefix, top.target) == ("", "part/deep/er/a.py")
    assert part == ("part", "part/", "deep/er/a.py")
    assert deep == ("deep", "part/deep/", "er/a.py")
    assert len(list(found.places(b"other/a.py"))) == 1
