"""Compactions in a simulated world: what goes on between their stages, and where they die."""

from collections.abc import Iterator

import pytest

from actors.coordination.machine import Coordination
from actors.runtime.journal import Journal
from actors.runtime.kernel import Kernel
from actors.runtime.machine import Now
from actors.runtime.recovery import recover_into
from actors.runtime.wire import pack
from coordinator.simulation.chance import Chance
from coordinator.simulation.disk import STAGES, DiskRoom
from coordinator.simulation.history import Happened
from coordinator.simulation.host import Host
from coordinator.simulation.plan import draw_plan
from coordinator.simulation.world import World

AT_ONCE = dict.fromkeys(STAGES, 0)


@pytest.fixture
def world() -> Iterator[World]:
    """A house in which twelve rows were committed."""
    with DiskRoom() as room:
        chance = Chance(0)
        world = World(draw_plan(chance, 0, n_steps=0, n_agents=0), chance, room)
        world.hosts[0].start()
        journal = journal_of(world.hosts[0])
        for _ in range(12):
            journal.append(pack([0.0, 1_800_000_000.0, []]), Now(0.0, 1_800_000_000.0))
        yield world
        world.close()


def journal_of(host: Host) -> Journal:
    assert host.current is not None
    journal = host.current.mailbox.journal
    assert journal is not None
    return journal


def recovered_seq(host: Host) -> int:
    return recover_into(Kernel(Coordination()), host.disk.store).head.seq


def notes(world: World) -> list[str]:
    return [record.what for record in world.history if isinstance(record, Happened)]


def test_rows_that_are_committed_while_a_snapshot_is_written_stay(world: World) -> None:
    host = world.hosts[0]
    journal = journal_of(host)
    row = pack([0.0, 1_800_000_000.0, []])
    for _ in STAGES:
        world.agenda.after(0.0, lambda: journal.append(row, Now(0.0, 1_800_000_000.0)))
    host.compact({**AT_ONCE, "parts": 1, "head": 1, "rows": 1}, "")
    assert notes(world)[-1] == "the journal is folded up to row 12"
    assert recovered_seq(host) == journal.seq > 12


@pytest.mark.parametrize("stage", STAGES)
def test_who_dies_at_a_stage_leaves_a_store_that_is_whole(world: World, stage: str) -> None:
    host = world.hosts[0]
    host.compact(AT_ONCE, stage)
    assert notes(world)[-1] == f"who folds the journal dies with the {stage} to come"
    assert recovered_seq(host) == 12
    journal_of(host).append(pack([0.0, 1_800_000_000.0, []]), Now(0.0, 1_800_000_000.0))
    host.compact(AT_ONCE, "")
    assert notes(world)[-1] == "the journal is folded up to row 13"
    assert recovered_seq(host) == 13


def test_a_full_disk_takes_no_snapshot(world: World) -> None:
    host = world.hosts[0]
    host.disk.full_until_s = 1.0
    host.compact(AT_ONCE, "")
    assert notes(world)[-1] == "the journal cannot be folded: unavailable"
    with host.disk.store.view() as view:
        assert view.snapshot_seq() == 0


def test_a_second_one_may_run_meanwhile_and_a_third_one_does_not_start(world: World) -> None:
    host = world.hosts[0]
    world.agenda.after(0.0, lambda: host.compact({**AT_ONCE, "parts": 1}, ""))
    world.agenda.after(0.0, lambda: host.compact(AT_ONCE, ""))
    host.compact({**AT_ONCE, "parts": 2}, "")  # the first of its steps is the process's own
    assert notes(world).count("the journal is folded up to row 12") == 2
    assert recovered_seq(host) == 12
