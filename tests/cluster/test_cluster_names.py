"""Finding, making and missing the coordinator: namespaces, spaces, `up`, `down`, and addresses where nobody is."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.errors import Corrupt, Unavailable
from coordinator.client import Coordinator
from coordinator.cluster import actor_names, down, up
from coordinator.domain import DOMAINS, EMBEDDING
from coordinator.head import free_ports
from coordinator.ray_transport import RayTransport
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(120)]
FILE = "src/a.py"


def _connect(settings: Settings, name: str, tree: Path) -> Coordinator:
    return Coordinator.connect(agent=name, root=tree, settings=settings)


def _pids(settings: Settings) -> dict[str, int]:
    transport = RayTransport(settings.namespace)
    return {name: transport.describe(name, 30.0)["pid"] for name in DOMAINS}


@pytest.fixture
def other_up(settings: Settings, tmp_path: Path, take_away: Callable[[Settings], None]) -> Any:
    """A second coordinator on the same cluster."""
    changes = {"namespace": f"{settings.namespace}-other", "data_dir": tmp_path / "other"}
    other = settings.model_copy(update=changes)
    up(other)
    yield other
    take_away(other)


def test_coordinators_of_two_namespaces_never_meet(coordinator_up: Settings, other_up: Settings, tree: Path) -> None:
    with _connect(coordinator_up, "ann", tree) as ann, _connect(other_up, "bob", tree) as bob:
        assert ann.claim(FILE)
        assert bob.claim(FILE)
        assert [row.agents for row in ann.sync().rows] == [(ann.agent_id,)]
        assert [row.agents for row in bob.sync().rows] == [(bob.agent_id,)]
        assert [row.session_id for row in ann.sessions().rows] == [ann.agent_id]
    down(other_up)
    assert actor_names(other_up) == []
    assert set(DOMAINS) <= set(actor_names(coordinator_up))


def test_two_spaces_of_one_coordinator_never_meet(coordinator_up: Settings, tree: Path) -> None:
    there = coordinator_up.model_copy(update={"space": "elsewhere"})
    with _connect(coordinator_up, "ann", tree) as ann, _connect(there, "bob", tree) as bob:
        assert ann.claim(FILE)
        assert bob.claim(FILE)
        assert ann.sync().n_claims == bob.sync().n_claims == 1
        assert not _connect(there, "cat", tree).claim(FILE)


def test_up_again_changes_nothing(coordinator_up: Settings, tree: Path) -> None:
    before = _pids(coordinator_up)
    with _connect(coordinator_up, "ann", tree) as ann:
        claim = ann.claim(FILE)
        report = up(coordinator_up)
        assert (report.started_head, report.created) == (False, ())
        assert _pids(coordinator_up) == before
        assert ann.check(FILE, claim.generation).holds


def test_two_processes_that_say_up_at_once_make_one_of_each_actor(
    start_agent: Callable[..., Any], settings: Settings, take_away: Callable[[Settings], None]
) -> None:
    plain = settings.model_dump(mode="json")
    agents = [start_agent(None), start_agent(None)]
    for agent in agents:
        agent.ask("part")
    for agent in agents:
        agent.tell("up", settings=plain)
    first, second = (agent.answer() for agent in agents)
    try:
        assert first["pids"] == second["pids"]
        assert first["epochs"] == second["epochs"] == dict.fromkeys(DOMAINS, 1)
        assert sorted([*first["created"], *second["created"]]) == sorted([*DOMAINS, EMBEDDING])
    finally:
        take_away(settings)


def test_without_up_the_error_says_which_command_to_run(settings: Settings, tree: Path) -> None:
    with pytest.raises(Unavailable, match="`scentfield up`"):
        _connect(settings, "ann", tree)


def test_a_client_does_not_notice_that_the_coordinator_was_taken_down_and_up_again(
    coordinator_up: Settings, tree: Path
) -> None:
    patient = coordinator_up.model_copy(update={"ttl_s": 60.0})
    with _connect(patient, "ann", tree) as ann:
        held = ann.claim(FILE)
        down(patient)
        up(patient)
        assert ann.check(FILE, held.generation).holds
        assert held.release().n_released == 1


def test_after_down_a_claim_is_refused_and_after_up_the_old_client_goes_on(
    coordinator_up: Settings, tree: Path
) -> None:
    patient = coordinator_up.model_copy(update={"ttl_s": 60.0})
    ann = _connect(patient, "ann", tree)
    held = ann.claim(FILE)
    stopped, head_stopped = down(patient)
    assert set(stopped) >= set(DOMAINS)
    assert not head_stopped
    with pytest.raises(Unavailable, match="`scentfield up`"):
        ann.claim("src/b.py")
    edited_before = (tree / FILE).read_bytes()
    with pytest.raises(Unavailable):
        ann.edit(FILE, "return 1", "return 2")
    assert (tree / FILE).read_bytes() == edited_before
    up(patient)
    assert ann.check(FILE, held.generation).holds
    assert ann.claim("src/b.py")
    assert ann.close() == 2


@pytest.mark.parametrize("where", ["a closed port", "a port where something else listens"])
def test_an_address_without_a_cluster_fails_within_seconds(
    run_alone: Callable[..., Any], settings: Settings, where: str
) -> None:
    with socket.socket() as stranger:
        stranger.bind(("127.0.0.1", 0))
        stranger.listen()
        port = free_ports(1)[0] if where == "a closed port" else stranger.getsockname()[1]
        lost = settings.model_copy(update={"address": f"127.0.0.1:{port}"})
        agent = run_alone()
        agent.ask("part")
        started_s = time.monotonic()
        with pytest.raises(agent.Refusal, match=r"Unavailable.*`scentfield up`"):
            agent.ask("connect", settings=lost.model_dump(mode="json"), agent="ann", root="/")
        assert time.monotonic() - started_s < 20.0


def test_up_refuses_a_store_that_is_not_the_one_on_record(
    coordinator_up: Settings, tree: Path, tmp_path: Path, take_away: Callable[[Settings], None]
) -> None:
    patient = coordinator_up.model_copy(update={"ttl_s": 60.0})
    held = _connect(patient, "ann", tree).claim(FILE)
    down(patient)
    elsewhere = patient.model_copy(update={"data_dir": tmp_path / "elsewhere"})
    with pytest.raises(Corrupt, match="keeps its state in store") as refused:
        up(elsewhere)
    assert "bring the data folder back" in refused.value.message
    assert actor_names(elsewhere) == []
    assert not list((tmp_path / "elsewhere").glob("*.sqlite3"))
    up(patient)
    with _connect(patient, "bob", tree) as bob:
        refused_claim = bob.claim(FILE)
        assert not refused_claim
        assert refused_claim.conflicts[0].generation == held.generation
