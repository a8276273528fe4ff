"""The processes above one, as the system itself shows them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import platformdirs
import psutil
import pytest

from coordinator import lineage
from coordinator.config_file import default_state_dir, files_around
from coordinator.identity import caller_names, client_seat, local_name, seats_above
from coordinator.lineage import above, process


def test_the_same_processes_are_above_as_another_library_finds() -> None:
    assert [one.pid for one in above(os.getpid())] == [one.pid for one in psutil.Process().parents()]
    own = process(os.getpid())
    assert own is not None
    assert (own.pid, own.parent_pid) == (os.getpid(), os.getppid())
    assert own.name == psutil.Process().name()[:15]  # as long as the kernel keeps it


def test_a_process_is_told_from_one_that_had_its_number_before() -> None:
    first, again = local_name(), local_name()
    assert first == again
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        mine, other = process(os.getpid()), process(child.pid)
        assert mine is not None
        assert other is not None
        assert mine.started < other.started
        assert local_name(child.pid).endswith(f"-{child.pid}-{other.started}")
        child.communicate(b"\n")
    assert process(child.pid) is None


def test_a_parent_that_is_younger_than_its_child_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {
        9: lineage.Process(9, "child", 8, 500),
        8: lineage.Process(8, "parent", 7, 400),
        7: lineage.Process(7, "stranger", 1, 600),  # the number of one that has ended is another's now
    }
    monkeypatch.setattr(lineage, "process", known.get)
    assert [one.pid for one in above(9)] == [8]
    assert [one.pid for one in above(6)] == []


def test_a_ring_of_processes_comes_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lineage, "process", lambda pid: lineage.Process(pid, "one", 3 - pid, 1))
    assert len(list(above(1))) == lineage.MAX_ABOVE


@pytest.mark.skipif(sys.platform != "linux", reason="what /proc says")
@pytest.mark.parametrize("name", ["odd) S 1 (", "a b", "näme"])
def test_programs_may_have_any_name(name: str, tmp_path: Path) -> None:
    program = tmp_path / name
    program.symlink_to("/bin/cat")
    with subprocess.Popen([program], stdin=subprocess.PIPE) as child:
        found = process(child.pid)
        assert found is not None
        assert found.parent_pid == os.getpid()
        assert found.name in (name, name.encode().decode("utf-8", "surrogateescape"))
        child.communicate()


def test_shells_and_launchers_are_passed_over_where_the_program_is_meant() -> None:
    code = "from coordinator.identity import *; print(client_seat(), caller_names()[0], *seats_above()[:2])"
    ran = subprocess.run(
        ["/bin/sh", "-c", f"timeout 60 {sys.executable} -c '{code}'; exit"], capture_output=True, text=True, check=True
    )
    client, caller, nearest, next_one = ran.stdout.split()
    assert client == local_name()  # past timeout and sh
    assert caller == next_one != client  # sh, as a script of the shell's is one agent
    assert nearest not in (client, caller)  # timeout
    assert client_seat() != local_name()
    assert caller_names()
    assert seats_above()


@pytest.mark.parametrize(
    "given", [{}, {"XDG_CONFIG_HOME": "/x/c", "XDG_STATE_HOME": "/x/s"}, {"XDG_STATE_HOME": "relative"}, {"HOME": "~"}]
)
def test_folders_of_the_user_are_where_the_library_has_them(
    given: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert default_state_dir("n") == Path(platformdirs.user_state_dir("scentfield", appauthor=False)) / "n"
    _, user = files_around(tmp_path)
    assert user == Path(platformdirs.user_config_dir("scentfield", appauthor=False)) / "scentfield.toml"
