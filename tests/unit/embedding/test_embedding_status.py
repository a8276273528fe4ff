"""The status of a model, step by step; times are literals."""

from __future__ import annotations

from itertools import product

import pytest

from actors.embedding.status import Lifecycle, State, Status
from actors.runtime.errors import InvariantBroken

STEPS = {
    State.LOADING: lambda life: life.begin(),
    State.DOWNLOADING: lambda life: life.download(1, 2),
    State.READY: lambda life: life.succeed("m#1", 4),
    State.FAILED: lambda life: life.fail("broken", now_s=0.0, is_final=False),
    State.OFF: lambda life: life.switch_off("not wanted"),
}
WAYS = {
    State.OFF: [],
    State.LOADING: [State.LOADING],
    State.DOWNLOADING: [State.LOADING, State.DOWNLOADING],
    State.READY: [State.LOADING, State.READY],
    State.FAILED: [State.LOADING, State.FAILED],
}
ALLOWED = {
    (State.OFF, State.LOADING),
    (State.LOADING, State.LOADING),
    (State.LOADING, State.DOWNLOADING),
    (State.LOADING, State.READY),
    (State.LOADING, State.FAILED),
    (State.LOADING, State.OFF),
    (State.DOWNLOADING, State.DOWNLOADING),
    (State.DOWNLOADING, State.LOADING),
    (State.DOWNLOADING, State.FAILED),
    (State.DOWNLOADING, State.OFF),
    (State.FAILED, State.LOADING),
}


def life_in(state: State) -> Lifecycle:
    life = Lifecycle("m", "nobody needs it")
    for step in WAYS[state]:
        STEPS[step](life)
    assert life.status.state is state
    return life


@pytest.mark.parametrize(("before", "after"), list(product(State, State)))
def test_only_the_steps_of_the_table_are_taken(before: State, after: State) -> None:
    life = life_in(before)
    known = life.status
    if (before, after) in ALLOWED:
        STEPS[after](life)
        assert life.status.state is after
    else:
        with pytest.raises(InvariantBroken):
            STEPS[after](life)
        assert life.status == known


def test_a_model_that_nobody_needed_says_so() -> None:
    assert Lifecycle("m", "nobody needs it").status == Status(State.OFF, "m", "nobody needs it")


def test_every_state_but_ready_has_a_reason() -> None:
    for state in State:
        assert bool(life_in(state).status.reason) is (state is not State.READY)


def test_a_download_says_how_much_has_arrived() -> None:
    life = life_in(State.LOADING)
    life.download(1_500_000, 22_900_000)
    assert life.status.reason == "1.5 of 22.9 MB have arrived"
    assert (life.status.n_bytes, life.status.n_total_bytes) == (1_500_000, 22_900_000)
    life.download(3_000_000, 0)
    assert life.status.reason == "3.0 MB have arrived"


def test_a_failure_is_tried_again_after_pauses_that_double_up_to_ten_minutes() -> None:
    life = Lifecycle("m", "")
    now_s = 100.0
    for pause_s in (5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 600.0, 600.0):
        life.begin()
        life.fail("no network", now_s=now_s, is_final=False)
        assert not life.may_begin(now_s + pause_s - 0.5)
        assert life.may_begin(now_s + pause_s)
        now_s += pause_s


def test_a_final_failure_is_tried_again_only_when_a_person_asks() -> None:
    life = life_in(State.LOADING)
    life.fail("changed hash", now_s=0.0, is_final=True)
    assert not life.may_begin(1e9)
    assert life.may_begin(0.0, is_asked=True)


def test_what_is_switched_off_is_tried_again_only_when_a_person_asks() -> None:
    life = life_in(State.LOADING)
    life.switch_off("downloads are off")
    assert not life.may_begin(1e9)
    assert life.may_begin(0.0, is_asked=True)


@pytest.mark.parametrize("state", [State.LOADING, State.DOWNLOADING, State.READY])
def test_nothing_begins_twice(state: State) -> None:
    assert not life_in(state).may_begin(1e9, is_asked=True)
