"""Reading: what each mode costs on a long file, at first and again, and how fast a whole tree goes through.

No Ray, no disk: bytes in, a view out, beside taking the same bytes in and counting their tokens. Vectors are those of
the static model with the embedding actor's cache, in this process. All in processor time of this process, which other
work on the machine disturbs less than it disturbs wall time.
"""

from __future__ import annotations

import argparse
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import count, cycle, islice, repeat
from pathlib import Path
from statistics import mean, median
from typing import Any, Final, NamedTuple

from actors.embedding.engine import load_engine
from actors.embedding.inference import Inference
from actors.embedding.packaged import packaged_files
from actors.embedding.source import STATIC
from coordinator.reading.mode import Mode
from coordinator.reading.query import Query
from coordinator.reading.render import render
from coordinator.reading.sieve import LineFilter
from coordinator.reading.source import decode
from coordinator.reading.token_count import count_tokens
from coordinator.reading.unit_choice import UnitWish
from coordinator.reading.view import View

REFERENCE: Final = "decoding the same bytes and counting their tokens"
N_LINES: Final = 1_500
MODES: Final = ("full", "lines:700-760", "map", "signatures", "entropy", "units")
WITH_VECTORS: Final = "units with vectors"
OTHER_QUERY: Final = "{}, another query"
"""A file that was read just before, for a query that is new each time."""
TREE: Final = "tree"
_QUERY: Final = Query("parse the header of an error message")
_PATH: Final = "long.py"
_MAX_LONG_FILES: Final = 40
"""More than any cache of lines or pieces holds."""
_MAX_VECTORS: Final = 4_096

Take = Callable[[bytes], object]


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured: rounds in turns, calls a round, and how much of a tree."""

    n_pairs: int
    n_calls: int
    tree_bytes: int


FULL: Final = Plan(n_pairs=5, n_calls=20, tree_bytes=8_000_000)
QUICK: Final = Plan(n_pairs=1, n_calls=2, tree_bytes=200_000)


class Pair(NamedTuple):
    """One round of ours and of the reference, in milliseconds a call."""

    ours_ms: float
    reference_ms: float


def measure_reading(plan: Plan, folder: Path, *, told: Callable[[str], None] = lambda _: None) -> list[dict[str, Any]]:
    """The rows: each mode at first and again, `units` also with vectors and for other queries, then a tree by `map`.

    The static model is built in `folder`; `told` hears what is done.
    """
    told("long files")
    bench = _Bench(plan)
    rows = []
    for mode in MODES:
        told(mode)
        rows += [bench.first(mode, partial(_view_in, mode)), bench.again(mode, _view_in(mode))]
    rows.append(bench.again(OTHER_QUERY.format("units"), _view_of_units(None, _new_queries())))
    told(WITH_VECTORS)
    engine = load_engine(packaged_files(STATIC, folder), n_threads=1)
    model = Inference(engine, _MAX_VECTORS, nullcontext())
    rows += [
        bench.first(WITH_VECTORS, lambda: _view_of_units(Inference(engine, _MAX_VECTORS, nullcontext()))),
        bench.again(WITH_VECTORS, _view_of_units(model)),
        bench.again(OTHER_QUERY.format(WITH_VECTORS), _view_of_units(model, _new_queries())),
    ]
    told("a tree")
    return [*rows, bench.tree()]


class _Bench:
    """One run: no two files that are read for the first time are the same."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._long = _beginning(Path(argparse.__file__).read_bytes())
        self._others = cycle(_long_files())
        self._numbers = count()
        _counted(self._long)  # loads the tokenizer

    def first(self, what: str, new_view: Callable[[], Take]) -> dict[str, Any]:
        """Files that were never seen before, each by a view of its own."""
        new_view()(self._unseen())  # loads the grammar
        return self._row(what, False, lambda: (new_view(), self._unseen()))

    def again(self, what: str, view: Take) -> dict[str, Any]:
        """A file that was read just before."""
        view(self._long)
        return self._row(what, True, lambda: (view, self._long))

    def tree(self) -> dict[str, Any]:
        """A map of each file, by its own name."""
        files = list(_python_files(self._plan.tree_bytes))
        n_bytes = sum(len(raw) for _, raw in files)
        pairs = [
            Pair(
                _timed_ms(lambda: [_mapped(path, raw) for path, raw in files]),
                _timed_ms(lambda: [_counted(raw) for _, raw in files]),
            )
            for _ in range(self._plan.n_pairs)
        ]
        return _row(TREE, False, n_bytes, pairs)

    def _unseen(self) -> bytes:
        return next(self._others) + b"# %d\n" % next(self._numbers)

    def _row(self, what: str, again: bool, next_read: Callable[[], tuple[Take, bytes]]) -> dict[str, Any]:
        pairs, sizes = [], []
        for _ in range(self._plan.n_pairs):
            reads = [next_read() for _ in range(self._plan.n_calls)]
            sizes += [len(raw) for _, raw in reads]
            pairs.append(Pair(_median_ms(reads), _median_ms([(_counted, raw) for _, raw in reads])))
        return _row(what, again, round(mean(sizes)), pairs)


