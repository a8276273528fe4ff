"""The scent field's state machine alone: what a signal costs in memory and time, and what a look at all of them takes.

No Ray, no disk: the machine in this process, beside a dict that is sorted whenever somebody looks.
"""

from __future__ import annotations

import gc
import math
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any, Final, NamedTuple, Protocol

from actors.coordination.machine import Coordination
from actors.runtime.machine import NOBODY, Caller, Now
from actors.scent_field.messages import LeaveSignal, Sync
from actors.scent_field.signal import HALF_LIVES_S, SignalKind
from actors.sessions.messages import Register

REFERENCE: Final = "a dict that is sorted at each sync"
TOP: Final = 15
_SPACE: Final = "bench"
_KINDS: Final = (SignalKind.HOT, SignalKind.STUCK, SignalKind.DONE, SignalKind.AVOID)
_SIGNALS_AN_AGENT: Final = 1_000
_STEP_S: Final = 0.001
_LATER_S: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured."""

    n_signals: tuple[int, ...]
    n_pairs: int
    n_syncs: int


FULL: Final = Plan(n_signals=(10_000, 100_000), n_pairs=3, n_syncs=20)
QUICK: Final = Plan(n_signals=(2_000,), n_pairs=1, n_syncs=5)


class Heap(Protocol):
    """Something that keeps signals."""

    def deposit(self, number: int, now_s: float) -> None:
        """Leave the signal with this number, of another agent for each thousand."""

    def sync(self, now_s: float) -> int:
        """Look at the strongest; returns how many they were."""


class OurField:
    """The machine of the actor `scent_field`, called as its mailbox calls it."""

    def __init__(self, n_signals: int) -> None:
        self._machine = Coordination()
        n_agents = math.ceil(n_signals / _SIGNALS_AN_AGENT)
        self._callers = [self._register(number) for number in range(n_agents)]
        self._machine.take_events()

    def _register(self, number: int) -> Caller:
        register = Register(f"agent-{number}", f"{number:032x}", "", "heartbeat", _LATER_S)
        return Caller(self._machine.perform(NOBODY, register, _now(0.0)).session_id)

    def deposit(self, number: int, now_s: float) -> None:
        """Leave a signal, and hand its event to the journal, which forgets it."""
        command = LeaveSignal(_SPACE, _kind(number), _target(number), 1.0)
        self._machine.perform(self._callers[number // _SIGNALS_AN_AGENT], command, _now(now_s))
        self._machine.take_events()

    def sync(self, now_s: float) -> int:
        """The strongest rows."""
        return len(self._machine.perform(NOBODY, Sync(_SPACE, TOP), _now(now_s)).rows)


class SortedDict:
    """The shortest thing that answers the same question."""

    def __init__(self, _n_signals: int) -> None:
        self._signals: dict[tuple[str, str, str], tuple[float, float]] = {}

    def deposit(self, number: int, now_s: float) -> None:
        """Keep intensity and time."""
        key = (str(_kind(number)), _target(number), f"agent-{number // _SIGNALS_AN_AGENT}")
        self._signals[key] = (1.0, now_s)

    def sync(self, now_s: float) -> int:
        """Decay all, add up by target, sort, cut."""
        sums: dict[tuple[str, str], float] = {}
        for (kind, target, _), (intensity, at_s) in self._signals.items():
            decayed = intensity * 2.0 ** ((at_s - now_s) / HALF_LIVES_S[SignalKind(kind)])
            sums[kind, target] = sums.get((kind, target), 0.0) + decayed
        return len(sorted(sums.items(), key=lambda item: (-item[1], item[0]))[:TOP])


def _now(now_s: float) -> Now:
    return Now(now_s, 1_700_000_000.0 + now_s)


def _kind(number: int) -> SignalKind:
    return _KINDS[number % len(_KINDS)]


def _target(number: int) -> str:
    return f"src/package_{number % 97}/module_{number}.py"


class Figures(NamedTuple):
    """What one run over one heap came to; `fade_all_ms` is the first look after everything has faded."""

    deposit_us: float
    sync_ms: float
    max_pause_ms: float
    fade_all_ms: float


def measure_field(plan: Plan, *, told: Callable[[str], None] = lambda _: None) -> list[dict[str, Any]]:
    """The rows; `told` hears what is done."""
    return [_row(n_signals, plan, told) for n_signals in plan.n_signals]


def _row(n_signals: int, plan: Plan, told: Callable[[str], None]) -> dict[str, Any]:
    told(f"{n_signals} signals: memory")
    sizes = [_bytes_per_signal(make, n_signals) for make in (OurField, SortedDict)]
    pairs = []
    for number in range(plan.n_pairs):
        told(f"{n_signals} signals: time, {number + 1} of {plan.n_pairs}")
        pairs.append([_measured(make, n_signals, plan.n_syncs) for make in (OurField, SortedDict)])
    ours, reference = (
        {"bytes_per_signal": round(size), **_medians([pair[side] for pair in pairs])} for side, size in enumerate(sizes)
    )
    return {
        "n_signals": n_signals,
        **ours,
        "reference": REFERENCE,
        **{f"reference_{name}": value for name, value in reference.items()},
    }


def _medians(figures: list[Figures]) -> dict[str, float]:
    columns = zip(*figures, strict=True)
    return {name: round(median(column), 3) for name, column in zip(Figures._fields, columns, strict=True)}


def _measured(make: Callable[[int], Heap], n_signals: int, n_syncs: int) -> Figures:
    heap = make(n_signals)
    with _actors_collector():
        deposits_s = [_timed(heap.deposit, number, number * _STEP_S) for number in range(n_signals)]
        filled_s = n_signals * _STEP_S
        syncs_s = [_timed(heap.sync, filled_s) for _ in range(n_syncs)]
        fade_all_s = _timed(heap.sync, filled_s + _LATER_S)
    longest_s = max(*deposits_s, *syncs_s)
    return Figures(sum(deposits_s) / n_signals * 1e6, median(syncs_s) * 1e3, longest_s * 1e3, fade_all_s * 1e3)


def _bytes_per_signal(make: Callable[[int], Heap], n_signals: int) -> float:
    heap = make(n_signals)
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(n_signals):
            heap.deposit(number, number * _STEP_S)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return (after - before) / n_signals


@contextmanager
def _actors_collector() -> Iterator[None]:
    """The garbage collector as the state actors have it after their start."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 50, 100)
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


def _timed(run: Callable[..., object], *arguments: float) -> float:
    started_s = time.perf_counter()
    run(*arguments)
    return time.perf_counter() - started_s
