"""Retrieval: how long a tree takes to index, one change, and a search; beside doing without an index.

The tree is a copy of Python files of this installation, its library first; the queries are what its functions say of
themselves. Wall time, in this process, with the static model; the last row is of four processes at once.
"""

from __future__ import annotations

import multiprocessing
import sysconfig
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

from actors.runtime.errors import InvariantBroken
from coordinator.bench.fact_source import code_facts
from coordinator.file_list import listed_files, read_regular
from coordinator.gateway.search import search as look_through
from coordinator.reading.query import Query, telling_words
from coordinator.reading.source import decode
from coordinator.retrieval.index_file import IndexFile
from coordinator.retrieval.limit import RetrievalSettings
from coordinator.retrieval.model import StaticModel
from coordinator.retrieval.section import sections_of
from coordinator.retrieval.tree_retriever import TreeRetriever

REFERENCE: Final = (
    "index and change: reading and cutting all of the files; searches: looking through all files for two of the words"
)
N_AGENTS: Final = 4
_MAX_BYTES: Final = 2**20
_TOP_K: Final = 10
_NEVER_S: Final = 3_600.0
_N_WORDS: Final = 2
_STEP: Final = 61
"""Queries are taken so far apart that they go round the tree."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured: files of the tree, changes, searches of each kind, and searches of the reference."""

    n_files: int
    n_changes: int
    n_searches: int
    n_reference: int


FULL: Final = Plan(3_000, 5, 100, 3)
QUICK: Final = Plan(40, 1, 5, 1)


def measure_retrieval(
    plan: Plan, folder: Path, *, told: Callable[[str], None] = lambda _: None
) -> list[dict[str, Any]]:
    """The rows; `folder` is there, and gets a tree and its index."""
    told("copying a tree")
    root = folder.resolve() / "tree"
    copy_tree(root, plan.n_files)
    queries = queries_of(root, plan.n_searches)
    with closing(_retriever(folder, _NEVER_S)) as retriever, closing(_retriever(folder, 0.0)) as looking:
        told("cutting, without an index")
        cut_ms = _timed_ms(lambda: _cut_all(root))
        started_s = time.perf_counter()
        done = retriever.index(told=lambda _share, note: told(f"indexing {note}"))
        bench = _Bench(done.n_files, done.n_sections)
        rows = [bench.row("index", [(time.perf_counter() - started_s) * 1e3], [cut_ms])]
        told("changes")
        rows.append(
            bench.row("one change", [_change(retriever, root, number) for number in range(plan.n_changes)], [cut_ms])
        )
        told("searches")
        through = [_timed_ms(_scan(root, query)) for query in queries[: plan.n_reference]]
        rows.append(bench.row("search", _searches(retriever, queries), through))
        rows.append(bench.row("search and look at the tree", _searches(looking, queries), through))
        told(f"searches of {N_AGENTS} processes")
        rows.append(bench.row(f"search, {N_AGENTS} at once", _at_once(folder, queries), through))
    return rows


def copy_tree(root: Path, n_files: int) -> None:
    """Copy so many Python files of this installation, the same ones each time on one machine."""
    places = [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")]
    files = (found for place in places for found in _python_files(place))
    for place, path, raw in islice(files, n_files):
        copied = root / place.name / path
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_bytes(raw)


def _python_files(place: Path) -> Iterator[tuple[Path, Path, bytes]]:
    """Files below a folder of packages by name, without those of packages installed into it."""
    for path in sorted(place.rglob("*.py")):
        relative = path.relative_to(place)
        raw = None if "site-packages" in relative.parts else read_regular(path, _MAX_BYTES)
        if raw and b"\0" not in raw:
            yield place, relative, raw


def queries_of(root: Path, n: int) -> list[str]:
    """What so many functions of the tree say of themselves. Raises `InvariantBroken` where they say too little."""
    said = [fact.value for fact in code_facts(root) if len(telling_words(Query(fact.value))) >= _N_WORDS]
    if not said:
        raise InvariantBroken(f"no function below {root} says anything of itself")
    return [said[number * _STEP % len(said)] for number in range(n)]


def _retriever(folder: Path, max_age_s: float) -> TreeRetriever:
    settings = RetrievalSettings(max_age_s=max_age_s)
    model = StaticModel(folder / "models", 2)
    return TreeRetriever(folder.resolve() / "tree", IndexFile(folder / "index.sqlite3"), model, settings)


def _cut_all(root: Path) -> None:
    for path in listed_files(root):
        raw = read_regular(root / path, _MAX_BYTES)
        if raw is not None:
            sections_of(decode(raw), path)


def _change(retriever: TreeRetriever, root: Path, number: int) -> float:
    """Milliseconds until a changed file is in the index."""
    paths = listed_files(root)
    path = root / paths[number * _STEP % len(paths)]
    path.write_bytes(path.read_bytes() + b"\n\ndef added_by_the_bench_%d():\n    return %d\n" % (number, number))
    return _timed_ms(retriever.index)


def _scan(root: Path, query: str) -> Callable[[], object]:
    words = " ".join(telling_words(Query(query))[:_N_WORDS])
    return lambda: look_through(root, words, limit=_TOP_K)


def _searches(retriever: TreeRetriever, queries: Sequence[str]) -> list[float]:
    """Milliseconds of each search, after one that loads the model and the vectors; each must find something."""
    _found(retriever, queries[0])
    return [_timed_ms(partial(_found, retriever, query)) for query in queries]


def _found(retriever: TreeRetriever, query: str) -> None:
    answer = retriever.search(query, top_k=_TOP_K)
    if not answer.passages or answer.no_meaning:
        raise InvariantBroken(
            f"a search for what a function says of itself found {len(answer.passages)}: {answer.notes}"
        )


def _at_once(folder: Path, queries: Sequence[str]) -> list[float]:
    spawn = multiprocessing.get_context("spawn")  # a fork would take this process's connections and threads along
    with ProcessPoolExecutor(N_AGENTS, mp_context=spawn) as pool:
        parts = [pool.submit(_agent, folder, list(queries)) for _ in range(N_AGENTS)]
        return [took_ms for part in parts for took_ms in part.result()]


def _agent(folder: Path, queries: list[str]) -> list[float]:
    with closing(_retriever(folder, _NEVER_S)) as retriever:
        return _searches(retriever, queries)


def _timed_ms(run: Callable[[], object]) -> float:
    started_s = time.perf_counter()
    run()
    return (time.perf_counter() - started_s) * 1e3


class _Bench:
    """What all rows have."""

    def __init__(self, n_files: int, n_sections: int) -> None:
        self._n_files = n_files
        self._n_sections = n_sections

    def row(self, what: str, ours_ms: Sequence[float], reference_ms: Sequence[float]) -> dict[str, Any]:
        """A row from milliseconds."""
        return {
            "what": what,
            "n_files": self._n_files,
            "n_sections": self._n_sections,
            "p50_ms": round(median(ours_ms), 2),
            "p99_ms": round(quantiles(ours_ms, n=100, method="inclusive")[-1] if len(ours_ms) > 1 else ours_ms[0], 2),
            "reference": REFERENCE,
            "reference_p50_ms": round(median(reference_ms), 2),
        }
