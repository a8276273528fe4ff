"""Whatever stands in the files that are kept between calls: an error that names the file, or something usable."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.embedding.pin import Pins
from actors.runtime.errors import ScentfieldError
from coordinator.cli.edit_list import read_edits
from coordinator.cli.session_file import SessionFolder
from coordinator.desk import BookFile, FocusFile
from coordinator.editing.undo import EditLog
from coordinator.efficacy.ledger_file import records_of
from coordinator.gateway.address_file import FILE_NAME, read_address
from coordinator.head import recorded_head
from coordinator.hook.payload import event_of
from coordinator.learning.origin import ORIGIN_FILE, own_origin

Read = Callable[[Path, bytes], object]


def read_session(folder: Path, raw: bytes) -> None:
    sessions = SessionFolder(folder, "test", "house", now=lambda: 1_000.0)
    path = sessions.path("ann")
    path.parent.mkdir(parents=True)
    path.write_bytes(raw)
    kept, block = sessions.begin("ann", lambda _token: "ann#1")
    assert kept.numbers(block, "scent_field").first == block.first
    sessions.settle(kept, block, {})


def read_edit_log(folder: Path, raw: bytes) -> None:
    folder.joinpath("edits.jsonl").write_bytes(raw + b"\n")
    log = EditLog(folder)
    log.plan_undo("src/a.py", "h2")
    log.since("src/a.py", "h1")
    log.who_removed("src/a.py")


def read_file(name: str, read: Callable[[Path], object]) -> Read:
    def read_it(folder: Path, raw: bytes) -> object:
        folder.joinpath(name).write_bytes(raw)
        return read(folder)

    return read_it


SHOWN: Final = [["src/a.py", "h1", "map", [[1, 3]], ["t1"], ["on"], "h1"]]
ENTRY: Final = {
    "path": "src/a.py",
    "before_hash": "h1",
    "after_hash": "h2",
    "agent_id": "ann#1",
    "generation": 3,
    "at_utc_s": 1_700_000_000.0,
    "file_mode": None,
    "from_path": "",
}
SESSION: Final = {
    "name": "ann",
    "space": "house",
    "token": "0" * 32,
    "session_id": "ann#1",
    "last": 256,
    "blocks": [[1, ["elsewhere", 7, 5.0, 999.0]]],
    "given_up": {"scent_field": [3]},
}
HEAD: Final = {"address": "127.0.0.1:1", "dashboard_url": "", "pid": 4_000_000, "started_at_s": 1.0, "temp_dir": "/x"}
HOOK: Final = {
    "hook_event_name": "PreToolUse",
    "session_id": "s",
    "tool_name": "Edit",
    "tool_input": {"file_path": "a"},
}
FILES: Final[dict[str, tuple[Any, Read]]] = {
    "session": (SESSION, read_session),
    "edit log": (ENTRY, read_edit_log),
    "view book": ({"files": SHOWN, "tags": ["t1"]}, read_file("book", lambda at: BookFile(at / "book").load())),
    "focus": (
        {"task": "t", "search": "", "searched_at_s": 1.0},
        read_file("focus", lambda at: FocusFile(at / "focus").load()),
    ),
    "gateway": (
        {"url": "http://127.0.0.1:1", "namespace": "n", "needs_token": True},
        read_file(FILE_NAME, read_address),
    ),
    "head": (HEAD, read_file("head.json", recorded_head)),
    "pins": (
        {"version": 1, "pins": {"m": {"f": "0"}}},
        read_file("pins.json", lambda at: Pins(at / "pins.json").check("m", "f", "0")),
    ),
    "origin": ({"origin": "0" * 16, "place": "1:2"}, read_file(ORIGIN_FILE, own_origin)),
    "edits": ([{"old": "a", "new": "b"}], read_file("edits", lambda at: read_edits(str(at / "edits")))),
    "ledger": (
        {"day": 1, "content": "x", "digest": "00", "signature": "00"},
        lambda _at, raw: records_of(raw, "ledger"),
    ),
    "hook": (HOOK, lambda _at, raw: event_of("claude-code", raw)),
}
plain = st.recursive(
    st.sampled_from([None, True, 0, -1, 2**53, 10**400, float("inf"), float("nan"), "", "ann", "\ud800", "\0", "../x"])
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=6,
)


def places(document: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to each value in a document, itself first."""
    inner = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    return [way, *(one for key, value in inner for one in places(value, (*way, key)))]


def with_value(document: Any, way: tuple[Any, ...], value: Any) -> Any:
    """A copy that has another value in that place."""
    if not way:
        return value
    copy = dict(document) if isinstance(document, dict) else list(document)
    copy[way[0]] = with_value(copy[way[0]], way[1:], value)
    return copy


@st.composite
def spoiled(draw: st.DrawFn, document: Any) -> bytes:
    """What may stand in a file instead of this document."""
    raw = json.dumps(with_value(document, draw(st.sampled_from(places(document))), draw(plain))).encode()
    match draw(st.sampled_from(["value", "value", "cut", "byte", "deep", "noise"])):
        case "cut":
            return raw[: draw(st.integers(0, len(raw)))]
        case "byte":
            at = draw(st.integers(0, len(raw)))
            return raw[:at] + draw(st.binary(max_size=4)) + raw[at + 1 :]
        case "deep":
            return b'{"files": ' + b"[" * 100_000
        case "noise":
            return draw(st.binary(max_size=60))
    return raw


@pytest.mark.parametrize("name", FILES)
@given(st.data())
def test_whatever_stands_in_a_kept_file_is_used_or_named(name: str, data: st.DataObject) -> None:
    document, read = FILES[name]
    raw = data.draw(spoiled(document))
    with tempfile.TemporaryDirectory() as folder, suppress(ScentfieldError):
        read(Path(folder), raw)


@pytest.mark.parametrize("name", [name for name in FILES if name not in ("hook", "origin")])
def test_what_was_written_is_read(name: str, tmp_path: Path) -> None:
    document, read = FILES[name]
    read(tmp_path, json.dumps(document).encode())
