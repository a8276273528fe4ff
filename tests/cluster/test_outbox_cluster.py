"""Notes between state actors on real Ray."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.errors import Unavailable
from actors.runtime.outbox import BOUNCE, Deliver, Delivered, Note
from actors.runtime.received import SCHEMA
from actors.runtime.wire import decode_reply, encode_request
from coordinator.client import Coordinator
from coordinator.courier import RayCourier
from coordinator.ray_transport import RayTransport
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster]


def test_the_courier_finds_an_actor_by_name_and_its_successor_after_a_kill(
    coordinator_up: Settings, actor_pid: Callable[[str], int], tree: Path
) -> None:
    async def story() -> list[Any]:
        send = RayCourier(coordinator_up.namespace)
        with pytest.raises(Unavailable, match="there is no actor 'nobody'"):
            await send("nobody", b"")
        first = await _deliver(send, 1)
        os.kill(actor_pid("scent_field"), signal.SIGKILL)
        return [first, await _deliver(send, 1), await _deliver(send, 2)]

    # Attaches this process to the cluster too.
    with Coordinator.connect(agent="ann", root=tree, settings=coordinator_up) as ann:
        assert asyncio.run(story()) == [Delivered(1), Delivered(1), Delivered(2)]
        (stuck,) = [row for row in ann.sync().rows if row.kind == "STUCK"]
        assert stuck.intensity == pytest.approx(1.0, abs=0.05), "two bounces, one of them delivered twice"


def test_each_failed_edit_leaves_its_mark_once_whoever_is_killed(
    coordinator_up: Settings, tree: Path, wait_until: Callable[..., Any]
) -> None:
    settings = coordinator_up.model_copy(update={"ttl_s": 60.0})
    paths = [f"src/{number}.py" for number in range(8)]
    with Coordinator.connect(agent="ann", root=tree, settings=settings) as ann:
        for number, path in enumerate(paths):
            (tree / path).write_text("def f():\n    return 1\n", encoding="utf-8")
            ann.read(path, "full")
            assert not ann.edit(path, "return 7", "return 8")
            _kill(settings, ("quality_store", "scent_field")[number % 2])

        def stuck() -> dict[str, float]:
            return {row.target: row.intensity for row in ann.sync(limit=100).rows if row.kind == "STUCK"}

        wait_until(lambda: sorted(stuck()) == paths, 60.0)
        assert stuck() == pytest.approx(dict.fromkeys(paths, 1.0), abs=0.1)


def _kill(settings: Settings, domain: str) -> None:
    """Kill the actor's process, and come back when another one serves."""
    transport = RayTransport(settings.namespace)
    pid = transport.describe(domain, 60.0)["pid"]
    os.kill(pid, signal.SIGKILL)
    assert transport.describe(domain, 60.0)["pid"] != pid


async def _deliver(send: RayCourier, number: int) -> Any:
    """Bounce `number` of a made-up source."""
    note = Note(BOUNCE, "ann#1", "test", "src/a.py", "py", "map", 10, 100, 0, 0.0)
    raw = encode_request([("", "", 0, 0, (), (SCHEMA.wire_of(Deliver("quality_store@made-up", number, (note,))),))])
    ((answer,),) = decode_reply(await asyncio.wait_for(send("scent_field", raw), 60.0), SCHEMA)
    return answer
