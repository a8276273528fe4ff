"""Where a model's files come from: a real HTTP server on this machine stands in for the hub, and counts."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.embedding.engine import ModelFiles, load_engine
from actors.embedding.model_store import DownloadsOff, FetchRules, ModelStore
from actors.embedding.source import source_of
from actors.runtime.errors import Corrupt, Misuse, Unavailable

MODEL = "hf:org/small@v1"


def load(files: ModelFiles) -> object:
    return load_engine(files, n_threads=1)


@pytest.fixture
def fetch(tmp_path: Path, hub: Any) -> Callable[..., ModelFiles]:
    """`fetch()` has the store bring the files; arguments change its rules."""

    def run(
        model: str = MODEL,
        progress: Any = lambda *_: None,
        stop: Any = None,
        try_out: Callable[[ModelFiles], object] = lambda _: None,
        **rules: Any,
    ) -> ModelFiles:
        quick = {"may_download": True, "stall_s": 10.0, "pause_s": 0.0, "max_tries": 1, **rules}
        store = ModelStore(tmp_path / "models", FetchRules(hub.url, **quick), stop or threading.Event(), try_out)
        source = source_of(model)
        assert source is not None
        return store.files(source, progress)

    return run


@pytest.fixture
def full_hub(hub: Any, graph: bytes, tokenizer: bytes) -> Any:
    """A hub that holds the small model at revision v1."""
    hub.holds("org/small", graph, tokenizer, revision="v1")
    return hub


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_model_is_fetched_once_and_pinned(
    full_hub: Any, fetch: Callable[..., ModelFiles], tmp_path: Path, graph: bytes, tokenizer: bytes
) -> None:
    files = fetch()
    assert files.graph.read_bytes() == graph
    assert files.tokenizer.read_bytes() == tokenizer
    assert files.name == MODEL
    assert full_hub.asked == [
        "/org/small/resolve/v1/tokenizer.json",
        "/org/small/resolve/v1/onnx/model.onnx",
    ]
    pins = json.loads((tmp_path / "models" / "pins.json").read_bytes())
    assert pins == {
        "version": 1,
        "pins": {MODEL: {"model.onnx": sha256(graph), "tokenizer.json": sha256(tokenizer)}},
    }
    assert fetch() == files
    assert len(full_hub.asked) == 2
    assert names(tmp_path / "models") == ["lock", "model.onnx", "pins.json", "tokenizer.json"]


def test_what_is_no_model_is_neither_pinned_nor_kept(
    hub: Any, fetch: Callable[..., ModelFiles], tmp_path: Path, graph: bytes, tokenizer: bytes
) -> None:
    page = b"<html>Log in to this network first</html>"
    hub.holds("org/small", page, tokenizer, revision="v1")
    with pytest.raises(Corrupt, match="What was fetched is removed, and fetched anew when asked for"):
        fetch(try_out=load)
    assert names(tmp_path / "models") == ["lock"]
    hub.holds("org/small", graph, tokenizer, revision="v1")
    assert fetch(try_out=load).graph.read_bytes() == graph


def test_what_is_pinned_is_not_tried_out_again(full_hub: Any, fetch: Callable[..., ModelFiles]) -> None:
    tried: list[ModelFiles] = []
    assert [fetch(try_out=tried.append) for _ in range(3)] == tried * 3
    assert len(tried) == 1


def test_a_graph_at_the_top_of_the_repository_is_found_too(
    hub: Any, fetch: Callable[..., ModelFiles], graph: bytes, tokenizer: bytes
) -> None:
    hub.holds("org/small", graph, tokenizer, revision="v1", at="")
    assert fetch().graph.read_bytes() == graph


def test_a_cut_download_goes_on_where_it_was_cut(full_hub: Any, fetch: Callable[..., ModelFiles], graph: bytes) -> None:
    fetched = len(graph) // 3
    full_hub.cut_after = [10**9, fetched]
    with pytest.raises(Unavailable, match=f"cut off after {fetched} of {len(graph)} bytes"):
        fetch()
    assert fetch().graph.read_bytes() == graph
    assert full_hub.ranges == [f"bytes={fetched}-"]


def test_tries_in_a_row_resume_each_other(full_hub: Any, fetch: Callable[..., ModelFiles], graph: bytes) -> None:
    full_hub.cut_after = [10**9, 10, 20, 30]
    assert fetch(max_tries=4).graph.read_bytes() == graph
    assert full_hub.ranges == ["bytes=10-", "bytes=30-", "bytes=60-"]


def test_a_download_that_was_cut_after_its_last_byte_is_whole(
    full_hub: Any, fetch: Callable[..., ModelFiles], tmp_path: Path, graph: bytes
) -> None:
    full_hub.cut_after = [10**9, len(graph) - 1]
    with pytest.raises(Unavailable):
        fetch()
    (part,) = (tmp_path / "models").rglob("model.onnx.part")
    part.write_bytes(graph)
    assert fetch().graph.read_bytes() == graph
    assert full_hub.ranges == [f"bytes={len(graph)}-"]


def test_a_file_that_changed_between_two_tries_is_fetched_from_its_beginning(
    full_hub: Any, fetch: Callable[..., ModelFiles], graph: bytes, tokenizer: bytes
) -> None:
    full_hub.cut_after = [10**9, 40]
    with pytest.raises(Unavailable):
        fetch()
    full_hub.holds("org/small", graph + b"\x00", tokenizer, revision="v1")
    assert fetch().graph.read_bytes() == graph + b"\x00"
    assert full_hub.ranges == []


@pytest.mark.parametrize("size", [400, 40])
def test_two_versions_are_not_put_together_by_a_server_that_does_not_know_if_range(
    full_hub: Any, fetch: Callable[..., ModelFiles], tokenizer: bytes, size: int
) -> None:
    """Of 40 bytes nothing is left to send, which says as little about what is there."""
    full_hub.knows_if_range = False
    full_hub.cut_after = [10**9, 40]
    with pytest.raises(Unavailable, match="cut off after 40 of"):
        fetch()
    other = bytes(range(200)) * 2
    full_hub.holds("org/small", other[:size], tokenizer, revision="v1")
    with pytest.raises(Unavailable, match=r"the rest of another version|answered with 416"):
        fetch()
    assert fetch().graph.read_bytes() == other[:size]


def answer(status: str, body: bytes = b"", **headers: str) -> bytes:
    """An answer in full, as whoever does not keep to the protocol may give it."""
    lines = [f"HTTP/1.1 {status}", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()), "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


ODD_ANSWERS = {
    "no content": answer("204 No Content"),
    "an old copy": answer("203 Non-Authoritative Information", b"{}", Content_Length="2"),
    "a length below nothing": answer("200 OK", b"{}", Content_Length="-5"),
    "a length that is none": answer("200 OK", b"{}", Content_Length="abc"),
    "a length that Python takes for a number": answer("200 OK", b"{}" * 5, Content_Length="1_0"),
    "two lengths": answer("200 OK", b"{}", Content_Length="2, 2"),
    "a length of too many digits": answer("200 OK", b"{}", Content_Length="9" * 5_000),
    "no length": answer("200 OK", b"{}"),
    "chunks that are none": answer("200 OK", b"zz\r\n{}", Transfer_Encoding="chunked"),
    "a chunk of less than nothing": answer("200 OK", b"-5\r\n{}", Transfer_Encoding="chunked"),
    "chunks without an end": answer("200 OK", b"2\r\n{}\r\n", Transfer_Encoding="chunked"),
    "a part that nobody asked for": answer("206 Partial", b"{}", Content_Range="bytes 0-1/2", Content_Length="2"),
    "a part of too many digits": answer("206 Partial", b"{}", Content_Range=f"bytes 0-1/{'9' * 5_000}"),
    "the way to no address": answer("302 Found", Location="http://[::1"),
    "the way to no name": answer("302 Found", Location=f"http://{'a' * 70}.invalid/"),
    "the way to no text": answer("302 Found", Location="http://127.0.0.1:9/\xe9"),
    "the way to a file": answer("302 Found", Location="file:///etc/passwd"),
    "no answer": b"hello\r\n\r\n",
}


@pytest.mark.parametrize("what", ODD_ANSWERS)
def test_whatever_a_server_sends_nothing_is_pinned_and_the_address_is_named(
    full_hub: Any, fetch: Callable[..., ModelFiles], tmp_path: Path, graph: bytes, what: str
) -> None:
    full_hub.raw = [ODD_ANSWERS[what]]
    with pytest.raises(Unavailable, match=f"{full_hub.url}/org/small/resolve/v1/tokenizer.json"):
        fetch()
    assert not (tmp_path / "models" / "pins.json").exists()
    assert fetch().graph.read_bytes() == graph


def test_a_file_in_chunks_is_whole_when_the_last_one_is_there(
    full_hub: Any, fetch: Callable[..., ModelFiles], tokenizer: bytes
) -> None:
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(tokenizer), tokenizer)
    full_hub.raw = [answer("200 OK", chunks, Transfer_Encoding="chunked")]
    assert fetch().tokenizer.read_bytes() == tokenizer


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden", "404 Not Found", "410 Gone"])
def test_a_repository_that_waiting_does_not_open_is_asked_for_once(
    hub: Any, fetch: Callable[..., ModelFiles], status: str
) -> None:
    """A hub says 401 also of a repository that does not exist."""
    hub.raw = [answer(status, Content_Length="0")] * 5
    with pytest.raises(Misuse, match=r"hf:org/small@v1 cannot be used: there is no http.*tokenizer\.json"):
        fetch(max_tries=5)
    assert len(hub.asked) == 1


def test_without_an_etag_a_download_begins_again(full_hub: Any, fetch: Callable[..., ModelFiles], graph: bytes) -> None:
    full_hub.has_etags = False
    full_hub.cut_after = [10**9, 40]
    with pytest.raises(Unavailable):
        fetch()
    assert fetch().graph.read_bytes() == graph
    assert full_hub.ranges == []


def test_another_file_at_the_hub_is_refused_with_both_hashes_and_not_kept(
    full_hub: Any, fetch: Callable[..., ModelFiles], tmp_path: Path, graph: bytes, tokenizer: bytes
) -> None:
    fetch().graph.unlink()
    other = graph.replace(b"\x00\x3c", b"\x00\x40")
    full_hub.holds("org/small", other, tokenizer, revision="v1")
    for _ in range(2):
        with pytest.raises(
            Corrupt, match=f"SHA-256 {sha256(graph)} was pinned at first use, now it is {sha256(other)}"
        ):
            fetch()
    assert names(tmp_path / "models") == ["lock", "pins.json", "tokenizer.json"]
    full_hub.holds("org/small", graph, tokenizer, revision="v1")
    assert fetch().graph.read_bytes() == graph


def test_a_file_that_changed_on_disk_is_refused_with_both_hashes(
    full_hub: Any, fetch: Callable[..., ModelFiles], graph: bytes
) -> None:
    path = fetch().graph
    path.write_bytes(graph[:-1])
    with pytest.raises(Corrupt, match=f"{sha256(graph)} was pinned at first use, now it is {sha256(graph[:-1])}"):
        fetch()
    assert path.read_bytes() == graph[:-1]


def test_whoever_removes_the_pin_trusts_the_change(
    full_hub: Any, fetch: Callable[..., ModelFiles], tmp_path: Path, graph: bytes, tokenizer: bytes
) -> None:
    first = fetch()
    first.graph.unlink()
    full_hub.holds("org/small", graph + b"\x00", tokenizer, revision="v1")
    (tmp_path / "models" / "pins.json").unlink()
    assert fetch().model_id != first.model_id


def test_pins_that_cannot_be_read_stop_everything_and_stay(
    full_hub: Any, fetch: Callable[..., ModelFiles], tmp_path: Path
) -> None:
    fetch()
    pins = tmp_path / "models" / "pins.json"
    for content in (b"{", b"[]", b'{"version": 2, "pins": {}}', b'{"version": 1, "pins": {"m": {"f": 1}}}'):
        pins.write_bytes(content)
        with pytest.raises(Corrupt, match=r"pins\.json cannot be read"):
            fetch()
        assert pins.read_bytes() == content


def test_models_and_revisions_have_pins_of_their_own(
    full_hub: Any, fetch: Callable[..., ModelFiles], graph: bytes, tokenizer: bytes
) -> None:
    first = fetch()
    full_hub.holds("org/small", graph + b"\x00", tokenizer, revision="v2")
    second = fetch("hf:org/small@v2")
    assert first.graph != second.graph
    assert first.sha256 != second.sha256


def test_with_downloads_off_nobody_is_asked(full_hub: Any, fetch: Callable[..., ModelFiles], tmp_path: Path) -> None:
    with pytest.raises(DownloadsOff, match=r"SCENTFIELD_EMBEDDINGS_AUTO_DOWNLOAD.*file:FOLDER"):
        fetch(may_download=False)
    assert full_hub.asked == []
    assert names(tmp_path) == []


def test_with_downloads_off_a_model_that_is_there_is_used(full_hub: Any, fetch: Callable[..., ModelFiles]) -> None:
    files = fetch()
    full_hub.asked.clear()
    assert fetch(may_download=False) == files
    assert full_hub.asked == []


def test_a_repository_that_is_not_there_is_named(hub: Any, fetch: Callable[..., ModelFiles]) -> None:
    with pytest.raises(Misuse, match=r"hf:org/small@v1 cannot be used: there is no http.*tokenizer\.json"):
        fetch(max_tries=5)
    assert len(hub.asked) == 1


def test_a_repository_without_a_graph_is_refused(full_hub: Any, fetch: Callable[..., ModelFiles]) -> None:
    del full_hub.files["/org/small/resolve/v1/onnx/model.onnx"]
    with pytest.raises(Misuse, match=r"there is no http.*/resolve/v1/model\.onnx"):
        fetch()


def test_a_server_that_stalls_is_given_up(full_hub: Any, fetch: Callable[..., ModelFiles]) -> None:
    full_hub.stalls = True
    with pytest.raises(Unavailable, match="could not be fetched"):
        fetch(stall_s=0.05, max_tries=2)
    assert len(full_hub.asked) == 2


def test_what_a_slow_server_sends_is_told_and_kept(full_hub: Any, fetch: Callable[..., ModelFiles]) -> None:
    full_hub.falls_silent, full_hub.cut_after = True, [10, 20]
    told: list[int] = []
    for _ in range(2):
        with pytest.raises(Unavailable, match="could not be fetched"):
            fetch(stall_s=1.0, progress=lambda n_bytes, _: told.append(n_bytes))
    assert told == [10, 30]
    assert full_hub.ranges == ["bytes=10-"]


def test_a_server_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    rules = FetchRules("http://127.0.0.1:9", may_download=True, pause_s=0.0, max_tries=2)
    store = ModelStore(tmp_path, rules, threading.Event(), load)
    source = source_of(MODEL)
    assert source is not None
    with pytest.raises(Unavailable, match="could not be fetched"):
        store.files(source, lambda *_: None)


def test_a_file_over_the_limit_is_refused_before_it_arrives(
    full_hub: Any, fetch: Callable[..., ModelFiles], tmp_path: Path, tokenizer: bytes
) -> None:
    with pytest.raises(Misuse, match=f"larger than {len(tokenizer) - 1} bytes"):
        fetch(max_bytes=len(tokenizer) - 1)
    assert names(tmp_path) == ["lock"]


def test_progress_is_told_in_bytes(full_hub: Any, fetch: Callable[..., ModelFiles], graph: bytes) -> None:
    told: list[tuple[int, int]] = []
    fetch(progress=lambda *bytes_of: told.append(bytes_of))
    assert told[-1] == (len(graph), len(graph))


def test_whoever_is_told_to_stop_stops(full_hub: Any, fetch: Callable[..., ModelFiles]) -> None:
    stop = threading.Event()
    with pytest.raises(Unavailable, match="stops"):
        fetch(progress=lambda *_: stop.set(), stop=stop, max_tries=5, pause_s=60.0)
    assert len(full_hub.asked) == 1


def test_two_who_fetch_at_once_fetch_once(full_hub: Any, fetch: Callable[..., ModelFiles], graph: bytes) -> None:
    both = threading.Barrier(2)
    found: list[bytes] = []

    def run() -> None:
        both.wait(10.0)
        found.append(fetch().graph.read_bytes())

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20.0)
    assert found == [graph, graph]
    assert len(full_hub.asked) == 2


def test_a_folder_is_used_as_it_is_and_renamed_by_its_content(
    model_dir: Path, fetch: Callable[..., ModelFiles], hub: Any
) -> None:
    first = fetch(f"file:{model_dir}")
    assert first.graph == model_dir / "model.onnx"
    (model_dir / "tokenizer.json").write_bytes((model_dir / "tokenizer.json").read_bytes() + b"\n")
    second = fetch(f"file:{model_dir}")
    assert first.model_id != second.model_id
    assert hub.asked == []


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_folder_without_a_file_is_refused(model_dir: Path, fetch: Callable[..., ModelFiles], missing: str) -> None:
    (model_dir / missing).unlink()
    with pytest.raises(Misuse, match=f"there is no {missing} in {model_dir}"):
        fetch(f"file:{model_dir}")
