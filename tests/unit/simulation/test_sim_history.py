"""One seed is one history, byte for byte."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from coordinator.simulation.disk import DiskRoom
from coordinator.simulation.verdict import Run, run_seed

SEED, N_STEPS, N_AGENTS = 5, 600, 6  # with kills, full disks, and agents that die
FRESH = f"""
import sys
from coordinator.simulation.disk import DiskRoom
from coordinator.simulation.verdict import run_seed
with DiskRoom() as room:
    run = run_seed({SEED}, n_steps={N_STEPS}, n_agents={N_AGENTS}, room=room)
sys.stdout.write("\\n".join(run.lines()))
"""


@pytest.fixture(scope="module")
def room() -> Iterator[DiskRoom]:
    with DiskRoom() as room:
        yield room


@pytest.fixture(scope="module")
def run(room: DiskRoom) -> Run:
    return run_seed(SEED, n_steps=N_STEPS, n_agents=N_AGENTS, room=room)


def test_a_seed_gives_the_same_bytes_twice_in_one_process(run: Run, room: DiskRoom) -> None:
    again = run_seed(SEED, n_steps=N_STEPS, n_agents=N_AGENTS, room=room)
    assert again.lines() == run.lines()
    assert again.history == run.history


@pytest.mark.parametrize("hash_seed", ["1", "4242"])
def test_a_seed_gives_the_same_bytes_in_a_fresh_process(run: Run, hash_seed: str) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "SCENTFIELD_TTL_S": "77", "TZ": "Asia/Tokyo"}
    done = subprocess.run([sys.executable, "-c", FRESH], env=environment, capture_output=True, timeout=60, check=True)
    assert done.stdout == "\n".join(run.lines()).encode()


def test_another_seed_gives_another_history(run: Run, room: DiskRoom) -> None:
    other = run_seed(SEED + 1, n_steps=N_STEPS, n_agents=N_AGENTS, room=room)
    assert other.lines()[:50] != run.lines()[:50]


def test_a_history_is_readable_and_names_no_machine(run: Run) -> None:
    lines = run.lines()
    assert lines[0] == "    0.000000  scent_field/1         opens the store: epoch 1, row 0, field time 0.000000"
    assert lines[-1].endswith("world                 the end")
    assert all("\n" not in line and line.isprintable() for line in lines)
    text = "\n".join(lines)
    assert str(os.getpid()) not in {word.strip("()[],;:") for word in text.split()}
    assert "/tmp" not in text
    assert "/dev/shm" not in text
    for word in ("registered a", "claim house", "granted ", "commits row", "is gone: killed", "hears of call"):
        assert word in text, word


def test_times_never_run_back(run: Run) -> None:
    times = [record.at_s for record in run.history]
    assert times == sorted(times)


def test_no_token_stands_in_a_history(run: Run) -> None:
    commands = [command for record in run.history for command in getattr(record, "commands", ())]
    secrets = {command[2] for command in commands if command[0] == "register"}
    assert secrets
    text = "\n".join(run.lines())
    assert not [token for token in secrets if token in text]
