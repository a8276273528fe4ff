"""Runs a bench and shows it: as JSON for programs, as a table for people."""

from __future__ import annotations

import json as json_form
import os
import platform
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import psutil
from rich.console import Console
from rich.table import Table

from actors.runtime.errors import Misuse
from coordinator.settings import Settings

BENCHES: Final = ("claims", "field", "embedding", "hotpath", "mcp", "memory", "reading", "retrieval", "feedback")
_PREFIX: Final = "scentfield-bench-"
_HIDDEN: Final = ("reference", "note")


def run_bench(name: str, *, json: bool = False, quick: bool = False, docs: Path | None = None) -> dict[str, Any]:
    """Run a bench, print it to standard output (`json`: for programs) and return it.

    `quick` measures little, to see that it runs. `docs` is documentation to ask questions of, where a bench can. Raises
    `Misuse` for an unknown name.
    """
    screen = Console(stderr=True)
    with screen.status(f"{name}: starting") as status:
        result = measure(name, quick=quick, docs=docs, told=lambda text: status.update(f"{name}: {text}"))
    if json:
        sys.stdout.write(json_form.dumps(result) + "\n")
    else:
        out = Console()
        out.print(table_of(result))
        out.print(notes_of(result), soft_wrap=True)
    return result


def measure(
    name: str, *, quick: bool = False, docs: Path | None = None, told: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """`{"bench", "machine", "rows"}`. Raises `Misuse` for an unknown name, and for `docs` that it has no use for."""
    if name not in BENCHES:
        raise Misuse(f"there is no bench {name!r}: take one of {', '.join(BENCHES)}")
    if docs is not None and name not in _OF_DOCS:
        raise Misuse(f"the bench {name!r} asks no documentation: leave it out, or take {', '.join(_OF_DOCS)}")
    machine = machine_here()
    rows = _ROWS[name](quick, told) if docs is None else _OF_DOCS[name](docs, told)
    return {"bench": name, "machine": machine, "rows": rows}


def _claims(quick: bool, told: Callable[[str], None]) -> list[dict[str, Any]]:
    # Ray is a slow import and not needed by every bench.
    from coordinator.bench import claims
    from coordinator.bench.house import store_folder

    with store_folder() as folder:
        return claims.measure_claims(claims.QUICK if quick else claims.FULL, folder, told=told)


def _embedding(quick: bool, told: Callable[[str], None]) -> list[dict[str, Any]]:
    # So is Ray here, and ONNX Runtime too.
    from coordinator.bench import embedding
    from coordinator.bench.house import store_folder

    with store_folder() as folder:
        return embedding.measure_embedding(embedding.QUICK if quick else embedding.FULL, folder, told=told)


def _hot_path(quick: bool, told: Callable[[str], None]) -> list[dict[str, Any]]:
    # Ray again.
    from coordinator.bench import hot_path
    from coordinator.bench.house import store_folder

    with store_folder() as folder:
        return hot_path.measure_hot_path(hot_path.QUICK if quick else hot_path.FULL, folder, told=told)


def _mcp(quick: bool, told: Callable[[str], None]) -> list[dict[str, Any]]:
    # And the MCP library.
    from coordinator.bench import mcp
    from coordinator.bench.house import store_folder

    with store_folder() as folder:
        return mcp.measure_mcp(mcp.QUICK if quick else mcp.FULL, folder, told=told)


def _memory(quick: bool, told: Callable[[str], None]) -> list[dict[str, Any]]:
    # Ray again.
    from coordinator.bench import memory
    from coordinator.bench.house import store_folder

    with store_folder() as folder:
        return memory.measure_memory(memory.QUICK if quick else memory.FULL, folder, told=told)


def _field(quick: bool, told: Callable[[str], None]) -> list[dict[str, Any]]:
    from coordinator.bench import field

    return field.measure_field(field.QUICK if quick else field.FULL, told=told)


def _reading(quick: bool, told: Callable[[str], None]) -> list[dict[str, Any]]:
    from coordinator.bench import reading

    with TemporaryDirectory(prefix=_PREFIX) as folder:
        return reading.measure_reading(reading.QUICK if quick else reading.FULL, Path(folder), told=told)


def _retrieval(quick: bool, told: Callable[[str], None]) -> list[dict[str, Any]]:
    from coordinator.bench import retrieval

    with TemporaryDirectory(prefix=_PREFIX) as folder:
        return retrieval.measure_retrieval(retrieval.QUICK if quick else retrieval.FULL, Path(folder), told=told)


def _retrieval_quality(docs: Path, told: Callable[[str], None]) -> list[dict[str, Any]]:
    from coordinator.bench.retrieval_quality import measure_retrieval_quality

    with TemporaryDirectory(prefix=_PREFIX) as folder:
        return measure_retrieval_quality(docs, Path(folder), told=told)


def _feedback(_quick: bool, _told: Callable[[str], None]) -> list[dict[str, Any]]:
    raise Misuse("the bench 'feedback' asks somebody's questions: name documentation with --docs")


def _feedback_of(docs: Path, told: Callable[[str], None]) -> list[dict[str, Any]]:
    from coordinator.bench.feedback import measure_feedback

    with TemporaryDirectory(prefix=_PREFIX) as folder:
        return measure_feedback(docs, Path(folder), told=told)


_OF_DOCS: Final[Mapping[str, Callable[[Path, Callable[[str], None]], list[dict[str, Any]]]]] = {
    "retrieval": _retrieval_quality,
    "feedback": _feedback_of,
}
_ROWS: Final[Mapping[str, Callable[[bool, Callable[[str], None]], list[dict[str, Any]]]]] = {
    "claims": _claims,
    "embedding": _embedding,
    "field": _field,
    "hotpath": _hot_path,
    "mcp": _mcp,
    "memory": _memory,
    "reading": _reading,
    "retrieval": _retrieval,
    "feedback": _feedback,
}


def machine_here() -> dict[str, Any]:
    """What the figures were measured on; `load_1m` is the load before the bench began."""
    return {
        "system": platform.system(),
        "processor": _processor(),
        "n_cpus": os.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "load_1m": round(os.getloadavg()[0], 2),
        "store_filesystem": _filesystem(Settings().state_dir),
        "python": platform.python_version(),
        "ray": version("ray"),
        "scentfield": version("scentfield"),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _filesystem(folder: Path) -> str:
    """The type of the file system that `folder` is on, or will be."""
    there = next(part for part in (folder, *folder.parents) if part.exists()).resolve()
    mounts = [one for one in psutil.disk_partitions(all=True) if there.is_relative_to(one.mountpoint)]
    return max(mounts, key=lambda one: len(one.mountpoint)).fstype if mounts else "unknown"


def table_of(result: dict[str, Any]) -> Table:
    """The rows as a table; the reference's figures stand in parentheses."""
    machine, rows = result["machine"], result["rows"]
    table = Table(
        title=f"{result['bench']} on {machine['n_cpus']} x {machine['processor']}, load {machine['load_1m']}",
        caption=f"in parentheses: {rows[0]['reference']}",
    )
    names = [name for name in rows[0] if name not in _HIDDEN and not name.startswith("reference_")]
    for name in names:
        table.add_column(name.replace("_", " "), justify="right")
    for row in rows:
        table.add_row(*(_with_reference(row, name) for name in names))
    return table


def _with_reference(row: dict[str, Any], name: str) -> str:
    reference = row.get(f"reference_{name}")
    return _cell(row[name]) if reference is None else f"{_cell(row[name])} ({_cell(reference)})"


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return " - ".join(_cell(one) for one in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def notes_of(result: dict[str, Any]) -> str:
    """What the rows' notes say, each once."""
    notes = dict.fromkeys(f"durable {_cell(row['durable'])} = {row['note']}" for row in result["rows"] if "note" in row)
    return "\n".join(notes)
