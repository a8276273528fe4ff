"""State actors are killed while processes work: what was acknowledged stays, and callers see a delay."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coordinator.client import Coordinator
from coordinator.domain import DOMAINS
from coordinator.ray_transport import RayTransport
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster]
N_PROCESSES = 4
CROWDED = [f"shared/{number}.py" for number in range(3)]


@pytest.mark.parametrize(
    "n_kills", [pytest.param(1, marks=pytest.mark.timeout(120)), pytest.param(20, marks=pytest.mark.soak)]
)
def test_nothing_acknowledged_is_lost_or_done_twice_when_actors_are_killed(
    start_agent: Callable[..., Any], coordinator_up: Settings, tree: Path, tmp_path: Path, n_kills: int
) -> None:
    settings = coordinator_up.model_copy(update={"ttl_s": 30.0})
    agents = [start_agent(f"worker-{number}", settings=settings) for number in range(N_PROCESSES)]
    done, ledger = tmp_path / "done", tmp_path / "ledger"
    ledger.mkdir()
    for number, agent in enumerate(agents):
        (tree / f"work_{number}.py").write_text("step = 0\n", encoding="utf-8")
        agent.tell("work", until_file=str(done), ledger=str(ledger), crowded=CROWDED, path=f"work_{number}.py")
    for _ in range(n_kills):
        for domain in DOMAINS:
            _kill(settings, domain)
    done.touch()
    accounts = [agent.answer(60.0) for agent in agents]
    assert [fault for account in accounts for fault in account["faults"]] == []
    assert max(account["longest_s"] for account in accounts) < settings.call_timeout_s
    for agent, account in zip(agents, accounts, strict=True):
        for target, generation in account["kept"].items():
            assert agent.ask("check", path=target, generation=generation)["holds"], (agent.id, target)
    _check_counts(settings, tree, accounts)


def _kill(settings: Settings, domain: str) -> None:
    """Kill the actor's process, and come back when another one serves."""
    transport = RayTransport(settings.namespace)
    before = transport.describe(domain, 60.0)
    os.kill(before["pid"], signal.SIGKILL)
    after = transport.describe(domain, 60.0)
    assert after["pid"] != before["pid"]
    assert after["epoch"] == before["epoch"] + 1
    assert after["trouble"] is None


def _check_counts(settings: Settings, tree: Path, accounts: list[dict[str, Any]]) -> None:
    """The actors' own counts say that each acknowledged act was done exactly once."""
    with Coordinator.connect(agent="auditor", root=tree, settings=settings) as auditor:
        field, quality = auditor.statistics()
        counts = {count.name: count.value for count in (*field.gauges, *field.counters)}
        assert counts["leases"] == sum(len(account["kept"]) for account in accounts)
        assert counts["claims_granted"] == sum(account["n_granted"] for account in accounts)
        assert counts["claims_renewed"] == 0
        assert counts["sessions"] == N_PROCESSES + 1
        (pair,) = [row for row in quality.pairs if row.extension == "rs"]
        assert (pair.n_fails, pair.n_successes) == (0, sum(account["n_outcomes"] for account in accounts))
        assert auditor.sync().n_claims == counts["leases"]
