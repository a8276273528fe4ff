import hashlib

import pytest

from actors.quality_store.limit import Limits
from actors.quality_store.machine import QualityStore
from actors.quality_store.messages import GetStatistics
from actors.runtime.errors import UnknownAgent
from actors.runtime.machine import NOBODY, Caller, Now
from actors.runtime.pin import PinEvicted, TokenPinned

NOW = Now(0.0, 1000.0)


def pins(store):
    statistics = store.perform(NOBODY, GetStatistics(), NOW)
    return statistics.pins, statistics.pins_evicted


def test_the_first_token_of_a_session_is_pinned_as_its_hash():
    store = QualityStore()
    assert store.admit("ada#1", "secret", NOW) == Caller("ada#1")
    assert store.take_events() == [TokenPinned("ada#1", hashlib.sha256(b"secret").digest())]


def test_the_same_token_is_let_in_again_and_records_nothing():
    store = QualityStore()
    store.admit("ada#1", "secret", NOW)
    store.take_events()
    assert store.admit("ada#1", "secret", NOW) == Caller("ada#1")
    assert store.take_events() == []


def test_another_token_is_refused_and_changes_nothing():
    store = QualityStore()
    store.admit("ada#1", "secret", NOW)
    before = list(store.snapshot())
    store.take_events()
    with pytest.raises(UnknownAgent, match=r"'ada#1'.*register anew"):
        store.admit("ada#1", "guess", NOW)
    assert list(store.snapshot()) == before
    assert store.take_events() == []


def test_a_new_incarnation_has_its_own_token():
    store = QualityStore()
    store.admit("ada#1", "secret", NOW)
    assert store.admit("ada#2", "other", NOW) == Caller("ada#2")


@pytest.mark.parametrize(("session_id", "token"), [("", "t"), ("ada", "t"), ("#1", "t"), ("ada#", "t"), ("ada#1", "")])
def test_what_register_never_gives_out_is_refused(session_id, token):
    store = QualityStore()
    with pytest.raises(UnknownAgent, match="register"):
        store.admit(session_id, token, NOW)
    assert store.take_events() == []


def test_the_session_not_used_for_longest_goes_when_there_are_too_many():
    store = QualityStore(Limits(max_pins=2))
    store.admit("ada#1", "a", NOW)
    store.admit("bob#1", "b", NOW)
    store.admit("ada#1", "a", NOW)
    store.take_events()
    store.admit("cyd#1", "c", NOW)
    assert store.take_events()[1:] == [PinEvicted("bob#1")]
    assert store.take_departed() == ["bob#1"]
    assert store.take_departed() == []
    assert pins(store) == (2, 1)


def test_twenty_thousand_sessions_are_kept():
    store = QualityStore()
    for number in range(20_001):
        store.admit(f"a#{number}", "t", NOW)
    assert pins(store) == (20_000, 1)
    parts = [rows for name, rows in store.snapshot() if name == "pins"]
    assert len(parts) == 40
    assert parts[0][0][0] == "a#1"


def test_after_a_restart_a_session_still_needs_its_token():
    store = QualityStore()
    store.admit("ada#1", "secret", NOW)
    restored = QualityStore()
    restored.restore(list(store.snapshot()))
    restored.check_invariants()
    with pytest.raises(UnknownAgent):
        restored.admit("ada#1", "guess", NOW)
    assert restored.admit("ada#1", "secret", NOW) == Caller("ada#1")
