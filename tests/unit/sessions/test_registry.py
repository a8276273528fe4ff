import hashlib

import pytest

from actors.runtime.errors import Misuse, UnknownAgent
from actors.runtime.machine import Now
from actors.runtime.wire import BusyFor, pack, unpack
from actors.sessions.messages import ListSessions, Register
from actors.sessions.registry import MAX_DEPTH, MAX_ENDED, Registry

SECRET = "a-secret-of-ann-that-nobody-knows"


def at(seconds: float) -> Now:
    return Now(seconds, 0.0)


def register(registry, name="ann", token=SECRET, *, parent="", kept_by="heartbeat", ttl_s=30.0, now=0.0):
    return registry.register(Register(name, token, parent, kept_by, ttl_s), at(now))


def restored(registry):
    twin = Registry()
    for part in unpack(pack(list(registry.snapshot()))):
        assert twin.restore_part(part)
    twin.check_invariants()
    return twin


@pytest.mark.parametrize("name", ["a", "Ann-2", "local-host-4711-1700000000", "x" * 128, "a.b_c@d:e+f"])
def test_a_name_of_letters_digits_and_some_signs_is_taken(name):
    assert register(Registry(), name).session_id == f"{name}#1"


@pytest.mark.parametrize("name", ["", "x" * 129, "-ann", "ann bob", "ann#1", "ann/bob", "änn", "ann\n", "ann\x00"])
def test_any_other_name_is_refused_with_what_is_allowed(name):
    registry = Registry()
    with pytest.raises(Misuse, match="1 to 128 of letters, digits"):
        register(registry, name)
    assert registry.events == []


@pytest.mark.parametrize("ttl_s", [1.0, 30.0, 86_400.0])
def test_a_ttl_of_a_second_to_a_day_is_taken(ttl_s):
    assert register(Registry(), ttl_s=ttl_s).expires_in_s == ttl_s


@pytest.mark.parametrize("ttl_s", [0.0, 0.999, -1.0, 86_400.001, float("inf"), float("nan")])
def test_any_other_ttl_is_refused_with_the_bounds(ttl_s):
    with pytest.raises(Misuse, match="not between 1 and 86400 s"):
        register(Registry(), ttl_s=ttl_s)


@pytest.mark.parametrize("token", ["x" * 15, "", "x" * 257])
def test_a_token_that_is_too_short_or_too_long_is_refused(token):
    with pytest.raises(Misuse, match="16 to 256 characters"):
        register(Registry(), token=token)


def test_what_keeps_a_session_must_be_known():
    with pytest.raises(Misuse, match="'pid' is not one of heartbeat, connection, decay"):
        register(Registry(), kept_by="pid")


def test_a_token_stands_neither_in_the_journal_nor_in_a_snapshot():
    registry = Registry()
    register(registry)
    stored = pack([list(registry.snapshot()), registry.events])
    assert SECRET.encode() not in stored
    assert hashlib.sha256(SECRET.encode()).digest() in stored


def test_a_session_is_admitted_with_its_own_token_and_no_other():
    registry = Registry()
    register(registry)
    register(registry, "bob", "a-secret-of-bob-that-nobody-knows")
    assert registry.admit("ann#1", SECRET, at(1)).session_id == "ann#1"
    for token in (SECRET[:-1], SECRET + "x", "", "a-secret-of-bob-that-nobody-knows"):
        with pytest.raises(UnknownAgent, match="the token is not that of agent 'ann#1'"):
            registry.admit("ann#1", token, at(1))
    assert registry.events[2:] == []


def test_who_is_not_alive_is_told_why():
    registry = Registry()
    for name in ("ann", "bob"):
        register(registry, name, f"the-secret-of-{name}")
    registry.end("ann#1", "goodbye", at(1))
    registry.expire(at(30))
    for session_id, fate in (
        ("ann#1", "has said goodbye: register anew"),
        ("bob#2", "has ended: no heartbeat came within its TTL: register anew"),
        ("cat#9", "is not known here: register anew"),
    ):
        with pytest.raises(UnknownAgent, match=fate):
            registry.admit(session_id, "the-secret-of-ann", at(31))


def test_incarnations_are_never_used_again():
    registry = Registry()
    assert register(registry).session_id == "ann#1"
    registry.end("ann#1", "goodbye", at(1))
    assert register(registry, now=2).session_id == "ann#2"
    registry.end("ann#2", "goodbye", at(3))
    assert register(restored(registry), now=4).session_id == "ann#3"


def test_a_session_lives_for_its_ttl_after_each_heartbeat():
    registry = Registry()
    register(registry)
    assert registry.next_deadline_s() == 30
    assert registry.heartbeat("ann#1", at(20)) == 30.0
    assert registry.expire(at(49.9)) == []
    assert registry.expire(at(50)) == ["ann#1"]
    assert registry.next_deadline_s() is None


def test_sessions_expire_in_the_order_of_their_deadlines():
    registry = Registry()
    for name, ttl_s in (("slow", 50), ("quick", 10), ("middle", 20), ("twin", 10)):
        register(registry, name, f"secret-of-{name:>20}", ttl_s=ttl_s)
    assert registry.expire(at(60)) == ["quick#2", "twin#4", "middle#3", "slow#1"]


def test_a_session_kept_by_decay_lives_a_day_after_its_last_call():
    registry = Registry()
    assert register(registry, kept_by="decay").expires_in_s == 86_400.0
    registry.admit("ann#1", SECRET, at(1_000))
    assert registry.expire(at(86_400 + 999)) == []
    assert registry.remaining_s("ann#1", 0.0) is None
    assert registry.expire(at(86_400 + 1_000)) == ["ann#1"]


