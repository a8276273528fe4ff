"""Files that get another name, and files that are deleted, on a real disk."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import coordinator
from coordinator.editing import exclusive_rename
from coordinator.editing.atomic_file import create_file, move_file, remove_file
from coordinator.editing.exclusive_rename import rename_exclusively
from coordinator.editing.file_error import FileExists, FileVanished, StaleFile, UnusableFile, file_error
from coordinator.reading.source import content_hash

HASH = content_hash(b"text")
ROOT = Path(coordinator.__file__).parents[1]
MOVER = """
import sys
from pathlib import Path
from coordinator.editing.atomic_file import move_file
one, other = (Path(name) for name in sys.argv[1:])
print("ready", flush=True)
while True:
    move_file(one, other, expected_hash=None)
    move_file(other, one, expected_hash=None)
"""


@pytest.fixture(params=["at once", "by link"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to rename without overwriting, on any system."""
    if request.param == "by link":
        monkeypatch.setattr(exclusive_rename, "_renamed_at_once", lambda *_: False)
    return str(request.param)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_bytes(b"text")
    return path


@pytest.mark.usefixtures("way")
def test_a_moved_file_keeps_bytes_permissions_and_identity(path: Path, tmp_path: Path) -> None:
    path.chmod(0o640)
    inode = path.stat().st_ino
    move_file(path, tmp_path / "new" / "b.txt", expected_hash=HASH)
    moved = tmp_path / "new" / "b.txt"
    assert not path.exists()
    assert (moved.read_bytes(), stat.S_IMODE(moved.stat().st_mode), moved.stat().st_ino) == (b"text", 0o640, inode)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("kind", ["file", "folder", "link", "dangling link"])
def test_whatever_has_the_new_name_stays(path: Path, tmp_path: Path, kind: str) -> None:
    there = tmp_path / "b.txt"
    {
        "file": lambda: there.write_bytes(b"theirs"),
        "folder": there.mkdir,
        "link": lambda: there.symlink_to("a.txt"),
        "dangling link": lambda: there.symlink_to("nowhere"),
    }[kind]()
    before = there.lstat()
    with pytest.raises(FileExists, match=r"b\.txt"):
        move_file(path, there, expected_hash=HASH)
    assert path.read_bytes() == b"text"
    assert os.path.samestat(there.lstat(), before)


@pytest.mark.usefixtures("way")
def test_one_of_many_movers_gets_the_name_and_no_file_is_lost(tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.txt" for number in range(8)]
    for file in files:
        file.write_text(file.name)
    won: list[str] = []
    start = threading.Barrier(len(files))

    def move(file: Path) -> None:
        start.wait(10)
        try:
            move_file(file, tmp_path / "new.txt", expected_hash=None)
        except FileExists:
            return
        won.append(file.name)

    threads = [threading.Thread(target=move, args=(file,)) for file in files]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(won) == 1
    assert (tmp_path / "new.txt").read_text() == won[0]
    assert sorted(file.name for file in files if file.exists()) == sorted({file.name for file in files} - set(won))


def test_a_file_that_changed_meanwhile_is_neither_moved_nor_deleted(path: Path, tmp_path: Path) -> None:
    with pytest.raises(StaleFile):
        move_file(path, tmp_path / "new" / "b.txt", expected_hash=content_hash(b"other"))
    with pytest.raises(StaleFile):
        remove_file(path, expected_hash=content_hash(b"other"))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.txt"]


def test_what_stops_a_move_at_the_last_moment_takes_the_new_folders_back(path: Path, tmp_path: Path) -> None:
    def stop() -> None:
        raise StaleFile("stop")

    with pytest.raises(StaleFile, match="stop"):
        move_file(path, tmp_path / "deep" / "er" / "b.txt", expected_hash=HASH, before_rename=stop)
    with pytest.raises(StaleFile, match="stop"):
        remove_file(path, expected_hash=HASH, before_unlink=stop)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.txt"]


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileVanished, match=r"gone\.txt"):
        move_file(tmp_path / "gone.txt", tmp_path / "b.txt", expected_hash=None)
    assert list(tmp_path.iterdir()) == []


def test_a_deleted_file_tells_its_permissions_and_comes_back_with_them(path: Path) -> None:
    path.chmod(0o604)
    assert remove_file(path, expected_hash=HASH) == 0o604
    create_file(path, b"text", mode=0o604)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"text", 0o604)


def test_permissions_come_back_without_hard_links_too(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise OSError(errno.EPERM, "no hard links here")

    path.unlink()
    monkeypatch.setattr(os, "link", no_links)
    create_file(path, b"text", mode=0o600)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"text", 0o600)


def test_linux_renames_at_once(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.uname().sysname != "Linux":
        return

    def never(*_: object, **__: object) -> None:
        raise AssertionError("the file had two names")

    monkeypatch.setattr(os, "link", never)
    rename_exclusively(path, tmp_path / "b.txt")
    assert (tmp_path / "b.txt").read_bytes() == b"text"


def test_another_file_system_is_an_error_of_the_request(path: Path) -> None:
    error = file_error(OSError(errno.EXDEV, "Invalid cross-device link"), path)
    assert isinstance(error, UnusableFile)


def test_a_mover_that_is_killed_leaves_the_file_under_one_of_its_names(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "b.txt"
    for number in range(5):
        names = (path, other) if path.exists() else (other, path)
        mover = subprocess.Popen(
            [sys.executable, "-c", MOVER, *map(str, names)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert mover.stdout is not None
        assert mover.stdout.readline() == "ready\n"
        with contextlib.suppress(subprocess.TimeoutExpired):
            mover.wait(0.01 * number)
        mover.kill()
        mover.communicate(timeout=60)
        there = [name for name in (path, other) if name.exists()]
        assert there
        if os.uname().sysname == "Linux":
            assert len(there) == 1
        assert {name.read_bytes() for name in there} == {b"text"}
