"""Laws of a replay: hunks and what versions share make up a file, and no agent pays for what it was shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from coordinator.reading.grammar import outline_of
from coordinator.reading.line_diff import diff_lines
from coordinator.reading.mode import Mode
from coordinator.reading.render import render
from coordinator.reading.shown import ShownLines
from coordinator.reading.source import decode
from coordinator.replay.agent import Agent, Replayed, edit_all
from coordinator.replay.hunk import hunks_between
from coordinator.replay.question import MODES
from coordinator.replay.reference import Printed, References

CALL = 200
N_FUNCTIONS = 5
N_LINES = 20


def _module() -> str:
    bodies = [
        "".join(f"    value_{number} = read_{name}({number * 3}, limit={number})\n" for number in range(2, N_LINES))
        for name in range(N_FUNCTIONS)
    ]
    return "\n".join(f"def part_{name}(limit):\n{body}    return limit\n" for name, body in enumerate(bodies))


SOURCE = decode(_module().encode())
REPLAYED = Replayed(SOURCE, "a.py", outline_of(SOURCE, "a.py"))
N_FILE_LINES = len(REPLAYED.lines)
VIEWS = {mode: render(SOURCE, Mode(mode), path="a.py", why="explicit") for mode in MODES}

versions = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n"]), max_size=12)
places = st.tuples(st.integers(1, N_FILE_LINES), st.integers(0, 30)).map(
    lambda place: (place[0], min(N_FILE_LINES, sum(place)))
)


@given(versions, versions)
def test_what_no_hunk_has_is_what_both_versions_share(old: list[str], new: list[str]) -> None:
    kept = diff_lines(old, new).kept
    hunks = list(hunks_between(kept, len(old), len(new)))
    replaced = [number for hunk in hunks for number in range(hunk.first, hunk.first + hunk.n_lines)]
    shared = [number for first, _, n_lines in kept for number in range(first, first + n_lines)]
    assert sorted([*replaced, *shared]) == list(range(1, len(old) + 1))
    assert hunks == sorted(hunks)
    assert bool(hunks) == (old != new)
    if old:
        assert all(1 <= first <= last <= len(old) for first, last in (hunk.needed(len(old)) for hunk in hunks))


@given(st.sampled_from(MODES), st.lists(places, min_size=1, max_size=6))
def test_what_an_agent_pays_follows_from_what_it_was_not_shown(mode: str, needed: list[tuple[int, int]]) -> None:
    view = VIEWS[mode]
    paid = edit_all(REPLAYED, view, needed)
    n_hidden = sum(not view.shown.contains(*lines) for lines in needed)
    assert (paid.extra_tokens > 0) == (n_hidden > 0)
    assert paid.n_by_parts + paid.n_failed <= n_hidden
    assert (paid.extra_tokens - paid.extra_printed) % CALL == 0
    assert edit_all(REPLAYED, view, [*needed, *needed]).extra_tokens == paid.extra_tokens
    assert edit_all(REPLAYED, view, needed) == paid


@given(st.sampled_from(["map", "signatures"]), places)
def test_from_an_outline_every_place_is_reached(mode: str, lines: tuple[int, int]) -> None:
    assert Agent(REPLAYED, VIEWS[mode]).edit(lines)


@given(st.lists(places, min_size=1, max_size=5), st.integers(1, 1_500))
def test_the_perfect_ranker_keeps_to_its_budget_and_gains_by_more(needed: list[tuple[int, int]], budget: int) -> None:
    nothing = Printed(REPLAYED, ShownLines()).tokens
    best = References(REPLAYED, budget).perfect(needed)
    assert best.tokens <= max(budget, nothing)
    everything = References(REPLAYED, 10**6).perfect(needed)
    assert all(everything.shown.contains(*lines) for lines in needed)
    assert everything.tokens >= best.tokens
