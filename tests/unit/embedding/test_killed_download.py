"""A process that is killed in the middle of a download: its lock is free, and the next one goes on where it was."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Final

import pytest

from actors.embedding.engine import ModelFiles
from actors.embedding.model_store import FetchRules, ModelStore
from actors.embedding.source import source_of

MODEL: Final = "hf:org/small@v1"
N_FIRST: Final = 200_000
FETCH: Final = """
import sys, threading
from pathlib import Path
from actors.embedding.model_store import FetchRules, ModelStore
from actors.embedding.source import source_of
rules = FetchRules(sys.argv[1], may_download=True, stall_s=300.0)
ModelStore(Path(sys.argv[2]), rules, threading.Event(), lambda _: None).files(source_of(sys.argv[3]), lambda *_: None)
"""


def fetch(hub: Any, folder: Path) -> ModelFiles:
    rules = FetchRules(hub.url, may_download=True, stall_s=30.0, max_tries=1)
    source = source_of(MODEL)
    assert source is not None
    return ModelStore(folder, rules, threading.Event(), lambda _: None).files(source, lambda *_: None)


def await_bytes(folder: Path, n_bytes: int, process: subprocess.Popen[bytes]) -> None:
    deadline_s = time.monotonic() + 150.0
    while sum(path.stat().st_size for path in folder.rglob("model.onnx.part")) < n_bytes:
        assert process.poll() is None, "it ended by itself"
        assert time.monotonic() < deadline_s, "nothing has arrived"
        time.sleep(0.02)


@pytest.mark.timeout(300)
def test_whoever_is_killed_while_it_fetches_is_gone_on_from(hub: Any, tmp_path: Path, tokenizer: bytes) -> None:
    graph = bytes(range(256)) * 2_000
    hub.holds("org/small", graph, tokenizer, revision="v1")
    hub.falls_silent, hub.cut_after = True, [10**9, N_FIRST]
    with subprocess.Popen([sys.executable, "-c", FETCH, hub.url, str(tmp_path / "models"), MODEL]) as process:
        try:
            await_bytes(tmp_path, N_FIRST // 2, process)
        finally:
            process.kill()
    (part,) = tmp_path.rglob("model.onnx.part")
    n_there = part.stat().st_size
    hub.falls_silent = False
    files = fetch(hub, tmp_path / "models")
    assert files.graph.read_bytes() == graph
    assert hub.ranges == [f"bytes={n_there}-"]
    assert not part.exists()