def test_children_are_named_after_their_parent_and_know_their_ancestors():
    registry = Registry()
    register(registry)
    assert register(registry, "bob", "b" * 20, parent="ann#1").session_id == "ann/bob#2"
    assert register(registry, "cat", "c" * 20, parent="ann/bob#2").session_id == "ann/bob/cat#3"
    assert registry.lineage("ann/bob/cat#3") == ("ann/bob/cat#3", "ann/bob#2", "ann#1")
    registry.end("ann/bob#2", "goodbye", at(1))
    assert registry.lineage("ann/bob/cat#3") == ("ann/bob/cat#3", "ann/bob#2", "ann#1")
    assert restored(registry).lineage("ann/bob/cat#3") == ("ann/bob/cat#3", "ann/bob#2", "ann#1")


def test_a_child_needs_a_parent_that_is_alive():
    registry = Registry()
    with pytest.raises(UnknownAgent, match="parent 'ann#1' is not known here: register without it"):
        register(registry, "bob", parent="ann#1")


def test_families_are_eight_generations_deep_at_most():
    registry = Registry()
    parent = ""
    for depth in range(MAX_DEPTH):
        parent = register(registry, "x", f"token-of-depth-{depth:>10}", parent=parent).session_id
    with pytest.raises(Misuse, match="is 8 generations deep already"):
        register(registry, "x", "one-token-too-many", parent=parent)
    assert registry.n_live == MAX_DEPTH


def test_children_that_a_connection_kept_end_with_their_parent_and_others_live_on():
    registry = Registry()
    register(registry)
    register(registry, "linked", "l" * 20, parent="ann#1", kept_by="connection")
    register(registry, "below", "b" * 20, parent="ann/linked#2", kept_by="connection")
    register(registry, "free", "f" * 20, parent="ann#1", kept_by="heartbeat")
    assert registry.end("ann#1", "goodbye", at(1)) == ["ann#1", "ann/linked#2", "ann/linked/below#3"]
    assert registry.fate("ann/linked/below#3") == "has ended with its parent"
    assert registry.is_live("ann/free#4")
    assert registry.n_ended == {"expired": 0, "goodbye": 1, "parent": 2}
    registry.check_invariants()


def test_live_sessions_are_bounded():
    registry = Registry(max_sessions=2)
    register(registry)
    register(registry, "bob", "b" * 20)
    answer = register(registry, "cat", "c" * 20)
    assert answer == BusyFor(1.0, "2 sessions are alive, which is the limit")
    assert registry.n_live == 2
    # the answer to a registration that was heard by nobody is still there
    assert register(registry).session_id == "ann#1"
    registry.end("ann#1", "goodbye", at(1))
    assert register(registry, "cat", "c" * 20).session_id == "cat#3"


def test_the_last_ten_thousand_ended_sessions_are_remembered():
    registry = Registry()
    for number in range(1, MAX_ENDED + 3):
        register(registry, "x", f"token-{number:>20}")
        registry.end(f"x#{number}", "goodbye", at(number))
    assert MAX_ENDED == 10_000
    assert registry.fate("x#2") == "is not known here"
    assert registry.fate("x#3") == "has said goodbye"
    assert sum(1 for part in registry.snapshot() if part[0] == "ended_session") == 10_000
    assert registry.n_ended["goodbye"] == 10_002


def test_deadlines_of_ended_sessions_do_not_pile_up():
    registry = Registry()
    for number in range(1, 5_001):
        register(registry, "x", f"token-{number:>20}", kept_by="decay")
        registry.end(f"x#{number}", "goodbye", at(number))
    assert len(registry._deadlines) <= 1_001
    registry.check_invariants()


def test_heartbeats_make_no_deadlines():
    registry = Registry()
    register(registry)
    for second in range(5_000):
        registry.heartbeat("ann#1", at(second))
        registry.expire(at(second))
    assert len(registry._deadlines) == 1


def test_a_list_of_sessions_is_bounded_and_says_how_many_there_are():
    registry = Registry()
    for number in range(1, 1_004):
        register(registry, f"x{number:04}", f"token-{number:>20}")
    answer = registry.list_sessions(ListSessions(5_000), at(1))
    assert (len(answer.rows), answer.n_live) == (1_000, 1_003)
    assert [row.session_id for row in registry.list_sessions(ListSessions(2), at(1)).rows] == ["x0001#1", "x0002#2"]
    assert registry.list_sessions(ListSessions(-1), at(1)).rows == ()


def test_a_start_gives_everyone_a_full_ttl_and_writes_nothing():
    registry = Registry()
    register(registry)
    registry.events.clear()
    registry.wake(at(29))
    assert registry.events == []
    assert registry.expire(at(58.9)) == []
    assert registry.expire(at(59)) == ["ann#1"]


def test_the_events_make_the_same_registry():
    registry = Registry()
    register(registry)
    register(registry, "bob", "b" * 20, parent="ann#1", kept_by="connection")
    register(registry, "cat", "c" * 20, kept_by="decay")
    registry.end("ann#1", "goodbye", at(1))
    replica = Registry()
    for event in registry.events:
        replica.evolve(event)
    replica.check_invariants()
    assert list(replica.snapshot()) == list(registry.snapshot()) == list(restored(registry).snapshot())


def test_a_part_of_another_machine_is_not_taken():
    assert not Registry().restore_part(["field", 1])
