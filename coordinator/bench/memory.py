"""Recalls among many facts, through the client and the real actor, beside a list that is looked through one by one.

The facts are what the functions and classes of Python's library say of themselves, under numbered names where there are
not enough of them; each recall asks for another one, by its key or by words of it. The actor's memory is what its
process has more than before the first fact.
"""

from __future__ import annotations

import sysconfig
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

import psutil

from actors.embedding.source import STATIC
from actors.embedding.status import State
from actors.memory.fact import FactDraft
from actors.memory.word import terms
from actors.runtime.errors import InvariantBroken
from coordinator.bench.fact_source import code_facts
from coordinator.bench.house import bench_house
from coordinator.bench.readiness import await_state
from coordinator.client import Coordinator
from coordinator.domain import MEMORY
from coordinator.embedding.settings import EmbeddingSettings
from coordinator.memory.recollection import Recollection
from coordinator.ray_transport import RayTransport

REFERENCE: Final = "the same facts in a list, looked through one by one in this process"
OPERATIONS: Final = ("exact", "words", "meaning", "both")
_AT_ONCE: Final = 2_000
_DESCRIBE_S: Final = 60.0
_N_WANTED: Final = 10
_STEP: Final = 7_919
"""A prime, so that recalls go round all facts in no order that the memory has."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured: how many facts, recalls of each kind, and recalls of the reference."""

    n_facts: int
    n_calls: int
    n_reference_calls: int


FULL: Final = Plan(100_000, 400, 20)
QUICK: Final = Plan(300, 5, 2)


def measure_memory(plan: Plan, folder: Path, *, told: Callable[[str], None] = lambda _: None) -> list[dict[str, Any]]:
    """The rows, one for each way to recall. `folder` is made and emptied; `told` hears what is done."""
    told("starting a Ray head")
    embedding = EmbeddingSettings(model=STATIC, auto_download=False)
    drafts = many_facts(plan.n_facts)
    with (
        bench_house(folder, embedding=embedding) as settings,
        Coordinator.connect(agent="bench", root=folder, settings=settings) as agent,
    ):
        model = agent._core.model()
        model.warm()
        await_state(model, State.READY)
        pid = int(RayTransport(settings.namespace).describe(MEMORY, _DESCRIBE_S)["pid"])
        before = _resident_mib(pid)
        _fill(agent, drafts, told)
        grown = _resident_mib(pid) - before
        rows = []
        for operation in OPERATIONS:
            told(f"recalls: {operation}")
            ours = [_timed(one) for one in islice(_recalls(operation, agent, drafts), plan.n_calls)]
            scans = [_timed(one) for one in islice(_scans(operation, drafts), plan.n_reference_calls)]
            rows.append(row_of(operation, plan.n_facts, ours, scans, grown))
        return rows


def many_facts(n: int) -> list[FactDraft]:
    """So many facts of Python's library, always the same ones on one machine."""
    found = list(islice(code_facts(Path(sysconfig.get_path("stdlib"))), n))
    rounds = (FactDraft(one.category, f"{number}.{one.key}"[:128], *one[2:]) for number in count(2) for one in found)
    return [*found, *islice(rounds, n - len(found))]


def _fill(agent: Coordinator, drafts: Sequence[FactDraft], told: Callable[[str], None]) -> None:
    for first in range(0, len(drafts), _AT_ONCE):
        told(f"{first} of {len(drafts)} facts")
        agent.facts.remember_each(drafts[first : first + _AT_ONCE])
    while agent.facts.index(_AT_ONCE):
        told("giving the rest their vectors")
    seen = agent._do(agent._core.playbook.statistics())
    if seen.n_facts != seen.n_indexed:
        raise InvariantBroken(f"of {seen.n_facts} facts {seen.n_indexed} have a vector: the model stopped answering")


def _asked(drafts: Sequence[FactDraft]) -> Iterator[FactDraft]:
    return (drafts[number * _STEP % len(drafts)] for number in count())


def _recalls(operation: str, agent: Coordinator, drafts: Sequence[FactDraft]) -> Iterator[Callable[[], Recollection]]:
    """Recalls without end; each must find something."""
    for one in _asked(drafts):
        if operation == "exact":
            yield partial(agent.facts.recall, key=one.key, n=_N_WANTED)
        else:
            yield partial(agent.facts.recall, one.value, n=_N_WANTED, by=operation)


def _scans(operation: str, drafts: Sequence[FactDraft]) -> Iterator[Callable[[], list[FactDraft]]]:
    """The same of the list; by words it has the facts' words ready."""
    known = [] if operation == "exact" else [terms(draft[:3]) for draft in drafts]
    for one in _asked(drafts):
        if operation == "exact":
            yield partial(_with_key, drafts, one.key)
        else:
            yield partial(_with_words, drafts, known, one.value)


def _with_key(drafts: Sequence[FactDraft], key: str) -> list[FactDraft]:
    return [draft for draft in drafts if draft.key == key]


def _with_words(drafts: Sequence[FactDraft], known: Sequence[set[str]], text: str) -> list[FactDraft]:
    asked = terms([text])
    shared = [len(asked & one) for one in known]
    best = sorted(range(len(drafts)), key=lambda place: -shared[place])[:_N_WANTED]
    return [drafts[place] for place in best]


def _timed(call: Callable[[], object]) -> float:
    started_s = time.perf_counter()
    found = call()
    took_s = time.perf_counter() - started_s
    if not found:
        raise InvariantBroken("a recall of a fact that is known found nothing")
    return took_s


def _resident_mib(pid: int) -> float:
    return float(psutil.Process(pid).memory_info().rss) / 2**20


def row_of(
    operation: str, n_facts: int, ours: Sequence[float], scans: Sequence[float], actor_mib: float
) -> dict[str, Any]:
    """A row from seconds a recall, ours and the reference's."""
    return {
        "n_facts": n_facts,
        "operation": operation,
        "p50_ms": _ms(median(ours)),
        "p99_ms": _ms(quantiles(ours, n=100, method="inclusive")[-1]),
        "reference": REFERENCE,
        "reference_p50_ms": _ms(median(scans)),
        "actor_mib": round(actor_mib, 1),
    }


def _ms(seconds: float) -> float:
    return round(seconds * 1e3, 3)
