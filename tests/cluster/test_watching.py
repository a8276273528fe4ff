"""Stories, logs, traces and the terminal view, of real actors on real Ray."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.errors import Unavailable
from coordinator import Coordinator
from coordinator.cli.places import open_places
from coordinator.core import Core, Identity
from coordinator.gateway.address_file import read_address
from coordinator.gateway.settings import GatewaySettings
from coordinator.gateway.token import own_token
from coordinator.http_transport import HttpTransport
from coordinator.log_settings import LogSettings
from coordinator.settings import Settings
from coordinator.story.fact import Fact
from coordinator.story.subject import TargetSubject
from coordinator.story.telling import Story, tell
from coordinator.top.scout import Scout
from coordinator.top.sight import Lookout
from coordinator.trace_settings import TraceSettings
from coordinator.tracing import TRACING
from coordinator.workspace import Workspace

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

_at = Path(__file__).parents[1] / "unit" / "tracing" / "conftest.py"
_spec = importlib.util.spec_from_file_location("trace_collector", _at)
assert _spec is not None
assert _spec.loader is not None
_tracing = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_tracing)
collector = _tracing.collector


@pytest.fixture
def settings(settings: Settings, tree: Path, collector: Any) -> Iterator[Settings]:
    """The same with a gateway, logs and traces."""
    yield settings.model_copy(
        update={
            "gateway": GatewaySettings(port=0, roots=(tree,)),
            "log": LogSettings(level="info"),
            "traces": TraceSettings(endpoint=collector.url),
            "ttl_s": 30.0,
        }
    )
    TRACING.end()


def story_of(settings: Settings, target: str) -> Story:
    with open_places(settings) as places:
        return tell(places, TargetSubject(settings.space or "", target))


def facts_of(settings: Settings, target: str, what: str) -> list[Fact]:
    return [fact for fact in story_of(settings, target).facts if fact.what == what]


def log_lines(pid: int) -> list[dict[str, Any]]:
    """What the worker of this process has written to its log."""
    import ray

    folder = Path(ray._private.worker._global_node.get_logs_dir_path())
    lines = [line for file in folder.glob(f"worker-*-{pid}.err") for line in file.read_text().splitlines()]
    return [json.loads(line) for line in lines if line.startswith("{")]


def test_a_claim_is_told_logged_and_traced(
    coordinator_up: Settings, tree: Path, collector: Any, wait_until: Callable[..., Any]
) -> None:
    import ray

    field: Any = ray.get_actor("scent_field", namespace=coordinator_up.namespace)
    pid = ray.get(field.describe.remote(), timeout=30.0)["pid"]
    with Coordinator.connect(agent="ann", settings=coordinator_up, root=tree) as ann:
        assert ann.claim("src/a.py", intent="tidy up")
        os.kill(pid, signal.SIGKILL)
        with Coordinator.connect(agent="bob", settings=coordinator_up, root=tree) as bob:
            assert not bob.claim("src/a.py")
            told = wait_until(
                lambda: [one for one in story_of(coordinator_up, "src/a.py").facts if one.what == "refused"]
            )
        assert (told[0].agent, told[0].detail) == ("bob#2", "held by ann#1")
    facts = story_of(coordinator_up, "src/a.py").facts
    assert [fact.what for fact in facts] == ["granted", "refused", "gone", "ended"]
    assert told[0].causes == (facts[0].ref,)
    started = [line for line in log_lines(pid) if line["event"] == "started"]
    assert [line["domain"] for line in started] == ["scent_field"]

    def traced() -> bool:
        spans = collector.spans()
        calls = {span.id: span for span in spans if span.service == "scentfield.client"}
        served = [span for span in spans if span.service == "scentfield.scent_field" and span.parent in calls]
        batches = [span for span in spans if span.name == "scent_field batch"]
        return any(span.id in batch.links for span in served for batch in batches)

    wait_until(traced, deadline_s=60.0)


def test_the_view_goes_on_when_the_coordinator_was_started_anew(
    coordinator_up: Settings, tree: Path, take_away: Callable[[Settings], None], wait_until: Callable[..., Any]
) -> None:
    from coordinator.cluster import up

    def reach() -> Lookout:
        address = read_address(coordinator_up.state_dir)
        if address is None:
            raise Unavailable("no gateway is written down")
        transport = HttpTransport(address.url, own_token(coordinator_up.state_dir))
        core = Core(coordinator_up, Workspace(tree, space="test"), transport, Identity("", "", "decay"))
        return Lookout(core, transport, time.monotonic)

    scout = Scout(reach, time.monotonic)
    up(coordinator_up)
    wait_until(lambda: scout.look() is None and not scout.problem, deadline_s=60.0)
    with Coordinator.connect(agent="ann", settings=coordinator_up, root=tree) as ann:
        ann.claim("src/a.py")
        scout.look()
        assert scout.sight is not None
        assert [row.target for row in scout.sight.claims] == ["src/a.py"]
        take_away(coordinator_up)
        wait_until(lambda: scout.look() is None and bool(scout.problem), deadline_s=60.0)
        up(coordinator_up)
        wait_until(lambda: scout.look() is None and not scout.problem, deadline_s=60.0)
        assert [row.target for row in scout.sight.claims] == ["src/a.py"], "the state is kept"
