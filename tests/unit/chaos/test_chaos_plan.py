"""A seed says which faults come; a fenced folder compares numbers; a diary outlives its writer."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from actors.runtime.errors import Misuse, Unavailable
from coordinator.chaos.diary import Diary, read_diary
from coordinator.chaos.fenced_folder import FencedFolder
from coordinator.chaos.plan import FAULTS, KILL_AGENT, WEIGHTS, Plan, weights_of
from coordinator.chaos.report import spread
from coordinator.chaos.witness import Witness


def test_a_seed_gives_the_same_faults_again_and_another_one_others() -> None:
    first, again, other = (list(itertools.islice(Plan(seed, 60.0).faults(), 50)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert {fault.kind for fault in first} >= {"kill_actor", "kill_agent", "stop_agent"}


def test_a_stopped_process_stands_still_for_longer_than_its_lease() -> None:
    plan = Plan(3, 60.0)
    assert all(fault.for_s > 1.2 * plan.ttl_s for fault in itertools.islice(plan.faults(), 50))


def test_kinds_of_faults_are_named_or_all() -> None:
    assert weights_of(None) == WEIGHTS
    assert weights_of([KILL_AGENT]) == {KILL_AGENT: WEIGHTS[KILL_AGENT]}
    assert WEIGHTS.keys() == FAULTS.keys()
    with pytest.raises(Misuse, match="there is no fault 'flood': name some of kill_actor"):
        weights_of(["flood"])


def test_a_fenced_folder_takes_no_older_number_and_says_who_has_the_newer_one(tmp_path: Path) -> None:
    folder = FencedFolder(tmp_path)
    assert folder.write("src/a.py", 2, "ann#1", lambda: True).is_accepted
    assert folder.write("src/a.py", 2, "ann#1", lambda: True).is_accepted
    assert folder.write("src/b.py", 1, "bob#2", lambda: True).is_accepted
    refused = folder.write("src/a.py", 1, "bob#2", lambda: False)
    assert (refused.is_accepted, refused.is_believed) == (False, False)
    assert (refused.newest_generation, refused.newest_holder) == (2, "ann#1")
    assert folder.write("src/a.py", 3, "bob#2", lambda: True).is_accepted


def test_a_witness_writes_down_what_it_passes_on_and_what_fails(tmp_path: Path) -> None:
    class Inner:
        def call(self, _domain: str, raw: bytes, _timeout_s: float) -> bytes:
            if raw == b"no":
                raise Unavailable("nobody is there")
            return raw + b"!"

    witness = Witness(Inner(), Diary(tmp_path / "ann.diary"))  # type: ignore[arg-type]
    assert witness.call("scent_field", b"yes", 1.0) == b"yes!"
    with pytest.raises(Unavailable):
        witness.call("scent_field", b"no", 1.0)
    lines = list(read_diary(tmp_path / "ann.diary"))
    assert [(line["what"], line["call"]) for line in lines] == [("sent", 1), ("heard", 1), ("sent", 2), ("gave_up", 2)]
    assert [bytes.fromhex(line["raw"]) for line in lines[:3]] == [b"yes", b"yes!", b"no"]
    assert lines[3]["why"] == "Unavailable"


def test_a_diary_has_all_lines_of_a_process_that_was_killed(tmp_path: Path) -> None:
    program = (
        "import os, sys, pathlib, signal\n"
        "from coordinator.chaos.diary import Diary\n"
        "diary = Diary(pathlib.Path(sys.argv[1]))\n"
        "for number in range(100): diary.sent('scent_field', b'x')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    file = tmp_path / "ann.diary"
    done = subprocess.run([sys.executable, "-c", program, str(file)], timeout=60, cwd=os.curdir)
    assert done.returncode == -signal.SIGKILL
    assert [line["call"] for line in read_diary(file)] == list(range(1, 101))


def test_a_spread_is_that_of_the_numbers_and_none_of_nothing() -> None:
    assert spread([]) is None
    assert spread([3.0, 1.0, 2.0]) == {"median": 2.0, "p99": 3.0, "max": 3.0}
