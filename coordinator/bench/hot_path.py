"""Reads, claims and edits while the embedding model is in trouble, beside those of an agent that has no model at all.

No hot path may wait for a model. Both agents live in this process and work in turns on files of Python's own library,
each on copies of its own; the reads are of the mode that would use vectors.
"""

from __future__ import annotations

import itertools
import os
import signal
import socket
import sysconfig
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final, NamedTuple

from actors.embedding.source import OFF, STATIC
from actors.embedding.status import State
from actors.runtime.errors import InvariantBroken
from coordinator.bench.house import bench_house
from coordinator.bench.readiness import await_state
from coordinator.client import Coordinator
from coordinator.domain import EMBEDDING
from coordinator.embedding.launch import launch_embedding, stop_embedding
from coordinator.embedding.settings import EmbeddingSettings
from coordinator.ray_transport import RayTransport
from coordinator.settings import Settings

REFERENCE: Final = "an agent without a model"
OPERATIONS: Final = ("read", "claim", "edit")
_MARK: Final = "# edit {}"
_NO_REVISION: Final = "0" * 40
_N_FILES: Final = 20
_SHORTEST, _LONGEST = 8_000, 40_000  # bytes of a file
_READY_S: Final = 60.0

Times = list[float]


class Trouble(NamedTuple):
    """A way in which a model is no help: its settings, and the state that it comes to."""

    name: str
    embedding: EmbeddingSettings
    state: State


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured: rounds in turns, and calls a round."""

    troubles: tuple[str, ...]
    n_pairs: int
    n_calls: int


TROUBLES: Final = ("missing", "corrupt", "stalled", "hung")
FULL: Final = Plan(TROUBLES, n_pairs=5, n_calls=40)
QUICK: Final = Plan(("hung",), n_pairs=1, n_calls=3)


def measure_hot_path(plan: Plan, folder: Path, *, told: Callable[[str], None] = lambda _: None) -> list[dict[str, Any]]:
    """The rows: trouble by trouble, one for each operation. `folder` is made; `told` hears what is done."""
    told("starting a Ray head")
    without = EmbeddingSettings(model=OFF)
    with bench_house(folder / "state", embedding=without) as settings, _silent_server() as hub_url:
        tree = _work_tree(folder / "tree")
        rows = []
        for name in plan.troubles:
            told(f"{name}: waiting until it is")
            trouble = _trouble(name, folder, hub_url)
            with _in_trouble(trouble, settings) as agent, _agent("plain", tree, settings) as plain:
                for operation in OPERATIONS:
                    told(f"{name}: {operation}")
                    rows.append(row_of(operation, name, _pairs(operation, agent, plain, plan)))
        return rows


def _trouble(name: str, folder: Path, hub_url: str) -> Trouble:
    if name == "hung":
        return Trouble(name, EmbeddingSettings(model=STATIC), State.READY)
    if name == "stalled":
        model = f"hf:nobody/nothing@{_NO_REVISION}"
        return Trouble(name, EmbeddingSettings(model=model, hub_url=hub_url, stall_s=600.0), State.LOADING)
    model_folder = folder / name
    if name == "corrupt":
        model_folder.mkdir()
        (model_folder / "model.onnx").write_bytes(b"\x00no graph" * 1_000)
        (model_folder / "tokenizer.json").write_text('{"no": "tokenizer"}', encoding="utf-8")
    return Trouble(name, EmbeddingSettings(model=f"file:{model_folder}"), State.FAILED)


@contextmanager
def _silent_server() -> Iterator[str]:
    """A server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def _work_tree(tree: Path) -> Path:
    """Files of a size that people work on; each has a first line to edit."""
    tree.mkdir()
    found = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    fitting = [path for path in found if _SHORTEST <= path.stat().st_size <= _LONGEST][:_N_FILES]
    for path in fitting:
        for whose in ("ours", "plain"):
            text = path.read_text(encoding="utf-8", errors="replace")
            (tree / f"{whose}_{path.name}").write_text(f"{_MARK.format(0)}\n{text}", encoding="utf-8")
    return tree


@contextmanager
def _agent(name: str, tree: Path, settings: Settings) -> Iterator[Coordinator]:
    with Coordinator.connect(agent=name, root=tree, settings=settings) as agent:
        yield agent


@contextmanager
def _in_trouble(trouble: Trouble, settings: Settings) -> Iterator[Coordinator]:
    """An agent that knows of a model which has come to its trouble."""
    wanted = settings.model_copy(update={"embedding": trouble.embedding})
    launch_embedding(wanted, trouble.embedding)
    stopped: int | None = None
    try:
        with _agent("ours", settings.state_dir.parent / "tree", wanted) as agent:
            model = agent._core.model()
            model.warm()
            await_state(model, trouble.state)
            if trouble.name == "hung":
                stopped = int(RayTransport(settings.namespace).describe(EMBEDDING, _READY_S)["pid"])
                os.kill(stopped, signal.SIGSTOP)
            yield agent
    finally:
        if stopped is not None:
            os.kill(stopped, signal.SIGCONT)
        stop_embedding(wanted)


def _pairs(operation: str, ours: Coordinator, plain: Coordinator, plan: Plan) -> list[tuple[Times, Times]]:
    """Seconds of each call, rounds in turns; the first round only warms up."""
    calls = {agent: _calls(operation, agent) for agent in (ours, plain)}
    pairs = []
    for number in range(plan.n_pairs + 1):
        order = (ours, plain) if number % 2 else (plain, ours)
        times = {agent: [_timed(next(calls[agent])) for _ in range(plan.n_calls)] for agent in order}
        pairs.append((times[ours], times[plain]))
    return pairs[1:]


def _timed(call: Callable[[], object]) -> float:
    started_s = time.perf_counter()
    answer = call()
    took_s = time.perf_counter() - started_s
    if not answer:
        raise InvariantBroken(f"a measured call was refused: {answer}. Nobody else is here who could be in its way")
    return took_s


def _calls(operation: str, agent: Coordinator) -> Iterator[Callable[[], object]]:
    """Calls without end, over the agent's own files."""
    name = agent.agent_id.partition("#")[0]
    files = sorted(path.name for path in agent.root.glob(f"{name}_*.py"))
    for number in itertools.count():
        file = files[number % len(files)]
        if operation == "read":
            yield partial(agent.read, file, "entropy")
        elif operation == "claim":
            yield partial(agent.claim, f"{name}/f{number}.py")
        else:
            first = (agent.root / file).read_text(encoding="utf-8").partition("\n")[0]
            yield partial(agent.edit, file, first, _MARK.format(int(first.split()[-1]) + 1))


def row_of(operation: str, model: str, pairs: Sequence[tuple[Times, Times]]) -> dict[str, Any]:
    """A row from pairs (ours, reference) of seconds a call: medians, and the range of the pairs' p50 ratios."""
    ratios = [median(ours) / median(reference) for ours, reference in pairs]
    return {
        "model": model,
        "operation": operation,
        "p50_ms": _ms(median(median(ours) for ours, _ in pairs)),
        "p99_ms": _ms(_p99([one for ours, _ in pairs for one in ours])),
        "reference": REFERENCE,
        "reference_p50_ms": _ms(median(median(reference) for _, reference in pairs)),
        "reference_p99_ms": _ms(_p99([one for _, reference in pairs for one in reference])),
        "ratio": round(median(ratios), 2),
        "ratio_range": [round(min(ratios), 2), round(max(ratios), 2)],
    }


def _p99(times: Times) -> float:
    return quantiles(times, n=100, method="inclusive")[-1]


def _ms(seconds: float) -> float:
    return round(seconds * 1e3, 3)
