"""A batch of claims against as many single ones: the same answers, the same state, and a journal that gives it back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from actors.coordination.machine import Coordination
from actors.runtime.errors import Misuse
from actors.runtime.machine import Caller, Now
from actors.runtime.wire import BusyFor, Failed, pack, unpack
from actors.scent_field.limits import FieldLimits
from actors.scent_field.messages import Claim, ClaimEach, ClaimedEach, Granted, LeaveSignal, Release, answers_of
from actors.sessions.messages import Register

LIMITS = FieldLimits(max_leases=12)
AGENTS = ("ann#1", "bob#2", "fay#3", "ann/kid#4")
TARGETS = (
    "a.py",
    "b.py",
    "src/a.py",
    "src/b.py",
    "src/x/c.py",
    "src",
    "src/",
    "src/*.py",
    "./",
    "t:x",
    "[[]a].py",
    "a/",
)
BAD = ("", "/a", "src//a.py", "a\\b")

agents = st.sampled_from(AGENTS)
modes = st.sampled_from(("exclusive", "exclusive", "shared"))
plain = st.sampled_from(TARGETS[:6])
targets = st.one_of(plain, plain, st.sampled_from(TARGETS + BAD))
batches = st.lists(targets, min_size=1, max_size=10).map(tuple)
space = st.just("s")
before = st.one_of(
    st.builds(
        Claim,
        space,
        st.lists(st.sampled_from(TARGETS), min_size=1, max_size=2).map(tuple),
        modes,
        st.just(0.0),
        st.just(""),
    ),
    st.builds(Claim, space, st.tuples(plain), modes, st.just(60.0), st.just("")),
    st.builds(Release, space, st.tuples(plain), st.just(0), st.booleans()),
    st.builds(LeaveSignal, space, st.sampled_from(("AVOID", "HOT", "DONE")), st.sampled_from(TARGETS), st.just(1.0)),
)
step = st.tuples(agents, before)
batch_step = st.tuples(agents, st.builds(ClaimEach, space, batches, modes, st.just("why")))
histories = st.lists(st.one_of(step, step, batch_step), max_size=12)


def machine() -> Coordination:
    """Four sessions: two kept by heartbeats, one that fades, and a child."""
    made = Coordination(LIMITS)
    for name, kept_by, parent in (
        ("ann", "heartbeat", ""),
        ("bob", "heartbeat", ""),
        ("fay", "decay", ""),
        ("kid", "connection", "ann#1"),
    ):
        made.perform(Caller(""), Register(name, f"the-secret-of-{name:>20}", parent, kept_by, 30.0), Now(0.0, 0.0))
    return made


def ask(one: Coordination, session_id: str, command: Any, now_s: float) -> Any:
    try:
        return one.perform(Caller(session_id), command, Now(now_s, 0.0))
    except Misuse as error:
        return Failed(error.code, error.message)


def one_by_one(one: Coordination, session_id: str, each: ClaimEach, now_s: float) -> list[Any]:
    singles = [Claim(each.space, (text,), each.mode, 0.0, each.intent) for text in each.targets]
    return [ask(one, session_id, single, now_s) for single in singles]


def spelled_out(answer: Any, each: ClaimEach) -> list[Any]:
    return answers_of(answer, each.targets) if isinstance(answer, ClaimedEach) else [answer] * len(each.targets)


def state(one: Coordination) -> list[Any]:
    one.check_invariants()
    return list(one.snapshot())


def replayed(one: Coordination, facts: Iterable[Any]) -> Coordination:
    twin = Coordination(LIMITS)
    for code, fields in unpack(pack(one.events.pack_form(list(facts)))):
        twin.evolve(one.events.make(code, fields))
    return twin


@given(histories, agents, batches, modes)
def test_a_batch_comes_to_the_same_as_its_claims_one_by_one(
    history: list[tuple[str, Any]], agent: str, asked: tuple[str, ...], mode: str
) -> None:
    batched, single = machine(), machine()
    for at, (session_id, command) in enumerate([*history, (agent, ClaimEach("s", asked, mode, "why"))]):
        answer = ask(batched, session_id, command, at * 1.0)
        if isinstance(command, ClaimEach):
            assert spelled_out(answer, command) == one_by_one(single, session_id, command, at * 1.0)
        else:
            assert answer == ask(single, session_id, command, at * 1.0)
        assert state(batched) == state(single)
    assert state(replayed(batched, batched.take_events())) == state(batched)


@given(histories, agents, batches)
def test_a_batch_that_nobody_heard_of_is_taken_back_whole(
    history: list[tuple[str, Any]], agent: str, asked: tuple[str, ...]
) -> None:
    one = machine()
    for at, (session_id, command) in enumerate(history):
        ask(one, session_id, command, at * 1.0)
    held = leases(one)
    answer = ask(one, agent, ClaimEach("s", asked, "exclusive", ""), 20.0)
    renewed = {
        text
        for text, found in zip(asked, spelled_out(answer, ClaimEach("s", asked, "", "")), strict=True)
        if getattr(found, "renewed", False)
    }
    one.undo(Caller(agent), answer, Now(20.0, 0.0))
    kept = leases(one)
    assert held <= kept
    assert {lease for lease in kept - held if lease[0] == agent and not set(lease[1]) <= renewed} == set()
    one.check_invariants()


def leases(one: Coordination) -> set[tuple[str, tuple[str, ...], int]]:
    books = [space.leases.leases.values() for space in one.field.state.spaces.values()]
    return {(lease.session_id, lease.targets, lease.generation) for book in books for lease in book}


def test_when_nothing_fits_any_more_the_whole_batch_is_busy() -> None:
    one = machine()
    asked = tuple(f"f{number}.py" for number in range(14))
    full = ask(one, "ann#1", ClaimEach("s", asked, "exclusive", ""), 0.0)
    assert [type(answer) for answer in answers_of(full, asked)] == [Granted] * 12 + [BusyFor] * 2
    assert isinstance(ask(one, "ann#1", ClaimEach("s", ("z.py",), "exclusive", ""), 0.0), BusyFor)
