"""Many processes, many sessions and a slow disk: bounded memory, busy instead of growth, and nobody starves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = [pytest.mark.cluster]
Run = Callable[..., dict[str, Any]]
N_PROCESSES, N_SESSIONS = 16, 2_000
MAX_UNACKNOWLEDGED = 256
MAX_GROWTH_MIB = 64.0
MAX_FLOOD_MIB = 256.0
"""Ray gives each call that an actor has taken in a stack of its own, 4,096 at most; that is about 50 KiB each."""
LEAST_SHARE = 0.5


@pytest.mark.parametrize(
    ("for_s", "within_s"),
    [
        pytest.param(60.0, 340.0, marks=pytest.mark.timeout(360)),
        pytest.param(600.0, 1_000.0, marks=[pytest.mark.soak, pytest.mark.timeout(1_100)]),
    ],
)
def test_a_crowd_on_a_slow_disk_is_served_fairly_and_within_bounds(
    run_program: Run, for_s: float, within_s: float
) -> None:
    told = run_program("load.py", str(for_s), str(N_PROCESSES), str(N_SESSIONS), within_s=within_s)
    assert told["faults"] == []
    assert told["n_agents"] == 4 * N_PROCESSES
    assert (told["n_lost"], told["trouble"], told["n_failed_commits"], told["n_unavailable"]) == (0, None, 0, 0)
    assert told["fewest"] >= LEAST_SHARE * told["median"]
    assert told["longest_s"] < for_s / 4.0
    assert told["max_queued"] <= 4 * N_PROCESSES + N_SESSIONS // 20 + 1
    early, late = told["memory_mib"]
    assert late - early < MAX_GROWTH_MIB
    assert told["memory_after_flood_mib"] - late < MAX_FLOOD_MIB
    assert told["n_flood_done"] == MAX_UNACKNOWLEDGED
    assert told["n_flood_busy"] == told["n_flood"] - MAX_UNACKNOWLEDGED