def _row(what: str, again: bool, n_bytes: int, pairs: Sequence[Pair]) -> dict[str, Any]:
    ratios = [pair.ours_ms / pair.reference_ms for pair in pairs]
    ours_ms, reference_ms = (median(column) for column in zip(*pairs, strict=True))
    return {
        "what": what,
        "again": again,
        "p50_ms": round(ours_ms, 3),
        "mb_per_s": round(n_bytes / ours_ms / 1e3, 2),
        "reference": REFERENCE,
        "reference_p50_ms": round(reference_ms, 3),
        "reference_mb_per_s": round(n_bytes / reference_ms / 1e3, 2),
        "ratio": round(median(ratios), 3),
        "ratio_range": [round(min(ratios), 3), round(max(ratios), 3)],
    }


def _view_in(mode: str) -> Take:
    """What shows a file in `mode`, by words alone where it goes by words."""
    parsed, line_filter, wish = Mode.parse(mode), LineFilter(), UnitWish(_QUERY)
    return lambda raw: render(decode(raw), parsed, path=_PATH, why="bench", line_filter=line_filter, unit_wish=wish)


def _view_of_units(model: Inference | None, queries: Iterator[Query] | None = None) -> Take:
    """What shows a file as units, by the model's vectors too, for the same query each time or the next of `queries`."""
    vectors_of = None if model is None else lambda texts: model.embed(texts).rows
    asked = queries or repeat(_QUERY)

    def view(raw: bytes) -> View:
        wish = UnitWish(next(asked), vectors_of=vectors_of)
        return render(decode(raw), Mode("units"), path=_PATH, why="bench", unit_wish=wish)

    return view


def _new_queries() -> Iterator[Query]:
    return (Query(f"{_QUERY.text} of kind {number}") for number in count())


def _mapped(path: str, raw: bytes) -> View:
    return render(decode(raw), Mode("map"), path=path, why="bench")


def _counted(raw: bytes) -> int:
    return count_tokens(decode(raw).text)


def _median_ms(reads: Sequence[tuple[Take, bytes]]) -> float:
    return median(_timed_ms(partial(take, raw)) for take, raw in reads)


def _timed_ms(run: Callable[[], object]) -> float:
    started_s = time.process_time()
    run()
    return (time.process_time() - started_s) * 1e3


def _long_files() -> list[bytes]:
    """The beginnings of modules of Python's own library that are long enough."""
    modules = (raw for _, raw in _python_files(sys.maxsize))
    return list(islice((_beginning(raw) for raw in modules if raw.count(b"\n") >= N_LINES), _MAX_LONG_FILES))


def _beginning(raw: bytes) -> bytes:
    return b"".join(raw.splitlines(keepends=True)[:N_LINES])


def _python_files(n_bytes: int) -> Iterator[tuple[str, bytes]]:
    """Modules of Python's own library in the order of their names, until there are `n_bytes`."""
    taken = 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        if taken >= n_bytes:
            break
        raw = path.read_bytes() if "site-packages" not in path.parts else b""
        if raw and b"\0" not in raw:
            taken += len(raw)
            yield path.name, raw
