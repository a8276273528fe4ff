"""Real processes under kills and stops: nothing acknowledged is lost, nobody holds twice, nothing stale is taken."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = [pytest.mark.cluster]
Run = Callable[..., dict[str, Any]]
BACK_S = 3.0


def kept(told: dict[str, Any]) -> dict[str, Any]:
    """The same document, if it says that every promise was kept and that there was something to keep."""
    assert told["violations"] == []
    assert (told["acknowledged_lost"], told["double_holders"], told["stale_writes_accepted"]) == (0, 0, 0)
    assert told["kept"] is None
    assert told["calls"] > 10 * told["agents"]
    assert told["rows"] > 0
    assert told["writes"] > 0
    return told


@pytest.mark.parametrize(
    ("n_kills", "minutes", "within_s"),
    [
        pytest.param(20, 5, 330.0, marks=pytest.mark.timeout(360)),
        pytest.param(200, 30, 1_900.0, marks=[pytest.mark.soak, pytest.mark.timeout(2_000)]),
    ],
)
def test_actors_that_are_killed_under_load_come_back_with_all_that_was_acknowledged(
    run_chaos: Run, n_kills: int, minutes: int, within_s: float
) -> None:
    told = kept(
        run_chaos(
            *("--only", "kill_actor", "--faults", str(n_kills), "--minutes", str(minutes)),
            *("--seed", "1", "--agents", "4"),
            within_s=within_s,
        )
    )
    assert told["faults"] == {"kill_actor": n_kills}
    assert told["kills"] == told["recoveries"] == n_kills
    assert told["recovery_s"]["kill_actor"]["median"] <= BACK_S * slowness()


def slowness() -> float:
    """How much slower this machine is than an idle one: a busy processor is no broken promise."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


@pytest.mark.timeout(420)
def test_on_a_server_too_and_with_processes_that_stand_still(run_chaos: Run, postgresql: Any) -> None:
    url = postgresql.url(database := postgresql.database()).partition("?")[0]
    told = kept(
        run_chaos("--faults", "7", "--minutes", "1", "--seed", "4", "--agents", "4", "--store", url, within_s=400.0)
    )
    assert told["store"] == "postgresql"
    assert told["stops"] > 0
    assert told["kills"] > 0
    for table in ("head", "journal", "snapshot", "snapshot_head", "owner"):
        assert postgresql.run(f"SELECT count(*) FROM {table}", database) == [(0,)]


@pytest.mark.soak
@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_ten_minutes_of_everything(run_chaos: Run, request: pytest.FixtureRequest, store: str) -> None:
    where: tuple[str, ...] = ()
    if store == "postgresql":
        server = request.getfixturevalue("postgresql")
        where = ("--store", server.url(server.database()).partition("?")[0])
    told = kept(run_chaos("--minutes", "10", "--seed", "21", *where, within_s=1_100.0))
    assert set(told["faults"]) == {"kill_actor", "kill_agent", "stop_agent", "stop_actor", "kill_cluster"}
