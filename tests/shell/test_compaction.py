"""Folding a journal into a snapshot, in this process, in a real child, and in one that is killed half way."""

import json
import subprocess
import sys
import time

import pytest

from actors.coordination.factory import make_coordination
from actors.coordination.messages import SCHEMA
from actors.runtime.compaction import Compaction, compact
from actors.runtime.errors import Corrupt
from actors.runtime.journal import CommitFailed, Journal, Store, sqlite_url
from actors.runtime.kernel import Kernel
from actors.runtime.machine import Now
from actors.runtime.recovery import recover_into
from actors.runtime.wire import pack, unpack
from actors.scent_field.messages import Claim
from actors.sessions.messages import Register

FACTORY = "actors.coordination.factory:make_coordination"
DEADLINE_S = 60.0


def filled_store(folder, n_claims=40):
    """A store with a session and its claims, one row each; returns (url, the state)."""
    url = sqlite_url(folder / "field.db")
    journal = Journal.open(Store(url, "scent_field"), new_store_id="s1")
    kernel = Kernel(make_coordination())
    token = "a" * 16
    commands = [("", Register("ada", token, "", "heartbeat", 30.0))]
    commands += [("ada#1", Claim("home", (f"{n}.py",), "exclusive", 0.0, "x" * 100)) for n in range(n_claims)]
    for number, (session, command) in enumerate(commands):
        envelope = unpack(pack([session, token, number, max(0, number - 1), [], [SCHEMA.wire_of(command)]]))
        turn = kernel.turn([(number, envelope)], Now(1.0, 1.0))
        journal.append(pack([1.0, 1.0, kernel.events.pack_form(turn.events)]), Now(1.0, 1.0))
    journal.close()
    return url, list(kernel.snapshot())


def recovered(url):
    """(the state in a store, the row of its snapshot, the events replayed after it)"""
    store = Store(url, "scent_field")
    kernel = Kernel(make_coordination())
    how = recover_into(kernel, store)
    store.close()
    kernel.machine.wake(Now(1.0, 1.0))
    kernel.check_invariants()
    return list(kernel.snapshot()), how.snapshot_seq, how.n_events


def wait_until(condition):
    deadline_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.02)


def test_a_compacted_store_has_the_same_state_and_nothing_to_replay(tmp_path):
    url, state = filled_store(tmp_path)
    assert recovered(url) == (state, 0, 81)
    store = Store(url, "scent_field")
    assert compact(store, Kernel(make_coordination()), run="r1") == 41
    assert recovered(url) == (state, 41, 0)
    assert compact(store, Kernel(make_coordination()), run="r2") == 41, "nothing new"
    assert recovered(url) == (state, 41, 0)


def test_an_empty_store_is_not_compacted(tmp_path):
    store = Store(sqlite_url(tmp_path / "field.db"), "scent_field")
    with pytest.raises(CommitFailed, match="unable to open"):
        compact(store, Kernel(make_coordination()), run="r1")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "field.db").touch()
    with pytest.raises(Corrupt, match="is empty"):
        compact(store, Kernel(make_coordination()), run="r1")
    assert (tmp_path / "field.db").read_bytes() == b""


def test_a_child_compacts_while_a_writer_is_at_work(tmp_path):
    url, state = filled_store(tmp_path)
    journal = Journal.open(Store(url, "scent_field"), new_store_id="s1")
    compaction = Compaction(url, "scent_field", FACTORY, {"lock_delay_s": 2.0})
    assert compaction.start()
    assert not compaction.start(), "one at a time"
    wait_until(lambda: not compaction.is_running)
    assert (compaction.n_started, compaction.n_failed) == (1, 0)
    assert recovered(url) == (state, 41, 0)
    assert journal.append(pack([1.0, 1.0, []]), Now(2.0, 2.0)) == 42


def test_a_child_that_fails_is_counted_and_changes_nothing(tmp_path, capfd):
    url, state = filled_store(tmp_path)
    compaction = Compaction(url, "scent_field", FACTORY, {"no_such_option": 1})
    compaction.start()
    wait_until(lambda: not compaction.is_running)
    assert compaction.n_failed == 1
    assert "no_such_option" in capfd.readouterr().err
    assert recovered(url) == (state, 0, 81)


def test_a_child_that_cannot_be_started_is_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nothing"))
    compaction = Compaction("sqlite://", "scent_field", FACTORY, {})
    assert compaction.start()
    assert (compaction.n_started, compaction.n_failed, compaction.is_running) == (1, 1, False)


HALF_WAY = """
import json, sys
from actors.coordination.factory import make_coordination
from actors.runtime import store
from actors.runtime.compaction import compact
from actors.runtime.kernel import Kernel

store.PART_BYTES = 1_000

class Slow(Kernel):
    def snapshot(self):
        for number, part in enumerate(super().snapshot()):
            yield part
            if number == 20:
                print("half way", flush=True)
                sys.stdin.read()

compact(store.Store(json.loads(sys.argv[1]), "scent_field"), Slow(make_coordination()), run="killed")
"""


def test_a_compaction_that_is_killed_half_way_leaves_a_readable_store(tmp_path):
    url, state = filled_store(tmp_path)
    command = [sys.executable, "-c", HALF_WAY, json.dumps(url)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "half way\n"
        child.kill()
    assert recovered(url) == (state, 0, 81)
    store = Store(url, "scent_field")
    compact(store, Kernel(make_coordination()), run="next")
    assert recovered(url) == (state, 41, 0)
    with store.view() as view:
        runs = view._connection.exec_driver_sql("SELECT DISTINCT run FROM snapshot").fetchall()
    assert runs == [("next",)]
