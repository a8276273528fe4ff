"""Reading: what each mode costs on a long file, at first and again, and how fast a whole tree goes through.

No Ray, no disk: bytes in, a view out, beside taking the same bytes in and counting their tokens. All in processor time
of this thread, which other work on the machine disturbs less than it disturbs wall time.
"""

from __future__ import annotations

import argparse
import sysconfig
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

from coordinator.reading.mode import Mode
from coordinator.reading.query import Query
from coordinator.reading.sieve import LineFilter
from coordinator.reading.source import decode
from coordinator.reading.token_count import count_tokens
from coordinator.reading.unit_choice import UnitWish
from coordinator.reading.view import View, render

REFERENCE: Final = "decoding the same bytes and counting their tokens"
N_LINES: Final = 1_500
MODES: Final = ("full", "lines:700-760", "map", "signatures", "entropy", "units")
TREE: Final = "tree"
_QUERY: Final = Query("parse the header of an error message")
_PATH: Final = "long.py"

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


def measure_reading(plan: Plan, *, told: Callable[[str], None] = lambda _: None) -> list[dict[str, Any]]:
    """The rows: each mode at first and again, then a tree by `map`; `told` hears what is done."""
    told("a long file")
    bench = _Bench(plan)
    rows = []
    for mode in MODES:
        told(mode)
        rows += [bench.first(mode), bench.again(mode)]
    told("a tree")
    return [*rows, bench.tree()]


class _Bench:
    """One run: no two files that are read for the first time are the same."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._long = _long_file()
        self._numbers = count()
        _counted(self._long)  # loads the tokenizer

    def first(self, mode: str) -> dict[str, Any]:
        """Files that were never seen before."""
        view = _view_in(mode)
        view(self._changed())  # loads the grammar
        return self._row(mode, False, view, self._changed)

    def again(self, mode: str) -> dict[str, Any]:
        """A file that was read just before."""
        view = _view_in(mode)
        view(self._long)
        return self._row(mode, True, view, lambda: self._long)

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

    def _changed(self) -> bytes:
        return self._long + b"# %d\n" % next(self._numbers)

    def _row(self, mode: str, again: bool, view: Take, next_file: Callable[[], bytes]) -> dict[str, Any]:
        pairs = []
        for _ in range(self._plan.n_pairs):
            files = [next_file() for _ in range(self._plan.n_calls)]
            pairs.append(Pair(_median_ms(view, files), _median_ms(_counted, files)))
        return _row(mode, again, len(self._long), pairs)


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


def _mapped(path: str, raw: bytes) -> View:
    return render(decode(raw), Mode("map"), path=path, why="bench")


def _counted(raw: bytes) -> int:
    return count_tokens(decode(raw).text)


def _median_ms(take: Take, files: Sequence[bytes]) -> float:
    return median(_timed_ms(partial(take, raw)) for raw in files)


def _timed_ms(run: Callable[[], object]) -> float:
    started_s = time.thread_time()
    run()
    return (time.thread_time() - started_s) * 1e3


def _long_file() -> bytes:
    """The beginning of a module of Python's own library."""
    lines = Path(argparse.__file__).read_bytes().splitlines(keepends=True)
    return b"".join(lines[:N_LINES])


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
