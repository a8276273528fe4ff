from __future__ import annotations

import os
import pickle
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

import coordinator
from actors.runtime.errors import Busy
from coordinator.editing.atomic_file import (
    _temporary,
    create_file,
    read_bytes,
    remove_file,
    replace_file,
    sweep_leftovers,
)
from coordinator.editing.file_error import DiskFull, FileExists, FileVanished, StaleFile, UnusableFile
from coordinator.editing.file_lock import lock
from coordinator.reading.source import content_hash

ROOT = Path(coordinator.__file__).parents[1]


def child(code: str, *arguments: object) -> subprocess.Popen[str]:
    script = "import sys\nfrom pathlib import Path\n" + textwrap.dedent(code)
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach, which pytest's own folders are not."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_replaced_file_has_the_new_content_and_nothing_stays_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")

    replace_file(path, b"new", expected_hash=content_hash(b"old"))

    assert read_bytes(path) == b"new"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("mode", [0o755, 0o640, 0o600, 0o4755])
def test_permission_bits_stay(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "run.sh"
    path.write_bytes(b"old")
    path.chmod(mode)

    replace_file(path, b"new", expected_hash=None)

    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_the_owner_stays(tmp_path: Path) -> None:
    # Only root may give files away; for others the owner can only stay themselves.
    owner = (12345, 54321) if os.getuid() == 0 else (os.getuid(), os.getgid())
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    os.chown(path, *owner)

    replace_file(path, b"new", expected_hash=None)

    assert (path.stat().st_uid, path.stat().st_gid) == owner


def test_a_symlink_stays_a_link_and_its_file_is_replaced(tmp_path: Path) -> None:
    real = tmp_path / "real" / "a.txt"
    real.parent.mkdir()
    real.write_bytes(b"old")
    link = tmp_path / "link.txt"
    link.symlink_to(Path("real/a.txt"))

    replace_file(link, b"new", expected_hash=content_hash(b"old"))

    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert names(tmp_path) == ["link.txt", "real"]


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"theirs")

    with pytest.raises(StaleFile, match="read it again"):
        replace_file(path, b"ours", expected_hash=content_hash(b"old"))

    assert path.read_bytes() == b"theirs"
    assert names(tmp_path) == ["a.txt"]


def test_a_file_that_vanished_is_an_error_and_is_not_created(tmp_path: Path) -> None:
    path = tmp_path / "gone.txt"
    for tried in (
        lambda: read_bytes(path),
        lambda: replace_file(path, b"new", expected_hash=None),
        lambda: remove_file(path, expected_hash=None),
    ):
        with pytest.raises(FileVanished, match=r"gone\.txt"):
            tried()
    assert names(tmp_path) == []


def test_folders_pipes_and_loops_are_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name in (".", "pipe", "loop"):
        with pytest.raises(UnusableFile):
            read_bytes(tmp_path / name)
        with pytest.raises(UnusableFile):
            replace_file(tmp_path / name, b"new", expected_hash=None)


def test_a_file_over_the_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"12345")
    assert read_bytes(path, max_bytes=5) == b"12345"
    with pytest.raises(UnusableFile, match="limit of 4"):
        read_bytes(path, max_bytes=4)


def test_a_read_only_file_is_refused_although_its_folder_is_writable(open_folder: Path) -> None:
    path = open_folder / "a.txt"
    path.write_bytes(b"old")
    path.chmod(0o444)

    out = finished(
        child(
            """
            import os
            from coordinator.editing.atomic_file import remove_file, replace_file
            from coordinator.editing.file_error import UnusableFile
            if os.getuid() == 0:
                os.setuid(65534)
            for change in (lambda path: replace_file(path, b"new", expected_hash=None),
                           lambda path: remove_file(path, expected_hash=None)):
                try:
                    change(Path(sys.argv[1]))
                except UnusableFile as error:
                    print(error)
            """,
            path,
        )
    )

    assert out.count("is read-only for you") == 2
    assert path.read_bytes() == b"old"
    assert names(open_folder) == ["a.txt"]


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 KB where this user may mount one; else a folder, and the limit on file sizes has to do."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    is_mounted = (
        shutil.which("mount") is not None
        and not subprocess.run(mount, check=False, stderr=subprocess.DEVNULL).returncode
    )
    yield folder
    if is_mounted:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("max_file_bytes", [1_000, 150_000])
def test_a_full_disk_leaves_everything_as_it_was(full_disk: Path, max_file_bytes: int) -> None:
    path = full_disk / "a.txt"
    path.write_bytes(b"old")

    out = finished(
        child(
            """
            import resource
            from coordinator.editing.atomic_file import create_file, replace_file
            from coordinator.editing.file_error import DiskFull
            path, limit = Path(sys.argv[1]), int(sys.argv[2])
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            for write in (lambda: replace_file(path, b"x" * 200_000, expected_hash=None),
                          lambda: create_file(path.parent / "new" / "b.txt", b"x" * 200_000)):
                try:
                    write()
                except DiskFull as error:
                    print(error)
            """,
            path,
            max_file_bytes,
        )
    )

    assert out.count("nothing was changed; free space") == 2
    assert path.read_bytes() == b"old"
    assert names(full_disk) == ["a.txt"]  # no temporary file, and no folder of the file that was not created


