"""Claims, one at a time and a hundred a call, from 1, 4 and 16 processes, beside calls that do nothing.

Each figure is the median of interleaved pairs: a round of ours and a round of the reference in the same cluster, in
turns, because a machine is never as fast twice. The bench has a head, a store and processes of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from coordinator.bench.crew import Crew, Round
from coordinator.bench.house import bench_house
from coordinator.bench.noop import start_noop
from coordinator.bench.round_pair import RoundPair, figures_of, measured_pair

REFERENCE: Final = "no-op call of an async Ray actor"
_NOTES: Final = {
    True: "claims: committed before the answer",
    False: "progress notes (HOT 0.3): committed within a second of the answer",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured."""

    n_processes: tuple[int, ...]
    batches: tuple[int, ...]
    n_pairs: int
    round_s: float


FULL: Final = Plan(n_processes=(1, 4, 16), batches=(1, 100), n_pairs=5, round_s=1.0)
QUICK: Final = Plan(n_processes=(1, 2), batches=(1, 100), n_pairs=1, round_s=0.1)


class Shape(NamedTuple):
    """What one row measures."""

    n_processes: int
    batch: int
    durable: bool


def measure_claims(
    plan: Plan, store_dir: Path, *, told: Callable[[str], None] = lambda _: None
) -> list[dict[str, Any]]:
    """The rows. `store_dir` lies on the disk to measure and is made and emptied; `told` hears what is done.

    Raises `Misuse` in a process that is connected to a cluster already.
    """
    told("starting a Ray head")
    with bench_house(store_dir) as settings, Crew(settings, store_dir) as crew:
        _noop = start_noop(settings.namespace)  # it lives while this handle does
        return [_row(crew, shape, plan, told) for shape in _shapes(plan)]


def _shapes(plan: Plan) -> Iterator[Shape]:
    for n_processes in plan.n_processes:
        for batch in plan.batches:
            for durable in (True, False):
                yield Shape(n_processes, batch, durable)


def _row(crew: Crew, shape: Shape, plan: Plan, told: Callable[[str], None]) -> dict[str, Any]:
    crew.grow(shape.n_processes)
    told(f"{_NOTES[shape.durable].partition(':')[0]}, {shape.n_processes} processes, {shape.batch} a call")
    _pair(crew, shape, plan.round_s / 4, is_ours_first=True)  # warms up
    pairs = [_pair(crew, shape, plan.round_s, is_ours_first=number % 2 == 0) for number in range(plan.n_pairs)]
    return row_of(shape, pairs)


def _pair(crew: Crew, shape: Shape, for_s: float, *, is_ours_first: bool) -> RoundPair:
    def measured(what: str) -> Round:
        load = {"what": what, "batch": shape.batch, "durable": shape.durable}
        return crew.round(shape.n_processes, for_s=for_s, n_a_call=shape.batch, **load)

    return measured_pair(measured, is_ours_first=is_ours_first)


def row_of(shape: Shape, pairs: Sequence[RoundPair]) -> dict[str, Any]:
    """A row from pairs (ours, reference): medians, and how often slower a call was, with the range over the pairs."""
    return {**shape._asdict(), **figures_of(pairs, REFERENCE), "note": _NOTES[shape.durable]}
