"""Signals against a list of all deposits that recomputes every intensity when it is asked."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.runtime.wire import pack, unpack
from actors.scent_field.recent_trail import RecentTrails
from actors.scent_field.signal import HALF_LIVES_S, SignalKind, Signals
from actors.scent_field.trail import Deposit, KindTrails

KINDS = st.sampled_from(list(SignalKind))
PLACES = st.sampled_from(["a", "b/", "c.py"])
AGENTS = st.sampled_from(["ann#1", "bob#2", "cat#3"])
DEPOSITS = st.tuples(KINDS, PLACES, AGENTS, st.floats(0.01, 3.0))
SPANS = st.one_of(st.floats(0.0, 10.0), st.floats(0.0, 8_000.0))
STEPS = st.lists(st.tuples(SPANS, st.one_of(st.none(), DEPOSITS), st.booleans(), st.integers(0, 6)), max_size=40)


class SignalList:
    """A list of all deposits ever, the latest of each agent last."""

    def __init__(self):
        self.deposits = []

    def now(self, deposit, now):
        kind, _, _, intensity, at = deposit
        return intensity * 2.0 ** (-(now - at) / HALF_LIVES_S[kind])

    def carried(self, kind, target, agent, now):
        for deposit in reversed(self.deposits):
            if deposit[:3] == (kind, target, agent):
                return self.now(deposit, now)
        return 0.0

    def rows(self, now):
        latest = {deposit[:3]: self.now(deposit, now) for deposit in self.deposits}
        rows = {}
        for (kind, target, agent), intensity in latest.items():
            if intensity >= 0.05:
                rows.setdefault((kind, target), {})[agent] = intensity
        return rows


def close_to_death(value: float) -> bool:
    return abs(value - 0.05) < 1e-9


@given(STEPS)
def test_signals_are_what_a_list_of_all_deposits_says(steps):
    signals, dumb, now = Signals(), SignalList(), 0.0
    for span, deposit, collects, limit in steps:
        now += span
        if any(close_to_death(dumb.now(one, now)) for one in dumb.deposits):
            continue
        if deposit is not None:
            kind, target, agent, added = deposit
            carried = dumb.carried(kind, target, agent, now)
            expected = min(3.0, added + (carried if carried >= 0.05 else 0.0))
            assert signals.superposed(kind, target, agent, added, now) == pytest.approx(expected)
            if close_to_death(expected):
                continue
            signals.put(kind, target, Deposit(agent, expected, now))
            dumb.deposits.append((kind, target, agent, expected, now))
        if collects:
            signals.collect(now)
        signals.check_invariants()
        compare_rows(signals, dumb.rows(now), limit, now)


def compare_rows(signals, rows, limit, now):
    found = signals.strongest(now, 100)
    assert {
        (row.kind, row.target): {one.agent_id: pytest.approx(one.intensity) for one in row.deposits} for row in found
    } == rows
    sums = [row.intensity for row in found]
    assert sums == pytest.approx(sorted((sum(agents.values()) for agents in rows.values()), reverse=True))
    assert signals.strongest(now, limit) == found[:limit]
    assert signals.n_rows() == len(rows)
    assert sum(signals.totals(now).values()) == sum(map(len, rows.values()))
    for kind, target in rows:
        row = signals.row(kind, target, now)
        assert [one.intensity for one in row.deposits] == sorted((one.intensity for one in row.deposits), reverse=True)
    agents = Counter(agent for (kind, _), who in rows.items() if kind != "CLAIMED" for agent in who)
    assert all(signals.n_left_by(agent) == n for agent, n in agents.items())


@given(st.lists(DEPOSITS, min_size=1, max_size=20), st.integers(0, 100_000))
def test_the_next_death_is_when_the_first_signal_falls_below_five_hundredths(deposits, start):
    signals = Signals()
    for kind, target, agent, intensity in deposits:
        signals.put(kind, target, Deposit(agent, max(intensity, 0.06), float(start)))
    n_before = signals.n_deposits
    death_s = signals.next_death_s()
    assert death_s > start
    assert signals.collect(death_s - 0.01) == 0
    assert signals.n_deposits == n_before
    assert signals.collect(death_s + 0.01) >= 1


@given(st.lists(DEPOSITS, max_size=20), st.floats(0.0, 10_000.0))
def test_restored_signals_are_the_same_signals(deposits, now):
    signals = Signals()
    for at, (kind, target, agent, intensity) in enumerate(deposits):
        signals.put(kind, target, Deposit(agent, intensity, float(at)))
    restored = Signals()
    for row in unpack(pack(list(signals.snapshot()))):
        restored.restore(*row)
    restored.check_invariants()
    assert list(restored.snapshot()) == list(signals.snapshot())
    assert restored.strongest(now, 7) == signals.strongest(now, 7)


CLAIMS = st.tuples(PLACES, AGENTS, st.sampled_from(["put", "put", "drop"]), st.sampled_from([0.0, 0.0, 10.0, 900.0]))


@given(st.lists(CLAIMS, max_size=40), st.integers(0, 5))
def test_claims_that_come_in_the_order_of_time_are_ranked_like_all_others(steps, limit):
    recent, ranked, now = RecentTrails(600.0, 2.0), KindTrails(600.0), 0.0
    for target, agent, what, span in steps:
        now += span
        for trails in (recent, ranked):
            if what == "put":
                trails.put(target, Deposit(agent, 2.0, now))
            else:
                trails.drop(target, agent)
        recent.check_invariants()
        assert list(recent.trails()) == list(ranked.trails())
        assert recent.next_death_s() == ranked.next_death_s()
        assert [recent.of(one, now) for one in ("a", "b/", "c.py")] == [
            ranked.of(one, now) for one in ("a", "b/", "c.py")
        ]
        assert recent.collect(now) == ranked.collect(now)
        assert sorted(recent.strongest(now, limit)) == sorted(ranked.strongest(now, limit))
        assert (len(recent), recent.n_deposits) == (len(ranked), ranked.n_deposits)
