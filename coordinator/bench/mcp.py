"""Claims over MCP, from one client and from sixteen, beside a tool of the same server that does nothing.

Each figure is the median of interleaved pairs, as in the claims bench: the same clients, of the official SDK, call the
one and the other tool in turns, over the same connections. The bench has a head, a store, a gateway and processes of
its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

from coordinator.bench.crew import Crew, Round
from coordinator.bench.house import bench_house
from coordinator.bench.mcp_gateway import NoopGateway
from coordinator.bench.round_pair import RoundPair, figures_of, measured_pair
from coordinator.domain import GATEWAY
from coordinator.gateway.launch import premises
from coordinator.gateway.settings import GatewaySettings
from coordinator.settings import Settings
from coordinator.web.launch import WebActor

REFERENCE: Final = "a tool of the same server that does nothing"
_WORKER: Final = "coordinator.bench.mcp_worker"
_NO_LIMIT: Final = 1e6


class Shape(NamedTuple):
    """What one row measures: over which transport, and how many clients in how many processes."""

    transport: str
    n_processes: int
    n_clients: int


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured."""

    shapes: tuple[Shape, ...]
    n_pairs: int
    round_s: float


FULL: Final = Plan(
    (Shape("http", 1, 1), Shape("http", 4, 16), Shape("stdio", 1, 1), Shape("stdio", 4, 16)), n_pairs=7, round_s=2.0
)
QUICK: Final = Plan((Shape("http", 1, 1), Shape("http", 2, 4), Shape("stdio", 1, 1)), n_pairs=1, round_s=0.2)


def measure_mcp(plan: Plan, store_dir: Path, *, told: Callable[[str], None] = lambda _: None) -> list[dict[str, Any]]:
    """The rows. `store_dir` lies on the disk to measure and is made and emptied; `told` hears what is done.

    Raises `Misuse` in a process that is connected to a cluster already.
    """
    told("starting a Ray head")
    with bench_house(store_dir) as settings:
        url = start_noop_gateway(settings, store_dir)
        with Crew(settings, store_dir, _WORKER, url=url) as crew:
            return [_row(crew, shape, plan, told) for shape in plan.shapes]


def start_noop_gateway(settings: Settings, root: Path) -> str:
    """The gateway's URL. It is an actor as ever, and goes with the house."""
    gateway = GatewaySettings(port=0, requests_per_s=_NO_LIMIT)
    actor = WebActor(GATEWAY, settings.namespace, "look at its log")
    actor.start(NoopGateway, premises(settings.model_copy(update={"gateway": gateway}), root))
    return actor.url(was_asked_for=True)


def _row(crew: Crew, shape: Shape, plan: Plan, told: Callable[[str], None]) -> dict[str, Any]:
    crew.grow(shape.n_processes)
    told(f"{shape.transport}, {shape.n_clients} clients in {shape.n_processes} processes")
    _pair(crew, shape, plan.round_s / 4, is_ours_first=True)  # warms up
    return row_of(
        shape, [_pair(crew, shape, plan.round_s, is_ours_first=number % 2 == 0) for number in range(plan.n_pairs)]
    )


def _pair(crew: Crew, shape: Shape, for_s: float, *, is_ours_first: bool) -> RoundPair:
    def measured(what: str) -> Round:
        each = shape.n_clients // shape.n_processes
        return crew.round(shape.n_processes, what=what, transport=shape.transport, n_clients=each, for_s=for_s)

    return measured_pair(measured, is_ours_first=is_ours_first)


def row_of(shape: Shape, pairs: Sequence[RoundPair]) -> dict[str, Any]:
    """A row from pairs (ours, reference): medians, and both ratios with their range over the pairs."""
    shares = [ours.ops_per_s / reference.ops_per_s for ours, reference in pairs]
    return {
        **shape._asdict(),
        **figures_of(pairs, REFERENCE),
        "ops_share": round(median(shares), 2),
        "ops_share_range": [round(min(shares), 2), round(max(shares), 2)],
    }