def test_writers_that_compare_and_replace_at_once_lose_no_change(tmp_path: Path) -> None:
    path = tmp_path / "count"
    path.write_bytes(b"0")
    code = """
    from coordinator.editing.atomic_file import read_bytes, replace_file
    from coordinator.editing.file_error import StaleFile
    from coordinator.reading.source import content_hash
    path, n_done, n_stale = Path(sys.argv[1]), 0, 0
    while n_done < 25:
        raw = read_bytes(path)
        try:
            replace_file(path, b"%d" % (int(raw) + 1), expected_hash=content_hash(raw))
            n_done += 1
        except StaleFile:
            n_stale += 1
    """
    processes = [child(code, path) for _ in range(4)]
    for process in processes:
        finished(process)

    assert path.read_bytes() == b"100"
    assert names(tmp_path) == ["count"]


def test_one_of_many_creators_wins_and_its_file_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "new.txt"
    code = """
    from coordinator.editing.atomic_file import create_file
    from coordinator.editing.file_error import FileExists
    try:
        create_file(Path(sys.argv[1]), sys.argv[2].encode() * 100_000)
        print("won", sys.argv[2])
    except FileExists:
        pass
    """
    outs = [finished(process) for process in [child(code, path, number) for number in range(4)]]

    winners = [out.split()[1] for out in outs if out]
    assert len(winners) == 1
    assert path.read_bytes() == winners[0].encode() * 100_000
    assert names(path.parent) == ["new.txt"]


def test_a_created_file_has_the_mode_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "usual").write_bytes(b"")
    create_file(tmp_path / "created", b"new")
    assert (tmp_path / "created").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_creating_overwrites_neither_a_file_nor_a_dangling_link(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("a.txt", "link"):
        with pytest.raises(FileExists, match="nothing was written"):
            create_file(tmp_path / name, b"new")
    assert (tmp_path / "a.txt").read_bytes() == b"old"
    assert names(tmp_path) == ["a.txt", "link"]


def test_a_file_below_a_file_cannot_be_created(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    for path in (tmp_path / "a" / "b.txt", tmp_path / "a" / "b" / "c.txt"):
        with pytest.raises((UnusableFile, FileVanished)):
            create_file(path, b"new")
    assert names(tmp_path) == ["a"]


def test_removing_compares_first(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"theirs")
    with pytest.raises(StaleFile):
        remove_file(path, expected_hash=content_hash(b"ours"))
    remove_file(path, expected_hash=content_hash(b"theirs"))
    assert names(tmp_path) == []


def test_what_a_killed_writer_leaves_is_swept_later_but_never_from_a_living_one(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"old")
    killed = child(
        """
        import os, signal
        from coordinator.editing.atomic_file import _temporary
        with _temporary(Path(sys.argv[1]), b"half", mode=0o600):
            os.kill(os.getpid(), signal.SIGKILL)
        """,
        tmp_path,
    )
    killed.communicate(timeout=60)
    assert killed.returncode == -signal.SIGKILL
    (leftover,) = tmp_path.glob(".scentfield-*.tmp")

    assert sweep_leftovers(tmp_path) == 0  # too young: its writer may only just have opened it
    os.utime(leftover, (0, 0))
    with _temporary(tmp_path, b"whole", mode=0o600) as living:
        os.utime(living, (0, 0))
        assert sweep_leftovers(tmp_path) == 1
        assert living.exists()
    assert names(tmp_path) == ["a.txt"]


def test_replacing_a_file_sweeps_its_folder(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"old")
    leftover = tmp_path / ".scentfield-0123.tmp"
    leftover.write_bytes(b"half")
    os.utime(leftover, (0, 0))

    replace_file(tmp_path / "a.txt", b"new", expected_hash=None)

    assert names(tmp_path) == ["a.txt"]


def test_waiting_for_a_locked_file_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    with path.open("rb") as held, path.open("rb") as asking:
        lock(held.fileno(), path)
        with pytest.raises(Busy, match="locked by another process"):
            lock(asking.fileno(), path, max_wait_s=0.0)


def test_its_errors_pickle() -> None:
    for error in (StaleFile("a"), FileVanished("b"), FileExists("c"), UnusableFile("d"), DiskFull("e")):
        copy = pickle.loads(pickle.dumps(error))
        assert (type(copy), copy.message, copy.code) == (type(error), error.message, error.code)
