"""Folders and files that only their owner can read, and files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from actors.runtime.errors import Misuse
from coordinator import folder
from coordinator.folder import private_folder, write_private, write_whole


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(path: Path) -> list[str]:
    return sorted(found.name for found in path.iterdir())


def test_a_private_folder_and_what_is_missing_above_it_are_the_owners_alone(tmp_path: Path) -> None:
    made = private_folder(tmp_path / "a" / "b")
    assert made == tmp_path / "a" / "b"
    assert (mode_of(made), mode_of(made.parent)) == (0o700, 0o700)
    assert private_folder(made) == made


def test_something_else_in_the_folders_place_is_misuse(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    for path in (tmp_path / "a", tmp_path / "a" / "b"):
        with pytest.raises(Misuse, match="cannot be a folder of ours"):
            private_folder(path)


def test_a_private_file_is_new_and_the_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "key"
    write_private(path, b"one")
    with pytest.raises(FileExistsError):
        write_private(path, b"two")
    assert (path.read_bytes(), mode_of(path), names(tmp_path)) == (b"one", 0o600, ["key"])


def test_it_may_be_told_to_replace_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(b"one")
    path.chmod(0o644)
    write_private(path, b"two", may_replace=True)
    assert (path.read_bytes(), mode_of(path), names(tmp_path)) == (b"two", 0o600, ["key"])


@pytest.mark.parametrize("may_replace", [False, True])
def test_a_private_file_may_hold_its_own_inode(tmp_path: Path, may_replace: bool) -> None:
    path = tmp_path / "place"
    write_private(path, lambda status: str(status.st_ino).encode(), may_replace=may_replace)
    assert path.read_bytes() == str(path.stat().st_ino).encode()


def test_without_links_a_private_file_is_new_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "Operation not supported")

    monkeypatch.setattr(folder.os, "link", no_links)
    path = tmp_path / "key"
    write_private(path, b"one")
    with pytest.raises(FileExistsError):
        write_private(path, b"two")
    assert (path.read_bytes(), names(tmp_path)) == (b"one", ["key"])


def test_a_private_file_that_cannot_be_written_is_misuse_and_leaves_nothing(tmp_path: Path) -> None:
    def full(_: os.stat_result) -> bytes:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(Misuse, match=r"key' cannot be written \(No space left on device\)"):
        write_private(tmp_path / "key", full)
    with pytest.raises(Misuse, match=r"cannot be written \(No such file or directory\)"):
        write_private(tmp_path / "nowhere" / "key", b"one")
    assert names(tmp_path) == []


def test_a_file_is_written_whole_with_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_whole(tmp_path / "new", b"one")
    assert (tmp_path / "new").read_bytes() == b"one"
    assert mode_of(tmp_path / "new") == mode_of(tmp_path / "usual")
    assert names(tmp_path) == ["new", "usual"]


def test_one_that_was_there_is_replaced_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_bytes(b"a longer content than before")
    path.chmod(0o604)
    write_whole(path, b"two")
    assert (path.read_bytes(), mode_of(path), names(tmp_path)) == (b"two", 0o604, ["old"])


def test_a_symlink_stays_one(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"one")
    (tmp_path / "link").symlink_to("old")
    write_whole(tmp_path / "link", b"two")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "old").read_bytes() == b"two"


def test_a_long_name_is_written_too(tmp_path: Path) -> None:
    write_whole(tmp_path / ("n" * 255), b"one")
    assert names(tmp_path) == ["n" * 255]


def test_what_is_no_regular_file_is_misuse_and_stays(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "nowhere").symlink_to("gone")
    (tmp_path / "loop").symlink_to("loop")
    before = names(tmp_path)
    for name in ("pipe", "folder", "nowhere", "loop", "n" * 256):
        with pytest.raises(Misuse):
            write_whole(tmp_path / name, b"one")
    assert names(tmp_path) == before
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_folder_that_is_not_there_is_misuse_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match=r"there is no folder .*, make it first"):
        write_whole(tmp_path / "a" / "file", b"one")
    assert names(tmp_path) == []


def test_a_name_that_is_none_is_misuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("", ".", "..", "/"):
        with pytest.raises(Misuse):
            write_whole(Path(name), b"one")
    assert names(tmp_path) == []
