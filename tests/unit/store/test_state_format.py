"""What older versions wrote is read and written anew; what newer ones wrote is refused and kept.

The first format here is made up, the machine is the real one: it once kept a session as its name and its incarnation,
and counted nobody who had registered.
"""

import json
from contextlib import closing
from pathlib import Path

import pytest

from actors.coordination.machine import Coordination
from actors.runtime.compaction import compact
from actors.runtime.errors import Corrupt
from actors.runtime.journal import Journal
from actors.runtime.kernel import Kernel
from actors.runtime.machine import Now
from actors.runtime.newer_format import NewerFormat
from actors.runtime.recovery import recover_into
from actors.runtime.state_format import StateFormat, state_format_of, tagged_snapshot
from actors.runtime.store import Store, sqlite_url
from actors.runtime.wire import pack

NOW = Now(10.0, 100.0)
OLD_SESSION_ENDED = 9_101


def to_format_2(parts):
    for part in parts:
        match part:
            case ["registry", incarnation, ended]:
                yield ["registry", incarnation, incarnation, ended]
            case ["session", name, incarnation, ttl_s, digest, at_s]:
                session_id = f"{name}#{incarnation}"
                fields = [session_id, incarnation, "", "heartbeat", ttl_s, bytes.fromhex(digest)]
                yield ["session", fields, at_s, [session_id]]
            case _:
                yield part


def session_ended(fields):
    name, incarnation, reason, at_s = fields
    return 101, [f"{name}#{incarnation}", reason, at_s]


class Present(Coordination):
    state_format = StateFormat(2, {1: to_format_2}, {OLD_SESSION_ENDED: session_ended})


class Later(Coordination):
    state_format = StateFormat(3, {1: to_format_2, 2: lambda parts: parts})


def old_parts():
    lines = Path(__file__).with_name("format_1.jsonl").read_text().splitlines()
    return iter([json.loads(line) for line in lines])


@pytest.fixture
def store(tmp_path):
    """As an older version left it: a snapshot of format 1 at row 1, and a row with an event that is not written now."""
    with closing(Store(sqlite_url(tmp_path / "old.sqlite3"), "scent_field")) as store:
        with closing(Journal.open(store, new_store_id="s1")) as journal:
            journal.append(b"", NOW)
            store.write_snapshot(1, old_parts(), run="old")
            store.prune(1, run="old")
            journal.append(pack([10.0, 100.0, [[OLD_SESSION_ENDED, ["ada", 3, "expired", 10.0]]]]), NOW)
        yield store


def recovered(store, machine):
    kernel = Kernel(machine())
    recover_into(kernel, store)
    kernel.check_invariants()
    return kernel


def test_an_older_snapshot_and_older_events_are_read_as_they_would_be_written_today(store):
    kernel = recovered(store, Present)
    parts = [part for part in kernel.snapshot() if part[0] in ("registry", "session", "ended_session", "lease")]
    assert parts == [
        ["registry", 3, 3, [("expired", 2), ("goodbye", 0), ("parent", 0)]],
        ["ended_session", "bob#2", "expired", 9.0],
        ["ended_session", "ada#3", "expired", 10.0],
        ["lease", "home", 1, "ada#3", ["a.py"], False, 7, False, 1.0, 1.0, "x", None, False, []],
    ]


def test_the_next_compaction_writes_the_present_format(store):
    kernel = recovered(store, Present)
    assert compact(store, Kernel(Present()), run="new") == 2
    with store.view() as view:
        seq, parts = view.snapshot_parts()
        assert (seq, next(parts)) == (2, ["format", 2])
    assert list(recovered(store, Present).snapshot()) == list(kernel.snapshot())
    assert list(recovered(store, Later).snapshot()) == list(kernel.snapshot()), "one step of two"


def test_a_snapshot_of_a_newer_version_is_refused_and_stays(store):
    compact(store, Kernel(Present()), run="new")
    before = store.file.read_bytes()
    with pytest.raises(NewerFormat, match=r"the snapshot at row 2 of the store .* has format 2, this version reads 1"):
        recovered(store, Coordination)
    with pytest.raises(Corrupt, match="has format 2, this version reads 1: use the version that wrote it"):
        compact(store, Kernel(Coordination()), run="old")
    with pytest.raises(NewerFormat):
        Journal.open(store, new_store_id="", recover=lambda store: recovered(store, Coordination) and store.head())
    assert (store.file.read_bytes(), store.head().epoch) == (before, 1)


def test_without_the_step_the_store_is_refused_and_not_half_read(store):
    with pytest.raises(Corrupt, match="a part 'registry' that this version does not know"):
        recovered(store, Coordination)


def test_a_machine_that_says_nothing_has_the_first_format():
    kernel = Kernel(Coordination())
    assert state_format_of(kernel.machine).number == 1
    assert next(tagged_snapshot(kernel)) == ["format", 1]


def test_a_store_that_has_no_snapshot_is_of_any_format():
    assert list(StateFormat(2, {1: to_format_2}).upgraded(iter(()), "x")) == []


@pytest.mark.parametrize("steps", [{}, {2: to_format_2}, {1: to_format_2, 2: to_format_2}])
def test_a_format_without_a_step_from_each_before_is_a_mistake(steps):
    with pytest.raises(ValueError, match="format 2 needs a step from each of 1 to 1"):
        StateFormat(2, steps)
