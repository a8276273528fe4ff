"""Small real models, and a hub on this machine that counts what it is asked."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest

from actors.embedding.onnx_graph import table_graph

Value = TypeVar("Value")
WORDS = ("[UNK]", "red", "green", "blue", "bread", "food", "a", "probe", "another")
TABLE = np.array(
    [
        [0, 0, 0, 1],
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 0],
        [2, 2, 0, 0],
        [2, 1, 0, 0],
        [1, 0, 0, 1],
        [0, 1, 0, 1],
        [1, 1, 1, 1],
    ],
    dtype=np.float16,
)
"""The vector of each word: `bread` is [2, 2, 0, 0]."""


def tokenizer_json(**more: Any) -> bytes:
    """A tokenizer that splits at spaces and knows the nine words."""
    told = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {word: n for n, word in enumerate(WORDS)}, "unk_token": "[UNK]"},
    }
    return json.dumps({**told, **more}).encode()


class Hub:
    """Serves `files` by path. `n_asked` counts connections that asked for something; `ranges` what was resumed.

    `cut_after` cuts the next answers off after so many bytes; `stalls` lets all wait, unanswered, until the end; one
    that `falls_silent` stays connected after what it has sent. `raw` are bytes that the next answers consist of; one
    that does not know `knows_if_range` sends the rest of any version.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.ranges: list[str] = []
        self.cut_after: list[int] = []
        self.raw: list[bytes] = []
        self.has_etags = True
        self.knows_if_range = True
        self.stalls = False
        self.falls_silent = False
        self._over = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=lambda: self._server.serve_forever(poll_interval=0.01))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def holds(
        self, repository: str, graph: bytes, tokenizer: bytes, *, revision: str = "main", at: str = "onnx/"
    ) -> None:
        """Put a model there, or another one in its place."""
        self.files[f"/{repository}/resolve/{revision}/{at}model.onnx"] = graph
        self.files[f"/{repository}/resolve/{revision}/tokenizer.json"] = tokenizer

    def close(self) -> None:
        self._over.set()
        self._server.shutdown()
        self._thread.join(timeout=10)
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:  # the server's name for it
                hub.answer(self)

            def log_message(self, *_: Any) -> None:
                pass

        return Handler

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Answer one request as the hub's state says."""
        self.asked.append(request.path)
        content = self.files.get(request.path)
        if self.raw:
            request.wfile.write(self.raw.pop(0))
            request.close_connection = True
        elif self.stalls:
            self._over.wait(30.0)
        elif content is None:
            request.send_error(404)
        else:
            self._send(request, content)

    def _send(self, request: BaseHTTPRequestHandler, content: bytes) -> None:
        etag = f'"{hash(content)}"'
        start = self._start(request, etag)
        is_past = start >= len(content)
        request.send_response(416 if is_past else 206 if start else 200)
        if is_past:
            request.send_header("Content-Range", f"bytes */{len(content)}")
        elif start:
            request.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        request.send_header("Content-Length", str(len(content[start:])))
        if self.has_etags:
            request.send_header("ETag", etag)
        request.end_headers()
        request.wfile.write(content[start:][: self.cut_after.pop(0) if self.cut_after else None])
        if self.falls_silent:
            self._over.wait(30.0)
        request.close_connection = True

    def _start(self, request: BaseHTTPRequestHandler, etag: str) -> int:
        asked = request.headers.get("Range")
        if asked is None or (self.knows_if_range and request.headers.get("If-Range") != etag):
            return 0
        self.ranges.append(asked)
        return int(asked.removeprefix("bytes=").removesuffix("-"))


@pytest.fixture
def hub() -> Iterator[Hub]:
    """A hub without files."""
    started = Hub()
    yield started
    started.close()


@pytest.fixture
def graph() -> bytes:
    """The table of the nine words as a graph."""
    return table_graph(TABLE)


@pytest.fixture
def tokenizer() -> bytes:
    """The tokenizer of the nine words."""
    return tokenizer_json()


@pytest.fixture
def make_tokenizer() -> Callable[..., bytes]:
    """`make_tokenizer(padding={...})` changes parts of it."""
    return tokenizer_json


@pytest.fixture
def model_dir(tmp_path: Path, graph: bytes, tokenizer: bytes) -> Path:
    """A folder with the small model."""
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "model.onnx").write_bytes(graph)
    (folder / "tokenizer.json").write_bytes(tokenizer)
    return folder


async def until(ask: Callable[[], Awaitable[Value]], is_it: Callable[[Value], bool], within_s: float = 20.0) -> Value:
    """The first answer that is it; fails when there is none in time."""
    loop = asyncio.get_running_loop()
    deadline_s = loop.time() + within_s
    while not is_it(answer := await ask()):
        if loop.time() > deadline_s:
            pytest.fail(f"still {answer!r} after {within_s:g} s")
        await asyncio.sleep(0.005)
    return answer


@pytest.fixture(name="until")
def until_fixture() -> Callable[..., Awaitable[Any]]:
    """`await until(actor.status, lambda status: status.is_ready)` polls."""
    return until
